"""What the loop makes of each kind of reply."""

from __future__ import annotations

import msgspec
import pytest
from tests.support.simple_tools import INTEGER, STRING, tool

from seatrial.core.agent import Agent, RunResult
from seatrial.core.content import ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, StopReason, ToolResultMessage, UserMessage
from seatrial.core.tool import ToolOutput
from seatrial.errors import ProviderError, SeatrialError
from seatrial.providers.scripted import calls, calls_many, fails, says, scripted


async def test_a_question_is_answered() -> None:
    result = await Agent(scripted(says("It is 22 degrees."))).run("How warm is it?")
    assert (result.text, result.stop_reason) == ("It is 22 degrees.", "stop")
    assert [message.role for message in result.transcript.messages] == ["user", "assistant"]
    assert result.raise_for_status() is result


async def test_a_tool_is_called_and_its_result_answered() -> None:
    model = scripted(calls("weather", city="Bangkok"), says("22C"))
    result = await Agent(
        model, tools=[tool("weather", lambda a, _: f"22C in {a['city']}", properties={"city": STRING})]
    ).run("?")
    assert result.transcript.tool_results[0].text == "22C in Bangkok"
    assert [call.name for call in result.transcript.tool_calls] == ["weather"]
    sent = model.requests[1].messages
    assert [message.role for message in sent] == ["user", "assistant", "tool"]


async def test_what_is_sent_grows_at_its_end_only() -> None:
    model = scripted(calls("a"), calls("a"), says("done"))
    await Agent(model, tools=[tool("a")], system_prompt="Be brief.").run("go")
    first, second, third = model.requests
    assert second.messages[: len(first.messages)] == first.messages
    assert all(new is old for new, old in zip(third.messages, second.messages, strict=False))
    assert first.tools is third.tools
    assert third.system_prompt == "Be brief."


async def test_edge_005_unreadable_arguments_are_told_and_not_run() -> None:
    ran: list[object] = []
    bad = ToolCall("1", "weather", {}, arguments_text='{"city": "Bang', arguments_error="it ends inside a string at 14")
    weather = tool("weather", lambda a, _: ran.append(a), properties={"city": STRING}, required=[])
    result = await Agent(scripted(calls_many(bad), says("sorry")), tools=[weather]).run("go")
    told = result.transcript.tool_results[0]
    assert told.is_error
    assert "ends inside a string at 14" in told.text
    assert '{"city": "Bang' in told.text
    assert (ran, result.text) == ([], "sorry")


async def test_edge_008_arguments_that_are_no_object_are_told_and_the_call_beside_runs() -> None:
    bad = ToolCall("1", "a", {}, arguments_text="[1]", arguments_error="arguments must be a JSON object, not an array")
    result = await Agent(scripted(calls_many(bad, ("a", {})), says("ok")), tools=[tool("a")]).run("go")
    first, second = result.transcript.tool_results
    assert first.is_error
    assert "must be a JSON object" in first.text
    assert not second.is_error


async def test_edge_011_two_megabytes_of_bad_arguments_give_a_short_error() -> None:
    huge = '{"q": "' + "ä" * 1_000_000
    bad = ToolCall("1", "a", {}, arguments_text=huge, arguments_error=f"unreadable: {huge}")
    model = scripted(calls_many(bad), says("ok"))
    result = await Agent(model, tools=[tool("a")]).run("go")
    assert len(result.transcript.tool_results[0].text.encode()) < 2048


async def test_edge_012_an_unreadable_call_stays_in_the_record_as_it_came() -> None:
    bad = ToolCall("1", "a", {}, arguments_text="{oops", arguments_error="no JSON")
    model = scripted(calls_many(bad), says("ok"))
    result = await Agent(model, tools=[tool("a")]).run("go")
    assert result.transcript.tool_calls[0].arguments_text == "{oops"
    assert model.requests[1].messages[1].tool_calls[0].arguments == {}


async def test_unknown_tool_becomes_an_error_result_and_the_loop_goes_on() -> None:
    agent = Agent(model=scripted(calls("nope"), says("done")))
    answer = await agent.run("hi")
    assert answer.text == "done"
    assert answer.transcript.tool_results[0].is_error


