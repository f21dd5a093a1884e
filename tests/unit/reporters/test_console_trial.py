"""One case on the screen: what was said and done, told once."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.support.stored_trials import trial

from seatrial.core.content import TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, ToolResultMessage, UserMessage
from seatrial.core.usage import Usage
from seatrial.metrics.base import Score
from seatrial.reporters.console import console_on
from seatrial.reporters.console_trial import print_tries
from seatrial.reporters.plain import Glyphs
from seatrial.reporters.report import Report
from seatrial.runs.records import ExpectedCall, TrialRecord

MakeReport = Callable[..., Report]


def crashed(duration_s: float = 0.01) -> tuple[Any, ...]:
    call = ToolCall("c1", "price", {"visits": 4})
    details = {"stdout": "looking it up\n", "at": "tools.py:3"}
    error = (TextContent("Error: KeyError: 4"),)
    return (
        UserMessage("How much?"),
        AssistantMessage((call,), stop_reason="tool_calls"),
        ToolResultMessage("c1", "price", error, details=details, is_error=True, duration_s=duration_s),
        AssistantMessage((TextContent("I do not know."),)),
    )


def shown(tries: list[TrialRecord], report: Report) -> str:
    out = io.StringIO()
    print_tries(tries, report, console_on(out), Glyphs("utf-8"))
    return out.getvalue()


def test_expected_calls_stand_there_with_their_arguments_and_forbidden_ones_too(report_of: MakeReport) -> None:
    wanted = (ExpectedCall("price", {"visits": 10, "visitor": {"regex": "chil."}}), ExpectedCall("hours", count=2))
    one = trial(expected_tools=("price", "hours", "hours"), expected_calls=wanted, forbidden_tools=("delete",))
    text = shown([one], report_of([one]))
    assert 'expected: price(visits: 10, visitor: {"regex":"chil."}), hours ×2' in text
    assert "forbidden: delete" in text


def test_a_crash_is_shown_with_the_users_own_line_and_what_was_printed(report_of: MakeReport) -> None:
    one = trial(messages=crashed())
    text = shown([one], report_of([one]))
    assert "price Error: KeyError: 4  in tools.py:3" in text
    assert "printed    looking it up" in text


def test_a_reason_is_told_once(report_of: MakeReport) -> None:
    one = trial(0, "failed", scores=(Score("contains", "failed", 0.0, 1.0, "0 < 1: 'shipped' is not there"),))
    text = shown([one], report_of([one]))
    assert text.count("'shipped' is not there") == 1
    assert "failed  contains  'shipped' is not there" in text


def test_tries_are_numbered_and_what_is_the_same_is_not_repeated(report_of: MakeReport) -> None:
    other = (UserMessage("How much?"), AssistantMessage((TextContent("Four."),)))
    tries = [
        trial(repeat=1, messages=crashed(0.01)),
        trial(repeat=2, messages=crashed(0.02), duration_s=9.0),
        trial(repeat=3, messages=other),
    ]
    text = shown(tries, report_of(tries, repeat=3))
    assert "try 1 of 3" in text
    assert "word for word as try 1 of 3" in text
    assert "9.0 s" in text
    assert text.count("How much?") == 2
    assert "Four." in text


def test_a_call_tells_what_it_ran_with_and_what_the_model_was_not_shown(report_of: MakeReport) -> None:
    result = ToolResultMessage(
        "c1", "price", (TextContent("x"),), arguments={"visits": 5}, left_out_chars=1200, duration_s=1.5
    )
    text = shown([one := trial(messages=(UserMessage("Hi"), result))], report_of([one]))
    assert 'ran with   {"visits":5}' in text
    assert "cut        1,200 characters that the model was not shown" in text


def test_the_request_of_a_prompt_tool_is_shown_with_what_it_cost(report_of: MakeReport) -> None:
    answer = AssistantMessage(
        (TextContent("short"),), provider="openai", model="gpt-x", usage=Usage(10, 5), cost_usd=0.25
    )
    details = {"transcript": {"messages": [{"role": "user", "content": "Shorten: x"}, msgspec.to_builtins(answer)]}}
    messages = (UserMessage("Hi"), ToolResultMessage("c1", "shorten", (TextContent("short"),), details=details))
    text = shown([one := trial(messages=messages)], report_of([one]))
    assert "asked      Shorten: x" in text
    assert "answered   short  (openai gpt-x, 10 + 5 tokens, $0.250)" in text


@pytest.mark.parametrize("transcript", ["text", {"messages": 3}, {"messages": [{"role": "nobody"}]}])
def test_details_of_a_users_own_shape_are_passed_over(report_of: MakeReport, transcript: Any) -> None:
    result = ToolResultMessage("c1", "price", (TextContent("4"),), details={"transcript": transcript})
    assert "price 4" in shown([one := trial(messages=(UserMessage("Hi"), result))], report_of([one]))
