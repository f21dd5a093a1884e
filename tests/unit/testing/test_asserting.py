"""Assertions on the tool calls of a run, for users' own tests."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.simple_tools import INTEGER, STRING, tool

from seatrial.core.agent import Agent
from seatrial.core.result import RunResult
from seatrial.testing import assert_called, assert_not_called, assert_tools, calls, calls_many, says, scripted

TOOLS = [tool("look", properties={"city": STRING, "days": INTEGER}, required=["city"]), tool("buy")]


@pytest.fixture
async def run() -> RunResult:
    model = scripted(
        calls_many(("look", {"city": "Oslo"}), ("look", {"city": "Rome", "days": 3})), calls("buy"), says("ok")
    )
    return await Agent(model, tools=TOOLS).run("hi")


@pytest.mark.parametrize(
    ("name", "times", "arguments"),
    [
        ("look", None, {}),
        ("look", 2, {}),
        ("look", 1, {"city": "Oslo"}),
        ("look", 1, {"city": {"regex": "R.*"}, "days": 3}),
        ("buy", 1, {}),
        ("sell", 0, {}),
    ],
)
def test_what_was_called_passes(run: RunResult, name: str, times: int | None, arguments: dict[str, Any]) -> None:
    assert_called(run, name, times, **arguments)


def test_what_was_not_called_fails_with_all_calls_and_what_is_wrong_with_them(run: RunResult) -> None:
    with pytest.raises(AssertionError) as failure:
        assert_called(run, "look", city="Bonn")
    text = str(failure.value)
    assert text.startswith('look(city: "Bonn") was not called; the calls were:')
    assert '1. look(city="Oslo") - city: "Oslo", expected "Bonn"' in text
    assert "3. buy()" in text


def test_a_wrong_number_of_calls_fails(run: RunResult) -> None:
    with pytest.raises(AssertionError, match="look was called twice, not once"):
        assert_called(run, "look", times=1)
    with pytest.raises(AssertionError, match="look was called twice, not 5 times"):
        assert_called(run, "look", times=5)


def test_an_argument_of_the_name_of_a_parameter_is_an_argument(run: RunResult) -> None:
    with pytest.raises(AssertionError, match="name"):
        assert_called(run, "look", name="x")


def test_what_must_not_be_called_is_named_with_its_call(run: RunResult) -> None:
    assert_not_called(run, "sell")
    assert_not_called(run, "look", city="Bonn")
    with pytest.raises(AssertionError, match=r'was called: call 2, look\(city="Rome", days=3\)'):
        assert_not_called(run, "look", days=3)


def test_whole_lists_are_compared_as_in_an_agent_file(run: RunResult) -> None:
    assert_tools(run, "look", "buy")
    assert_tools(run, {"name": "look", "count": 2}, "buy", order="exact")
    with pytest.raises(AssertionError, match="buy"):
        assert_tools(run, "buy", "look", order="in_order")
    with pytest.raises(AssertionError, match="no call expected"):
        assert_tools(run)
    with pytest.raises(AssertionError, match="forbidden"):
        assert_tools(run, "look", forbidden=["buy"])


async def test_they_work_inside_an_event_loop_too(run: RunResult) -> None:
    assert_called(run, "buy")
    assert_tools(run, "look", "buy")


def test_a_transcript_will_do(run: RunResult) -> None:
    assert_called(run.transcript, "buy")


async def test_without_any_call_it_says_so() -> None:
    run = await Agent(scripted("hi"), tools=TOOLS).run("hi")
    assert_tools(run)
    with pytest.raises(AssertionError, match="buy was not called: no tool was called"):
        assert_called(run, "buy")
