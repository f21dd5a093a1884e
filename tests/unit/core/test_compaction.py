"""Conversations that no longer fit the model."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.simple_tools import tool

from seatrial.core.agent import Agent, RunResult
from seatrial.core.compaction import Overflow
from seatrial.core.history import repair_history
from seatrial.core.messages import Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelInfo
from seatrial.core.usage import Usage
from seatrial.providers.scripted import calls, fails, says, scripted

TOO_LONG = fails("400: context length exceeded", error_code="context_overflow")
WINDOW = ModelInfo("m", "M", "scripted", context_window=1000)


def long_history(turns: int = 6) -> list[Message]:
    history: list[Message] = []
    for n in range(turns):
        history += [UserMessage(f"question {n} " + "q" * 400), says(f"answer {n} " + "a" * 400)]
    return history


async def test_edge_118_an_overflow_is_summed_up_once_and_asked_again() -> None:
    model = scripted(TOO_LONG, says("They talked of numbers."), says("here"))
    result = await Agent(model).run("last question", history=long_history())
    summary, again = model.requests[1:]
    assert (result.text, result.stop_reason) == ("here", "stop")
    assert "question 0" in summary.messages[0].text
    assert summary.tools == ()
    assert "They talked of numbers." in again.messages[0].text
    assert again.messages[-1].text == "last question"
    assert len(again.messages) < 6
    assert [record.purpose for record in result.requests] == ["turn", "summary", "turn"]


async def test_edge_118_a_second_overflow_in_a_row_is_an_error_and_no_loop() -> None:
    model = scripted(TOO_LONG, says("summary"), TOO_LONG, says("never"))
    result = await Agent(model).run("go", history=long_history())
    assert (result.stop_reason, result.error_code, len(model.requests)) == ("error", "context_overflow", 3)


async def test_edge_119_when_the_summary_fails_the_first_error_stands() -> None:
    for summary in (fails("500"), RuntimeError("x"), says(""), TOO_LONG):
        model = scripted(TOO_LONG, summary, says("never"))
        result = await Agent(model).run("go", history=long_history())
        assert (result.error_message, len(model.requests)) == ("400: context length exceeded", 2)


async def test_edge_119_calls_and_results_stay_together_and_the_last_question_stays() -> None:
    chatty = tool("t", lambda *_: "r" * 500)
    model = scripted(*[calls("t")] * 6, TOO_LONG, says("summary"), calls("t"), says("done"))
    result = await Agent(model, tools=[chatty], system_prompt="Be kind.").run("the question")
    sent = model.requests[8].messages
    assert model.requests[8].system_prompt == "Be kind."
    assert repair_history(sent) == sent
    assert [message.text for message in sent if isinstance(message, UserMessage)][1:] == ["the question"]
    assert 1 <= sum(isinstance(message, ToolResultMessage) for message in sent) < 6
    assert result.text == "done"
    assert len(result.transcript.tool_results) == 7


async def test_a_summed_up_history_stays_summed_up_when_it_is_used_again() -> None:
    model = scripted(TOO_LONG, says("summary one"), says("here"))
    result = await Agent(model).run("go", history=long_history())
    saved = RunResult.from_json(result.to_json()).transcript.messages
    assert len(saved) == 12 + 3
    later = scripted(says("ok"), TOO_LONG, says("summary two"), says("fine"))
    session = Agent(later).session(saved)
    await session.run("more")
    assert "summary one" in later.requests[0].messages[0].text
    assert len(later.requests[0].messages) < 8
    await session.run("and more")
    assert "summary one" in later.requests[2].messages[0].text
    assert "summary two" in later.requests[3].messages[0].text
    assert later.requests[3].messages[-1].text == "and more"


async def test_one_long_question_cannot_be_summed_up() -> None:
    model = scripted(TOO_LONG, says("never"))
    result = await Agent(model).run("x" * 10_000)
    assert (result.error_code, len(model.requests)) == ("context_overflow", 1)


async def test_without_compaction_an_overflow_is_an_error() -> None:
    model = scripted(TOO_LONG, says("never"))
    result = await Agent(model, compaction=None).run("go", history=long_history())
    assert (result.error_code, len(model.requests)) == ("context_overflow", 1)


async def test_compaction_is_a_hook() -> None:
    seen: list[Overflow] = []

    async def forget(overflow: Overflow) -> UserMessage:
        seen.append(overflow)
        return UserMessage("(forgotten)", summary_keeps=0)

    model = scripted(TOO_LONG, says("here"))
    await Agent(model, compaction=forget).run("go", history=long_history())
    assert [message.text for message in model.requests[1].messages] == ["(forgotten)", "go"]
    assert len(seen[0].messages) == 13


async def test_a_compaction_that_raises_is_a_warning_and_the_error_stands() -> None:
    async def broken(_: Overflow) -> Any:
        raise LookupError("no")

    result = await Agent(scripted(TOO_LONG), compaction=broken).run("go", history=long_history())
    assert result.error_code == "context_overflow"
    assert "LookupError: no" in result.warnings[0]


async def test_edge_120_an_empty_cut_reply_at_a_full_window_is_an_overflow() -> None:
    full = says("", stop_reason="length", usage=Usage(1000, 0))
    model = scripted(full, says("summary"), says("here"), info=WINDOW)
    result = await Agent(model).run("go", history=long_history())
    assert result.text == "here"


async def test_edge_120_an_input_over_the_window_is_told_and_summed_up_before_the_next_request() -> None:
    replies = [calls("t"), says("summary"), says("done", usage=Usage(10, 1))]
    over = type(replies[0])(replies[0].content, usage=Usage(1500, 10), stop_reason="tool_calls")
    model = scripted(over, *replies[1:], info=WINDOW)
    result = await Agent(model, tools=[tool("t")]).run("go", history=long_history())
    assert result.text == "done"
    assert "context window" in result.warnings[0]
    assert [record.purpose for record in result.requests] == ["turn", "summary", "turn"]


@pytest.mark.parametrize("window", [None, 500])
async def test_the_text_to_sum_up_fits_the_window(window: int | None) -> None:
    model = scripted(TOO_LONG, says("summary"), says("here"), info=ModelInfo("m", "M", "x", context_window=window))
    await Agent(model).run("go", history=long_history(200))
    assert len(model.requests[1].messages[0].text) < (2 * window + 100 if window else 250_000)