async def test_edge_013_an_unknown_tool_is_answered_with_the_real_names_and_siblings_run() -> None:
    model = scripted(calls_many(("get_whether", {}), ("get_time", {})), says("ok"))
    result = await Agent(model, tools=[tool("get_weather"), tool("get_time")]).run("go")
    unknown, time = result.transcript.tool_results
    assert "Did you mean 'get_weather'?" in unknown.text
    assert "get_weather, get_time" in unknown.text
    assert (unknown.is_error, unknown.was_executed, time.text) == (True, False, "get_time")


async def test_edge_013_at_most_thirty_names_are_listed() -> None:
    result = await Agent(scripted(calls("x"), says("ok")), tools=[tool(f"tool_{n:02}") for n in range(40)]).run("go")
    text = result.transcript.tool_results[0].text
    assert "tool_29 and 10 more" in text
    assert "tool_30" not in text


async def test_edge_015_a_name_in_the_wrong_case_is_not_run_but_suggested() -> None:
    result = await Agent(scripted(calls("Get_Weather"), says("ok")), tools=[tool("get_weather")]).run("go")
    told = result.transcript.tool_results[0]
    assert "Did you mean 'get_weather'?" in told.text
    assert not told.was_executed


async def test_edge_016_two_calls_with_one_id_both_run_under_ids_of_their_own() -> None:
    model = scripted(calls_many(ToolCall("x", "a", {"n": 1}), ToolCall("x", "a", {"n": 2})), says("ok"))
    echo = tool("a", lambda a, _: str(a["n"]), properties={"n": INTEGER})
    result = await Agent(model, tools=[echo]).run("go")
    ids = [call.id for call in result.transcript.tool_calls]
    assert len(set(ids)) == 2
    assert [(item.tool_call_id, item.text) for item in result.transcript.tool_results] == list(
        zip(ids, "12", strict=True)
    )


async def test_edge_016_an_id_that_came_in_an_earlier_turn_is_made_unique() -> None:
    model = scripted(calls_many(ToolCall("x", "a")), calls_many(ToolCall("x", "a")), says("ok"))
    await Agent(model, tools=[tool("a")]).run("go")
    ids = [
        call.id for message in model.requests[2].messages if message.role == "assistant" for call in message.tool_calls
    ]
    assert len(ids) == len(set(ids)) == 2


@pytest.mark.parametrize("call_id", ["", "call"])
async def test_edge_018_a_call_without_an_id_gets_a_stable_one(call_id: str) -> None:
    async def respond(*_: object, **__: object) -> AssistantMessage:
        turns.append(1)
        return AssistantMessage((ToolCall(call_id, "a"),)) if len(turns) % 2 else says("ok")

    turns: list[int] = []
    model = scripted()
    model.respond = respond  # type: ignore[method-assign]
    first = await Agent(model, tools=[tool("a")]).run("go")
    second = await Agent(model, tools=[tool("a")]).run("go")
    ids = [result.transcript.tool_calls[0].id for result in (first, second)]
    assert ids[0] == ids[1] != ""
    assert first.transcript.tool_results[0].text == "a"


async def test_edge_020_calls_are_run_although_the_reply_says_stop() -> None:
    result = await Agent(scripted(calls_many(("a", {}), stop_reason="stop"), says("ok")), tools=[tool("a")]).run("go")
    assert [item.text for item in result.transcript.tool_results] == ["a"]


async def test_edge_021_tool_calls_without_calls_is_an_answer_after_one_request() -> None:
    model = scripted(says("Done.", stop_reason="tool_calls"))
    result = await Agent(model, tools=[tool("a")]).run("go")
    assert (result.text, result.stop_reason, len(model.requests)) == ("Done.", "stop", 1)


async def test_edge_022_calls_of_a_cut_reply_never_run() -> None:
    ran: list[object] = []
    cut = calls_many(("write", {"path": "out.txt"}), stop_reason="length")
    model = scripted(cut, says("ok"))
    result = await Agent(model, tools=[tool("write", lambda a, _: ran.append(a), properties={"path": STRING})]).run(
        "go"
    )
    told = result.transcript.tool_results[0]
    assert (ran, told.is_error, result.text) == ([], True, "ok")
    assert "cut off" in told.text


async def test_edge_022_three_cut_replies_in_a_row_end_the_run() -> None:
    cut = calls_many(("a", {}), stop_reason="length")
    model = scripted(cut, cut, calls("a"), cut, cut, cut, says("never"))
    result = await Agent(model, tools=[tool("a")]).run("go")
    assert (result.stop_reason, len(model.requests)) == ("length", 6)
    assert len(result.transcript.tool_results) == len(result.transcript.tool_calls)


