"""A replay tells the same story as the run that was recorded, event by event."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.simple_tools import INTEGER, tool
from tests.support.tapes import recorded, replayed

from seatrial.core.agent import Agent
from seatrial.core.content import ImageContent
from seatrial.core.messages import AssistantMessage, FailedTry
from seatrial.core.model import RetryNotice, TextDelta
from seatrial.core.tool import ToolContext, ToolOutput
from seatrial.core.usage import Usage
from seatrial.errors import ProviderError, ToolError
from seatrial.providers.scripted import calls, calls_many, fails, says, scripted
from seatrial.recording.cassette import Output, Reply


async def test_a_plain_answer_comes_back_with_its_deltas_usage_and_reasoning(tmp_path: Path) -> None:
    script = scripted(says("It is mild in Oslo.", reasoning="I know this.", usage=Usage(10, 5, reasoning_tokens=3)))
    first = await recorded(tmp_path, script)
    second = await replayed(tmp_path)
    assert second.story == first.story
    assert second.missing is None
    assert any(event["type"] == "MessageReasoningDelta" for event in second.story)


@pytest.mark.parametrize("is_streamed", [True, False])
async def test_a_run_with_and_without_deltas_is_replayed_as_it_was(tmp_path: Path, is_streamed: bool) -> None:
    first = await recorded(tmp_path, scripted(calls("look"), "done"), [tool("look")], is_streamed=is_streamed)
    second = await replayed(tmp_path, [tool("look")], is_streamed=is_streamed)
    assert second.story == first.story


async def test_what_was_recorded_whole_can_be_streamed(tmp_path: Path) -> None:
    await recorded(tmp_path, scripted(says("one two", reasoning="hm")), is_streamed=False)
    second = await replayed(tmp_path)
    assert [event["text"] for event in second.story if event["type"] == "MessageTextDelta"] == ["one ", "two"]


async def test_tools_that_ended_in_another_order_end_in_it_again(tmp_path: Path) -> None:
    second_has_ended = asyncio.Event()

    async def slow(_arguments: dict[str, Any], context: ToolContext) -> str:
        context.update("waiting")
        await second_has_ended.wait()
        context.update("going on")
        return "slow"

    async def quick(_arguments: dict[str, Any], _context: ToolContext) -> str:
        second_has_ended.set()
        return "quick"

    tools = [tool("slow", slow), tool("quick", quick)]
    first = await recorded(tmp_path, scripted(calls_many(("slow", {}), ("quick", {})), "done"), tools)
    second = await replayed(tmp_path, tools)
    ended = [event["result"]["tool_name"] for event in first.story if event["type"] == "ToolEnded"]
    assert ended == ["quick", "slow"]
    assert second.story == first.story


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    order=st.permutations(range(5)),
    told=st.lists(st.integers(0, 3), min_size=5, max_size=5),
    limits=st.lists(st.sampled_from([None, 60.0]), min_size=5, max_size=5),
)
async def test_any_interleaving_is_replayed(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], told: list[int], limits: list[float | None]
) -> None:
    turns = [asyncio.Event() for _ in range(6)]
    turns[0].set()

    async def work(arguments: dict[str, Any], context: ToolContext) -> str:
        number = arguments["n"]
        for step in range(told[number]):
            context.update(f"{number}: {step}")
            await asyncio.sleep(0)
        place = order.index(number)
        await turns[place].wait()
        asyncio.get_running_loop().call_soon(turns[place + 1].set)
        return f"{number} is done"

    tools = [tool(f"tool_{number}", work, properties={"n": INTEGER}, timeout_s=limits[number]) for number in range(5)]
    script = scripted(calls_many(*((f"tool_{number}", {"n": number}) for number in range(5))), "done")
    folder = tmp_path_factory.mktemp("recording")
    first = await recorded(folder, script, tools)
    second = await replayed(folder, tools)
    assert second.story == first.story


async def test_a_tool_that_fails_fails_with_the_same_words_and_place(tmp_path: Path) -> None:
    def crash(_arguments: dict[str, Any], _context: ToolContext) -> str:
        raise ValueError("no such order")

    def refuse(_arguments: dict[str, Any], _context: ToolContext) -> str:
        raise ToolError("the shop is closed", hint="come back at nine", details={"hours": "9 to 17"})

    tools = [tool("crash", crash), tool("refuse", refuse)]
    first = await recorded(tmp_path, scripted(calls_many(("crash", {}), ("refuse", {})), "sorry"), tools)
    second = await replayed(tmp_path, tools)
    assert second.story == first.story
    details = second.result.transcript.tool_results[0].details
    assert details["at"].startswith("test_exact.py:")


async def test_a_tool_that_was_out_of_time_is_so_again_and_at_once(tmp_path: Path) -> None:
    async def hang(_arguments: dict[str, Any], _context: ToolContext) -> str:
        await asyncio.Event().wait()
        return "never"

    first = await recorded(tmp_path, scripted(calls("hang"), "done"), [tool("hang", hang, timeout_s=0.01)])
    second = await replayed(tmp_path, [tool("hang", timeout_s=0.01)])
    assert second.story == first.story
    assert "timed out" in second.result.transcript.tool_results[0].text


async def test_tools_that_call_tools_are_told_with_the_calls_inside(tmp_path: Path) -> None:
    async def outer(_arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        context.update("asking the other")
        assert context.run_tool is not None
        await context.run_tool("nobody", {})
        inner: ToolOutput = await context.run_tool("inner", {"n": 3})
        return inner

    tools = [tool("outer", outer), tool("inner", properties={"n": INTEGER})]
    first = await recorded(tmp_path, scripted(calls("outer"), "done"), tools)
    second = await replayed(tmp_path, tools)
    assert second.story == first.story
    assert not second.unused


async def test_what_a_sub_agent_spent_and_did_is_kept_with_its_call(tmp_path: Path) -> None:
    helper = Agent(scripted(calls("look"), says("found", usage=Usage(7, 3))), tools=[tool("look")])
    ask_helper = helper.as_tool("helper", "Helps.")
    first = await recorded(tmp_path, scripted(calls("helper", prompt="find it"), "done"), [ask_helper])
    second = await replayed(tmp_path, [ask_helper])
    assert second.story == first.story
    assert second.result.usage == first.result.usage


async def test_outputs_with_wishes_pictures_and_details_come_back_whole(tmp_path: Path) -> None:
    picture = ImageContent("iVBORw0KGgo" + "A" * 1001, "image/png")

    def show(_arguments: dict[str, Any], _context: ToolContext) -> ToolOutput:
        return ToolOutput((picture,), {"seen": {1, 2}}, Usage(5, 1), 0.25, should_terminate=True)

    first = await recorded(tmp_path, scripted(calls("show"), "done"), [tool("show", show)])
    second = await replayed(tmp_path, [tool("show")])
    assert second.story == first.story
    assert second.result.stop_reason == "terminated"
    assert second.result.transcript.tool_results[0].content == (picture,)
    assert second.result.cost_usd == first.result.cost_usd


async def test_a_model_that_failed_fails_again(tmp_path: Path) -> None:
    for number, failure in enumerate(
        (
            fails("overloaded", error_code="overloaded", can_retry=True),
            ProviderError("no quota", code="quota", hint="pay"),
        )
    ):
        folder = tmp_path / str(number)
        first = await recorded(folder, scripted(failure))
        second = await replayed(folder)
        assert second.story == first.story
        assert second.result.error_code == first.result.error_code


async def test_tries_before_a_reply_are_told_again(tmp_path: Path) -> None:
    class Retrying:
        provider, name, info = "scripted", "scripted", None

        async def respond(self, _request: Any, *, on_notice: Any = None, signal: Any = None) -> AssistantMessage:  # noqa: ARG002
            on_notice(RetryNotice(1, 0.5, "503"))
            on_notice(TextDelta("fine"))
            return AssistantMessage(says("fine").content, failed_tries=(FailedTry("503", 0.5),))

        async def close(self) -> None:
            pass

    first = await recorded(tmp_path, Retrying())
    second = await replayed(tmp_path)
    assert second.story == first.story
    assert [event["reason"] for event in second.story if event["type"] == "RetryScheduled"] == ["503"]


async def test_a_conversation_of_several_turns_is_replayed_turn_by_turn(tmp_path: Path) -> None:
    prompts = ("hello", "and now?", "and now?")
    first = await recorded(tmp_path, scripted("one", calls("look"), "two", "three"), [tool("look")], prompts=prompts)
    second = await replayed(tmp_path, [tool("look")], prompts=prompts)
    assert second.story == first.story


def test_nothing_of_a_reply_or_an_output_is_left_out() -> None:
    assert set(AssistantMessage.__struct_fields__) - set(Reply.__struct_fields__) == {"timestamp", "waited_s"}
    assert set(ToolOutput.__dataclass_fields__) == set(Output.__struct_fields__)
