"""Only exactly what was recorded is answered, and a miss says what has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.simple_tools import INTEGER, STRING, tool
from tests.support.tapes import CASE, never, on_tape, recorded, replayed, unusable

from seatrial.core.agent import Agent
from seatrial.core.content import ImageContent, TextContent
from seatrial.core.messages import UserMessage
from seatrial.core.model import ModelRequest, Sampling
from seatrial.providers.scripted import calls, says, scripted
from seatrial.recording.blobs import Blobs
from seatrial.recording.deck import Deck
from seatrial.recording.said import key_of, model_asked, tool_asked


def state_of(folder: Path) -> dict[Path, tuple[bytes, int]]:
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def key(**changes: Any) -> str:
    request = ModelRequest(system_prompt="Be brief.", messages=(UserMessage("hi"),))
    fields = {name: getattr(request, name) for name in ModelRequest.__struct_fields__}
    return key_of(model_asked("p:m", ModelRequest(**(fields | changes)), Blobs(Path())))


def test_the_order_of_json_keys_changes_nothing() -> None:
    one = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}
    other = {"properties": {"b": {"type": "integer"}, "a": {"type": "string"}}, "type": "object"}
    assert key(response_schema=one) == key(response_schema=other)
    assert key_of(tool_asked("t", {"x": {"a": 1, "b": 2}})) == key_of(tool_asked("t", {"x": {"b": 2, "a": 1}}))


def test_text_alone_and_a_single_block_of_text_are_the_same() -> None:
    assert key(messages=(UserMessage("hi"),)) == key(messages=(UserMessage((TextContent("hi"),)),))


@pytest.mark.parametrize(
    "pair",
    [(1, True), (1, 1.0), (1, "1"), (None, "null"), ([1, 2], [2, 1]), ({}, []), ("a", "A"), (0, False), ("", None)],
)
def test_values_that_are_not_the_same_json_are_not_the_same(pair: tuple[Any, Any]) -> None:
    one, other = (key_of(tool_asked("t", {"x": value})) for value in pair)
    assert one != other


def test_a_missing_argument_is_not_a_null() -> None:
    assert key_of(tool_asked("t", {})) != key_of(tool_asked("t", {"x": None}))


async def test_changed_instructions_are_told_line_by_line(tmp_path: Path) -> None:
    await recorded(tmp_path, scripted("yes"), system_prompt="Be kind.\nBe brief.\nBe honest.")
    second = await replayed(tmp_path, system_prompt="Be kind.\nBe long.\nBe honest.")
    assert second.missing is not None
    assert "instructions:\n  - Be brief.\n  + Be long." in second.missing
    assert "Be honest" not in second.missing
    assert second.result.stop_reason == "error"


async def test_a_changed_question_is_told_with_its_place(tmp_path: Path) -> None:
    await recorded(tmp_path, scripted("yes"))
    second = await replayed(tmp_path, prompts=("hello",))
    assert second.missing is not None
    assert '- message 1 (user): "hi"\n+ message 1 (user): "hello"' in second.missing


async def test_a_changed_tool_is_told_with_the_parameter(tmp_path: Path) -> None:
    await recorded(tmp_path, scripted("yes"), [tool("look", properties={"city": STRING}), tool("gone")])
    second = await replayed(tmp_path, [tool("look", properties={"city": INTEGER}), tool("new")])
    assert second.missing is not None
    assert '- tool look.parameters.properties.city.type: "string"' in second.missing
    assert '+ tool look.parameters.properties.city.type: "integer"' in second.missing
    assert "- tool gone" in second.missing
    assert "+ tool new" in second.missing


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (Sampling(temperature=0.5), "+ temperature: 0.5"),
        (Sampling(max_tokens=10), "+ max_tokens: 10"),
        (Sampling(seed=1), "+ seed: 1"),
    ],
)
async def test_changed_settings_of_the_model_are_told(tmp_path: Path, now: Sampling, told: str) -> None:
    await recorded(tmp_path, scripted("yes"))
    second = await replayed(tmp_path, sampling=now)
    assert second.missing is not None
    assert told in second.missing


async def test_another_model_is_a_miss_that_names_both(tmp_path: Path) -> None:
    await recorded(tmp_path, scripted("yes"))
    deck = Deck(tmp_path, [CASE], is_replaying=True)
    with deck.trial(CASE, "", 1) as tape:
        await Agent(deck.model(never, provider="openai", name="gpt-5")).run("hi")
    assert tape.missing is not None
    assert '- model: "scripted:scripted"\n+ model: "openai:gpt-5"' in tape.missing


async def test_a_tool_called_with_another_argument_ends_the_trial_there(tmp_path: Path) -> None:
    await recorded(tmp_path, scripted(calls("look", city="Oslo"), "done"), [tool("look", properties={"city": STRING})])
    path = tmp_path / "a-case.json"
    text = path.read_text(encoding="utf-8").replace('"city": "Oslo"', '"city": "Rome"', 1)  # in the recorded reply
    path.write_text(text, encoding="utf-8")
    second = await replayed(tmp_path, [tool("look", properties={"city": STRING})])
    assert second.missing is not None
    assert second.missing.startswith("a call of the tool look is not in the recording")
    assert '- arguments.city: "Oslo"\n+ arguments.city: "Rome"' in second.missing
    assert second.result.error_message == second.missing


async def test_of_long_texts_the_part_that_differs_is_shown(tmp_path: Path) -> None:
    long = "word " * 500
    await recorded(tmp_path, scripted("yes"), prompts=(f"{long}one{long}",))
    second = await replayed(tmp_path, prompts=(f"{long}two{long}",))
    assert second.missing is not None
    assert "one" in second.missing
    assert "two" in second.missing
    assert len(second.missing) < 1000


async def test_the_same_call_made_more_often_than_recorded_is_a_miss(tmp_path: Path) -> None:
    first = scripted(calls("look"), "done")
    await recorded(tmp_path, first, [tool("look")])
    second = await replayed(tmp_path, [tool("look")], prompts=("hi", "hi"))
    assert second.missing is not None
    assert "message 5 (user)" in second.missing


async def test_equal_calls_get_their_recordings_in_turn(tmp_path: Path) -> None:
    numbers = iter("123")

    def count(_arguments: dict[str, Any], _context: Any) -> str:
        return next(numbers)

    first = await recorded(
        tmp_path, scripted(calls("count"), calls("count"), calls("count"), "ok"), [tool("count", count)]
    )
    second = await replayed(tmp_path, [tool("count")])
    assert second.story == first.story
    assert [result.text for result in second.result.transcript.tool_results] == ["1", "2", "3"]


async def test_the_kth_try_is_answered_by_the_kth_recording(tmp_path: Path) -> None:
    deck = Deck(tmp_path, [CASE], is_recording=True)
    for repeat in (2, 1, 3):
        await on_tape(deck, lambda repeat=repeat: scripted(f"answer {repeat}"), repeat=repeat)
    for repeat in (1, 2, 3):
        assert (await replayed(tmp_path, repeat=repeat)).result.text == f"answer {repeat}"
    fourth = await replayed(tmp_path, repeat=4)
    assert fourth.missing == "try 4 of this case was not recorded, only tries 1, 2, 3"


async def test_pictures_are_compared_by_what_they_show(tmp_path: Path) -> None:
    def asked(letter: str) -> UserMessage:
        return UserMessage((ImageContent("iVBORw0KGgo" + letter * 1001, "image/png"), TextContent("what is it?")))

    await recorded(tmp_path, scripted("a cat"), prompts=(asked("A"),))
    assert (await replayed(tmp_path, prompts=(asked("A"),))).result.text == "a cat"
    assert (await replayed(tmp_path, prompts=(asked("B"),))).missing is not None
    blobs = list((tmp_path / "blobs").iterdir())
    assert [blob.suffix for blob in blobs] == [".png"]
    assert blobs[0].read_bytes().startswith(b"\x89PNG")
    assert blobs[0].name in (tmp_path / "a-case.json").read_text(encoding="utf-8")


async def test_what_was_recorded_and_not_asked_for_is_told(tmp_path: Path) -> None:
    await recorded(tmp_path, scripted("one", "two"), prompts=("first", "second"))
    deck = Deck(tmp_path, [CASE], is_replaying=True)
    await on_tape(deck, never, prompts=("first",))
    assert deck.close(is_whole_suite=True) == ["a case: a request to scripted:scripted"]


async def test_cases_that_are_no_more_are_told_when_the_whole_suite_was_run(tmp_path: Path) -> None:
    deck = Deck(tmp_path, [CASE, "old"], is_recording=True)
    await on_tape(deck, lambda: scripted("yes"))
    with deck.trial("old", "", 1):
        pass
    deck = Deck(tmp_path, [CASE], is_replaying=True)
    await on_tape(deck, never)
    assert deck.close(is_whole_suite=False) == []
    assert deck.close(is_whole_suite=True) == ["the whole of old.json: no such case was run"]


async def test_only_what_changed_is_called_for_when_missing_calls_are_recorded(tmp_path: Path) -> None:
    tools = [tool("look", properties={"city": STRING})]
    await recorded(tmp_path, scripted(calls("look", city="Oslo"), "done"), tools, prompts=("hi",))
    model = scripted("a new answer")
    deck = Deck(tmp_path, [CASE], is_replaying=True, is_recording=True)
    second = await on_tape(deck, lambda: model, unusable(tools), prompts=("hi", "and then?"))
    assert second.missing is None
    assert len(model.requests) == 1
    third = await replayed(tmp_path, tools, prompts=("hi", "and then?"))
    assert third.story == second.story
    assert not third.unused


async def test_nothing_is_written_when_nothing_was_missing(tmp_path: Path) -> None:
    await recorded(tmp_path, scripted(calls("look"), "done"), [tool("look")])
    before = state_of(tmp_path)
    deck = Deck(tmp_path, [CASE], is_replaying=True, is_recording=True)
    await on_tape(deck, never, unusable([tool("look")]))
    assert state_of(tmp_path) == before


async def test_a_failure_of_the_provider_is_asked_for_again_when_missing_calls_are_recorded(tmp_path: Path) -> None:
    await recorded(tmp_path, scripted())
    model = scripted("better now")
    second = await on_tape(Deck(tmp_path, [CASE], is_replaying=True, is_recording=True), lambda: model)
    assert second.result.text == "better now"
    assert (await replayed(tmp_path)).result.text == "better now"


async def test_live_tools_are_run_and_their_inner_calls_answered_from_the_recording(tmp_path: Path) -> None:
    def agents(deck: Deck, model: Any) -> Agent:
        inner = Agent(deck.model(lambda: model, provider="scripted", name="inner"))
        outer = deck.model(lambda: scripted(calls("helper", prompt="go"), "done"), provider="scripted", name="outer")
        return Agent(outer, tools=[deck.tool(inner.as_tool("helper", "Helps."))])

    deck = Deck(tmp_path, [CASE], is_recording=True)
    with deck.trial(CASE, "", 1):
        await agents(deck, scripted(says("from inside"))).run("hi")
    deck = Deck(tmp_path, [CASE], is_replaying=True, has_live_tools=True)
    with deck.trial(CASE, "", 1) as tape:
        result = await agents(deck, None).run("hi")
    assert tape.missing is None
    assert tape.unused == []
    assert result.transcript.tool_results[0].text == "from inside"