async def test_edge_023_text_cut_at_the_limit_is_returned_as_such() -> None:
    result = await Agent(scripted(says("Once upon a", stop_reason="length"))).run("go")
    assert (result.text, result.stop_reason) == ("Once upon a", "length")
    with pytest.raises(SeatrialError, match="length"):
        result.raise_for_status()


async def test_edge_024_the_providers_own_word_is_kept() -> None:
    message = msgspec.structs.replace(says("hi"), raw_stop_reason="eos")
    result = await Agent(scripted(message)).run("go")
    assert result.stop_reason == "stop"
    assert result.transcript.messages[-1].raw_stop_reason == "eos"


@pytest.mark.parametrize("reason", ["refusal", "content_filter"])
async def test_edge_025_a_refusal_is_never_an_empty_success(reason: StopReason) -> None:
    result = await Agent(scripted(says("I cannot help with that.", stop_reason=reason))).run("go")
    assert (result.stop_reason, result.error_message) == (reason, "I cannot help with that.")
    silent = await Agent(scripted(says("", stop_reason=reason))).run("go")
    assert (silent.stop_reason, silent.error_message) == (reason, reason)


@pytest.mark.parametrize("reason", ["refusal", "content_filter", "incomplete", "error"])
async def test_calls_beside_a_failure_do_not_run_and_have_results(reason: StopReason) -> None:
    result = await Agent(scripted(calls_many(("a", {}), stop_reason=reason)), tools=[tool("a")]).run("go")
    assert result.stop_reason == reason
    assert [(item.is_error, item.was_executed) for item in result.transcript.tool_results] == [(True, False)]


EMPTY = [says(""), says(" \n"), AssistantMessage(), says("", reasoning="hm"), says("", stop_reason="tool_calls")]


@pytest.mark.parametrize("empty", EMPTY)
async def test_edge_026_an_empty_reply_is_asked_for_once_more(empty: AssistantMessage) -> None:
    model = scripted(empty, says("here"))
    result = await Agent(model).run("go")
    assert (result.text, result.stop_reason, result.turns) == ("here", "stop", 1)
    assert model.requests[0] == model.requests[1]
    assert result.usage.requests == 2


@pytest.mark.parametrize("empty", EMPTY)
async def test_edge_026_two_empty_replies_are_an_error(empty: AssistantMessage) -> None:
    result = await Agent(scripted(empty, empty, says("never"))).run("go")
    assert (result.stop_reason, result.error_code) == ("error", "empty_response")
    assert result.error_message is not None
    assert "empty_response" in result.error_message


async def test_edge_045_a_reply_of_reasoning_alone_is_not_sent_again() -> None:
    history = [UserMessage("hi"), AssistantMessage((ReasoningContent("hm"), TextContent(" "))), UserMessage("well?")]
    model = scripted(says("ok"))
    await Agent(model).run("go", history=history)
    assert [message.role for message in model.requests[0].messages] == ["user", "user", "user"]


HALF = "\ud83d"


async def test_edge_049_halves_of_surrogate_pairs_and_nul_never_enter_the_history() -> None:
    dirty = f"a{HALF}b\0c"
    call = ToolCall("1", "echo", {"q": dirty, HALF: [dirty]}, arguments_text='{"q": "\\ud83d"}')
    model = scripted(calls_many(call, text=dirty), says("ok"))
    echo = tool("echo", lambda a, _: a["q"] + HALF, properties={"q": STRING})
    agent = Agent(model, tools=[echo])
    result = await agent.run(dirty, history=[UserMessage((TextContent(dirty),)), says(dirty)])
    sent = msgspec.json.encode(model.requests[1].messages).decode()
    assert "a\ufffdb\ufffdc" in sent
    assert RunResult.from_json(result.to_json()) == result
    assert result.transcript.tool_calls[0].arguments_text is None


async def test_edge_049_a_whole_pair_becomes_its_character() -> None:
    model = scripted(says("ok"))
    await Agent(model).run("\ud83d\ude00")
    assert model.requests[0].messages[0].text == "\U0001f600"


