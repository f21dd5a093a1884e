"""Conversations over several runs, and what is said while one goes on."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.simple_tools import Gate, tool

from seatrial.core.agent import Agent
from seatrial.core.context import AgentState
from seatrial.core.hooks import Allow, Ask, Hooks
from seatrial.core.limits import Limits
from seatrial.core.messages import AssistantMessage, ToolResultMessage, UserMessage
from seatrial.core.model import ModelRequest
from seatrial.providers.scripted import calls, calls_many, says, scripted


def texts(request: ModelRequest) -> list[str]:
    return [message.text for message in request.messages]


async def test_a_session_remembers_and_a_run_does_not() -> None:
    model = scripted("one", "two", "three")
    agent = Agent(model)
    session = agent.session()
    await session.run("first")
    second = await session.run("second")
    await agent.run("alone")
    assert [texts(request) for request in model.requests] == [["first"], ["first", "one", "second"], ["alone"]]
    assert [message.text for message in second.added.messages] == ["second", "two"]
    assert [message.text for message in session.messages] == ["first", "one", "second", "two"]


async def test_a_session_can_begin_with_a_history() -> None:
    model = scripted("ok")
    await Agent(model).session([UserMessage("a"), says("b")]).run("c")
    assert texts(model.requests[0]) == ["a", "b", "c"]


async def test_p019_the_same_session_called_at_once_waits_in_line() -> None:
    gate = Gate()
    model = scripted(calls("gate"), says("one"), says("two"), says("three"))
    session = Agent(model, tools=[gate.tool]).session()
    runs = [asyncio.ensure_future(session.run(text)) for text in ("a", "b", "c")]
    await gate.entered.wait()
    gate.go.set()
    assert [(await run).text for run in runs] == ["one", "two", "three"]
    assert texts(model.requests[-1]) == ["a", "", "passed", "one", "b", "two", "c"]


async def test_edge_123_a_hundred_runs_of_one_agent_do_not_meet() -> None:
    async def respond(request: ModelRequest, **_: object) -> AssistantMessage:
        await asyncio.sleep(0)
        last = request.messages[-1]
        if isinstance(last, ToolResultMessage):
            return says(f"{last.text} of {len(request.messages)}")
        return calls_many(("echo", {"q": last.text}))

    model = scripted()
    model.respond = respond  # type: ignore[method-assign,assignment]
    echo = tool("echo", lambda a, _: a["q"], properties={"q": {"type": "string"}})
    agent = Agent(model, tools=[echo])
    results = await asyncio.gather(*(agent.run(f"user {n}") for n in range(100)))
    assert [result.text for result in results] == [f"user {n} of 3" for n in range(100)]


async def test_edge_108_steering_comes_after_all_results_and_before_the_next_request() -> None:
    gate = Gate()
    model = scripted(calls_many(("gate", {}), ("a", {})), says("ok"))
    session = Agent(model, tools=[gate.tool, tool("a")]).session()
    run = asyncio.ensure_future(session.run("go"))
    await gate.entered.wait()
    session.steer("in French, please")
    gate.go.set()
    await run
    assert [message.role for message in model.requests[1].messages] == ["user", "assistant", "tool", "tool", "user"]
    assert texts(model.requests[1])[-1] == "in French, please"


async def test_edge_109_steering_during_the_final_answer_gives_one_more_turn() -> None:
    def late(_: ModelRequest) -> AssistantMessage:
        session.steer("one more thing")
        return says("first answer")

    model = scripted(late, says("second answer"))
    session = Agent(model).session()
    result = await session.run("go")
    assert (result.text, result.turns, result.undelivered) == ("second answer", 2, ())
    assert texts(model.requests[1]) == ["go", "first answer", "one more thing"]


async def test_edge_109_a_follow_up_waits_until_the_run_would_stop() -> None:
    model = scripted(calls("a"), says("first"), says("second"), says("third"))
    session = Agent(model, tools=[tool("a")]).session()
    session.follow_up("and then?")
    session.follow_up("and after that?")
    result = await session.run("go")
    assert texts(model.requests[1]) == ["go", "", "a"]
    assert texts(model.requests[-1]) == ["go", "", "a", "first", "and then?", "second", "and after that?"]
    assert result.text == "third"


async def test_edge_109_what_is_left_at_an_abort_is_reported_and_said_next_time() -> None:
    gate = Gate()
    model = scripted(calls("gate"), says("ok"), says("done"))
    session = Agent(model, tools=[gate.tool]).session()
    run = asyncio.ensure_future(session.run("go"))
    await gate.entered.wait()
    session.steer("be quick")
    session.follow_up("and tidy up")
    session.abort()
    result = await run
    assert [message.text for message in result.undelivered] == ["be quick", "and tidy up"]
    again = await session.run("go on")
    assert texts(model.requests[1])[-2:] == ["go on", "be quick"]
    assert (again.text, again.undelivered) == ("done", ())


async def test_steering_is_not_swallowed_by_a_limit() -> None:
    def late(_: ModelRequest) -> AssistantMessage:
        session.steer("more")
        return says("answer")

    session = Agent(scripted(late), limits=Limits(max_turns=1)).session()
    result = await session.run("go")
    assert (result.stop_reason, result.text) == ("stop", "answer")
    assert [message.text for message in result.undelivered] == ["more"]


async def test_abort_without_a_run_does_nothing() -> None:
    session = Agent(scripted("ok")).session()
    session.abort()
    assert (await session.run("go")).text == "ok"


async def test_y020_the_state_of_a_running_session_can_be_seen() -> None:
    gate = Gate()
    session = Agent(scripted(calls("gate"), says("ok")), tools=[gate.tool], system_prompt="Be kind.").session()
    assert session.state is None
    run = asyncio.ensure_future(session.run("go"))
    await gate.entered.wait()
    state = session.state
    assert isinstance(state, AgentState)
    assert (state.system_prompt, state.model.name, state.tools.names) == ("Be kind.", "scripted", ("gate",))
    assert [message.role for message in session.messages] == ["user", "assistant"]
    gate.go.set()
    await run


async def test_y020_the_last_error_is_kept_in_the_state() -> None:
    states: list[AgentState | None] = []
    session = Agent(scripted(says("", stop_reason="refusal"))).session()
    result = await session.run("go", sink=lambda _: states.append(session.state))
    assert states[-1] is not None
    assert states[-1].error_message == result.error_message == "refusal"


async def test_a_session_goes_on_after_an_approval_once() -> None:
    model = scripted(calls("a"), says("ok"), says("next"))
    session = Agent(model, tools=[tool("a")], hooks=Hooks(before_tool_call=lambda _: Ask("sure?"))).session()
    asked = await session.run("go")
    decisions = {asked.pending_approvals[0].call.id: Allow()}
    both = await asyncio.gather(session.resume(decisions), session.resume(decisions), return_exceptions=True)
    assert not isinstance(both[0], BaseException)
    assert both[0].text == "ok"
    assert isinstance(both[1], ValueError)
    assert (await session.run("more")).text == "next"


async def test_a_new_prompt_instead_of_an_approval_closes_the_call() -> None:
    model = scripted(calls("a"), says("fine"))
    session = Agent(model, tools=[tool("a")], hooks=Hooks(before_tool_call=lambda _: Ask())).session()
    await session.run("go")
    assert (await session.run("forget it")).text == "fine"
    sent = model.requests[1].messages
    assert [message.role for message in sent] == ["user", "assistant", "tool", "user"]
    with pytest.raises(ValueError, match="no tool call waits"):
        await session.resume({})


async def test_an_approval_is_over_once_another_run_has_begun_even_if_that_is_cancelled() -> None:
    gate = Gate()
    model = scripted(calls("a"), calls("gate"), says("never"))
    asks = Hooks(before_tool_call=lambda ahead: Ask() if ahead.call.name == "a" else None)
    session = Agent(model, tools=[tool("a"), gate.tool], hooks=asks).session()
    asked = await session.run("go")
    assert session.last_result is asked
    run = asyncio.ensure_future(session.run("something else"))
    await gate.entered.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert session.last_result is None
    with pytest.raises(ValueError, match="no tool call waits"):
        await session.resume({asked.pending_approvals[0].call.id: Allow()})
