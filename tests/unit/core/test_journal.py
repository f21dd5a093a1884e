"""Tool calls written down, so that a crash runs none twice."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.simple_tools import Gate, tool

from seatrial.core.agent import Agent
from seatrial.core.content import ToolCall
from seatrial.core.journal import JsonLinesJournal
from seatrial.core.messages import Message
from seatrial.errors import RunError
from seatrial.providers.scripted import calls_many, says, scripted


async def crashed(journal: JsonLinesJournal, done: list[str]) -> list[Message]:
    """A run that dies between two tool executions; its history up to there."""

    async def book(arguments: dict[str, Any], _: object) -> str:
        done.append("a")
        return "booked"

    gate = Gate("b", execution_mode="sequential")
    model = scripted(calls_many(("a", {}), ("b", {}), ("c", {})))
    session = Agent(model, tools=[tool("a", book), gate.tool, tool("c")]).session(journal=journal)
    task = asyncio.ensure_future(session.run("go"))
    await gate.entered.wait()
    history = list(session.messages)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return history


async def test_edge_125_finished_calls_are_not_run_again(tmp_path: Path) -> None:
    done: list[str] = []
    written = tmp_path / "journal.jsonl"
    history = await crashed(JsonLinesJournal(written), done)
    lines = written.read_bytes().splitlines(keepends=True)
    written.write_bytes(b"".join(lines[:3]) + b'{"type":"call_fin')
    model = scripted(says("ok"))
    tools = [tool(name, lambda *_: done.append("again") or "fresh") for name in "abc"]
    result = await Agent(model, tools=tools).run(history=history, journal=JsonLinesJournal(written))
    first, second, third = result.transcript.tool_results
    assert first.text == "booked"
    assert "may have taken effect" in second.text
    assert (third.text, done, result.text) == ("fresh", ["a", "again"], "ok")


async def test_a_journal_is_not_asked_about_new_calls(tmp_path: Path) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    for _ in range(2):
        result = await Agent(scripted(calls_many(("a", {})), says("ok")), tools=[tool("a")]).run("go", journal=journal)
        assert result.transcript.tool_results[0].was_executed


async def test_an_interrupted_run_goes_on_from_its_history_alone() -> None:
    history: list[Message] = [
        *(await Agent(scripted(calls_many(("a", {}), ("b", {})))).run("go")).transcript.messages[:2]
    ]
    result = await Agent(scripted(says("ok")), tools=[tool("a"), tool("b")]).run(history=history)
    assert [item.text for item in result.transcript.tool_results] == ["a", "b"]


def test_a_journal_keeps_what_it_was_told(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    JsonLinesJournal(path).call_started(ToolCall("1", "a", {"n": 1}))
    again = JsonLinesJournal(path)
    assert (again.was_started("1"), again.was_started("2"), again.result_of("1")) == (True, False, None)


def test_another_file_is_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text("hello\n")
    with pytest.raises(RunError, match="line 1"):
        JsonLinesJournal(path)