@pytest.mark.parametrize("nothing", [None, "", " \n", ToolOutput()])
async def test_edge_050_an_empty_result_is_sent_as_no_output(nothing: object) -> None:
    model = scripted(calls("a"), says("ok"))
    await Agent(model, tools=[tool("a", lambda *_: nothing)]).run("go")
    sent = model.requests[1].messages[-1]
    assert isinstance(sent, ToolResultMessage)
    assert sent.text == "(no output)"


async def test_p001_a_failed_provider_ends_the_run_with_its_words_and_the_history() -> None:
    result = await Agent(scripted(calls("a"), fails("503: overloaded", can_retry=True)), tools=[tool("a")]).run("go")
    assert (result.stop_reason, result.error_message) == ("error", "503: overloaded")
    assert len(result.transcript.tool_results) == 1


async def test_p001_a_model_that_raises_is_an_error_reply() -> None:
    boom = await Agent(scripted(RuntimeError("boom"))).run("go")
    assert (boom.stop_reason, boom.error_message) == ("error", "RuntimeError: boom")
    own = await Agent(scripted(ProviderError("no such model", hint="check the name"))).run("go")
    assert own.error_message == "no such model (check the name)"


async def test_p001_a_broken_off_stream_keeps_its_reason_and_text() -> None:
    result = await Agent(scripted(says("The answer is", stop_reason="incomplete"))).run("go")
    assert (result.stop_reason, result.text) == ("incomplete", "The answer is")
    model = scripted(says("42"))
    again = await Agent(model).run("again", history=result.transcript.messages)
    assert [message.text for message in model.requests[0].messages] == ["go", "again"]
    assert again.text == "42"


async def test_a_result_survives_json_whole() -> None:
    model = scripted(calls_many(("a", {}), ("nope", {})), says("done"))
    result = await Agent(model, tools=[tool("a")]).run("go")
    assert RunResult.from_json(result.to_json()) == result
    with pytest.raises(SeatrialError, match="not a run's result"):
        RunResult.from_json(b"[1]")


def test_the_loop_can_be_used_without_async() -> None:
    assert Agent(scripted("hello")).run_sync("hi").text == "hello"


async def test_run_sync_inside_a_loop_says_what_to_write() -> None:
    with pytest.raises(RuntimeError, match=r"await agent\.run"):
        Agent(scripted("hello")).run_sync("hi")


async def test_nothing_to_go_on_from_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="neither a prompt nor a history"):
        await Agent(scripted("hello")).run()


async def test_arguments_nested_without_end_are_an_error_result() -> None:
    deep: dict[str, object] = {}
    innermost = deep
    for _ in range(100_000):
        innermost["a"] = innermost = {}
    result = await Agent(scripted(calls_many(ToolCall("1", "a", deep)), says("ok")), tools=[tool("a")]).run("go")
    assert "nested too deeply" in result.transcript.tool_results[0].text
    assert result.text == "ok"
    while deep:
        deep = deep.pop("a")  # type: ignore[assignment]


async def test_a_model_that_breaks_its_contract_is_an_error_reply() -> None:
    nothing = await Agent(scripted(lambda _: None)).run("go")
    assert (nothing.stop_reason, nothing.text) == ("error", "")
    leaves = await Agent(scripted(SystemExit(2))).run("go")
    assert leaves.error_message == "SystemExit: 2"
    stops = await Agent(scripted(AssistantMessage(stop_reason="aborted"))).run("go")
    assert (stops.stop_reason, stops.error_message) == ("aborted", "aborted")


async def test_p003_what_was_cut_off_is_never_completed_and_run() -> None:
    ran: list[object] = []
    write = tool("write", lambda a, _: ran.append(a), properties={"path": STRING}, required=[])
    half = ToolCall("1", "write", {}, arguments_text='{"path": "out.tx', arguments_error="cut off inside a string")
    for stop_reason in ("length", "tool_calls", "incomplete"):
        model = scripted(calls_many(half, stop_reason=stop_reason), says("ok"))
        result = await Agent(model, tools=[write]).run("go")
        assert result.transcript.tool_results[0].is_error
    assert ran == []


async def test_p003_a_number_in_quotes_becomes_one_only_where_the_schema_asks() -> None:
    seen: list[object] = []
    both = tool("t", lambda a, _: seen.append(a), properties={"count": INTEGER, "code": STRING})
    await Agent(scripted(calls("t", count="3", code="3"), says("ok")), tools=[both]).run("go")
    assert seen == [{"count": 3, "code": "3"}]
