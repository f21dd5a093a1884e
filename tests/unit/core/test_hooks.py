"""Hooks that allow, deny, change, answer and replace."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.simple_tools import INTEGER, tool

from seatrial.core.agent import Agent
from seatrial.core.content import TextContent
from seatrial.core.events import AgentEvent, ToolEnded, ToolStarted
from seatrial.core.hooks import (
    Allow,
    Answer,
    CallAhead,
    CallDone,
    Deny,
    Hooks,
    Modify,
    Replace,
    RequestChange,
)
from seatrial.core.messages import ToolResultMessage, UserMessage
from seatrial.core.result import RunResult
from seatrial.core.tool import SimpleTool, ToolOutput
from seatrial.core.usage import Usage
from seatrial.errors import AbortedError
from seatrial.providers.scripted import calls, calls_many, says, scripted


class Counted:
    """A tool that keeps what it was called with."""

    def __init__(self, output: Any = "ran", name: str = "t") -> None:
        self.seen: list[dict[str, Any]] = []
        self.tool: SimpleTool = tool(name, self._run, properties={"n": INTEGER}, required=[])
        self._output = output

    async def _run(self, arguments: dict[str, Any], _context: object) -> Any:
        self.seen.append(arguments)
        return self._output


async def run_with(hooks: Hooks, counted: Counted, **arguments: Any) -> ToolResultMessage:
    result = await Agent(scripted(calls("t", **arguments), says("ok")), tools=[counted.tool], hooks=hooks).run("go")
    assert result.text == "ok"
    return result.transcript.tool_results[0]


@pytest.mark.parametrize("verdict", [None, Allow()])
@pytest.mark.parametrize("is_async", [True, False])
async def test_y021_hooks_may_be_plain_or_async_functions(verdict: Allow | None, is_async: bool) -> None:
    async def before(_: CallAhead) -> Allow | None:
        return verdict

    async def after(_: CallDone) -> Replace:
        return Replace(content="replaced")

    plain = Hooks(before_tool_call=lambda _: verdict, after_tool_call=lambda _: Replace(content="replaced"))
    counted = Counted()
    result = await run_with(Hooks(before, after) if is_async else plain, counted, n=1)
    assert (counted.seen, result.text) == ([{"n": 1}], "replaced")


async def test_y021_a_hook_sees_the_call_its_checked_arguments_and_the_context() -> None:
    seen: list[CallAhead | CallDone] = []
    hooks = Hooks(before_tool_call=seen.append, after_tool_call=seen.append)
    await run_with(hooks, Counted(), n="4")
    ahead, done = seen
    assert isinstance(ahead, CallAhead)
    assert isinstance(done, CallDone)
    assert (ahead.call.arguments, ahead.arguments, ahead.tool.spec.name) == ({"n": "4"}, {"n": 4}, "t")
    assert [message.role for message in ahead.context.messages] == ["user", "assistant"]
    assert ahead.context.tools.names == ("t",)
    assert done.output.content == (TextContent("ran"),)


async def test_edge_087_a_denied_call_does_not_run_and_its_events_are_paired() -> None:
    counted, events, after = Counted(), [], []

    def sink(event: AgentEvent) -> None:
        if isinstance(event, ToolStarted | ToolEnded):
            events.append(type(event))

    hooks = Hooks(before_tool_call=lambda _: Deny("not on Sundays"), after_tool_call=after.append)
    result = await Agent(scripted(calls("t"), says("ok")), tools=[counted.tool], hooks=hooks).run("go", sink=sink)
    told = result.transcript.tool_results[0]
    assert told.text == "Denied: not on Sundays"
    assert (told.is_error, told.was_executed, counted.seen, after) == (True, False, [], [])
    assert events == [ToolStarted, ToolEnded]


async def test_edge_088_changed_arguments_are_checked_again_and_both_versions_kept() -> None:
    counted = Counted()
    hooks = Hooks(before_tool_call=lambda _: Modify({"n": "5"}))
    result = await Agent(scripted(calls("t", n=1), says("ok")), tools=[counted.tool], hooks=hooks).run("go")
    assert counted.seen == [{"n": 5}]
    assert result.transcript.tool_calls[0].arguments == {"n": 1}
    assert result.transcript.tool_results[0].arguments == {"n": 5}


async def test_edge_088_changed_arguments_that_do_not_fit_are_an_error() -> None:
    counted = Counted()
    told = await run_with(Hooks(before_tool_call=lambda _: Modify({"n": "many"})), counted, n=1)
    assert (counted.seen, told.is_error) == ([], True)
    assert "n: " in told.text


async def test_edge_089_a_hook_that_raises_before_the_call_denies_it() -> None:
    def before(_: CallAhead) -> None:
        raise LookupError("no policy")

    counted = Counted()
    told = await run_with(Hooks(before_tool_call=before), counted)
    assert (counted.seen, told.is_error) == ([], True)
    assert "LookupError: no policy" in told.text


async def test_edge_089_a_hook_that_raises_after_the_call_makes_it_an_error() -> None:
    def after(_: CallDone) -> None:
        raise LookupError("no policy")

    told = await run_with(Hooks(after_tool_call=after), Counted(output="secret"))
    assert told.is_error
    assert "LookupError: no policy" in told.text
    assert "secret" not in told.text


@pytest.mark.parametrize("answer", [True, "yes", {"deny": True}])
async def test_a_hook_that_gives_no_decision_denies(answer: Any) -> None:
    counted = Counted()
    told = await run_with(Hooks(before_tool_call=lambda _: answer), counted)
    assert (counted.seen, told.is_error) == ([], True)
    after = await run_with(Hooks(after_tool_call=lambda _: answer), Counted())
    assert after.is_error


async def test_edge_090_what_a_hook_does_not_replace_stays() -> None:
    output = ToolOutput((TextContent("x"),), details={"a": 1, "b": 2}, usage=Usage(1, 2))
    unchanged = await run_with(Hooks(after_tool_call=lambda _: None), Counted(output))
    emptied = await run_with(Hooks(after_tool_call=lambda _: Replace(content=[])), Counted(output))
    replaced = await run_with(
        Hooks(after_tool_call=lambda _: Replace(details={"c": 3}, is_error=True)), Counted(output)
    )
    assert (unchanged.text, unchanged.details, unchanged.usage) == ("x", {"a": 1, "b": 2}, Usage(1, 2))
    assert (emptied.content, emptied.details) == ((), {"a": 1, "b": 2})
    assert (replaced.text, replaced.details, replaced.is_error) == ("x", {"c": 3}, True)


async def test_edge_091_hooks_run_in_order_before_and_in_reverse_after() -> None:
    log: list[str] = []

    def before(name: str) -> Any:
        def hook(ahead: CallAhead) -> Modify:
            log.append(f"{name} saw {ahead.arguments['n']}")
            return Modify({"n": ahead.arguments["n"] + 1})

        return hook

    def after(name: str) -> Any:
        return lambda _: log.append(name)

    hooks = Hooks(before_tool_call=[before("first"), before("second")], after_tool_call=[after("A"), after("B")])
    counted = Counted()
    await run_with(hooks, counted, n=1)
    assert log == ["first saw 1", "second saw 2", "B", "A"]
    assert counted.seen == [{"n": 3}]


async def test_edge_091_the_first_that_denies_decides() -> None:
    asked: list[str] = []
    hooks = Hooks(before_tool_call=[lambda _: Modify({"n": 9}), lambda _: Deny("no"), lambda _: asked.append("third")])
    counted = Counted()
    told = await run_with(hooks, counted, n=1)
    assert (told.text, counted.seen, asked) == ("Denied: no", [], [])


async def test_edge_092_a_hook_may_answer_in_the_tools_place() -> None:
    counted = Counted()
    told = await run_with(Hooks(before_tool_call=lambda _: Answer("cached", details={"hit": True})), counted)
    assert (told.text, told.details, told.is_error, told.was_executed) == ("cached", {"hit": True}, False, False)
    assert counted.seen == []


async def test_edge_093_the_run_ends_when_every_result_of_the_batch_asks_for_it() -> None:
    ends = Counted(ToolOutput((TextContent("bye"),), should_terminate=True))
    goes_on = tool("u")
    model = scripted(calls_many(("t", {}), ("u", {})), calls_many(("t", {}), ("t", {})), says("never"))
    result = await Agent(model, tools=[ends.tool, goes_on]).run("go")
    assert (result.stop_reason, len(model.requests), len(result.transcript.tool_results)) == ("terminated", 2, 4)
    by_hook = Hooks(after_tool_call=lambda _: Replace(should_terminate=True))
    result = await Agent(scripted(calls("u")), tools=[goes_on], hooks=by_hook).run("go")
    assert result.stop_reason == "terminated"


async def test_edge_094_a_result_may_add_tools_from_the_next_request_on() -> None:
    opens = Counted(ToolOutput((TextContent("open"),), added_tool_names=("b", "b", "nowhere")))
    model = scripted(calls("t"), calls_many(("b", {}), ("t", {})), says("ok"))
    agent = Agent(model, tools=[opens.tool], deferred_tools=[tool("a"), tool("b")])
    result = await agent.run("go")
    offered = [[spec.name for spec in request.tools] for request in model.requests]
    assert offered == [["t"], ["t", "b"], ["t", "b"]]
    assert model.requests[1].tools is model.requests[2].tools
    assert result.transcript.tool_results[1].text == "b"
    assert result.warnings == ("t adds the tool 'nowhere', which there is not",)


async def test_edge_094_a_saved_history_offers_its_added_tools_again() -> None:
    opens = Counted(ToolOutput((TextContent("open"),), added_tool_names=("b",)))
    agent = Agent(scripted(calls("t"), says("ok")), tools=[opens.tool], deferred_tools=[tool("b")])
    saved = RunResult.from_json((await agent.run("go")).to_json())
    model = scripted(calls("b"), says("ok"))
    again = Agent(model, tools=[opens.tool], deferred_tools=[tool("b")])
    result = await again.run("more", history=saved.transcript.messages)
    assert [spec.name for spec in model.requests[0].tools] == ["t", "b"]
    assert result.added.tool_results[0].text == "b"


async def test_a_request_hook_may_change_what_is_sent() -> None:
    def trimmed(context: Any) -> RequestChange:
        return RequestChange(messages=context.messages[-1:], system_prompt=f"{context.system_prompt} Today is Monday.")

    model = scripted(says("ok"))
    agent = Agent(model, system_prompt="Be brief.", hooks=Hooks(before_request=trimmed))
    result = await agent.run("two", history=[UserMessage("one"), says("yes")])
    assert [message.text for message in model.requests[0].messages] == ["two"]
    assert model.requests[0].system_prompt == "Be brief. Today is Monday."
    assert [message.text for message in result.transcript.messages] == ["one", "yes", "two", "ok"]


async def test_a_request_hook_may_change_the_tools_for_good() -> None:
    turns: list[int] = []

    def swap(_: object) -> RequestChange | None:
        turns.append(1)
        return RequestChange(tools=[tool("b")]) if len(turns) == 2 else None

    model = scripted(calls("a"), calls_many(("a", {}), ("b", {})), says("ok"))
    result = await Agent(model, tools=[tool("a")], hooks=Hooks(before_request=swap)).run("go")
    assert [[spec.name for spec in request.tools] for request in model.requests] == [["a"], ["b"], ["b"]]
    assert [item.is_error for item in result.transcript.tool_results] == [False, True, False]


async def test_a_request_hook_that_raises_ends_the_run_in_words() -> None:
    def broken(_: object) -> None:
        raise KeyError("date")

    model = scripted(says("never"))
    result = await Agent(model, hooks=Hooks(before_request=broken)).run("go")
    assert (result.stop_reason, model.requests) == ("error", [])
    assert result.error_message is not None
    assert "KeyError" in result.error_message


async def test_a_hook_that_says_aborted_denies_and_does_not_end_the_run() -> None:
    def raises(_: object) -> None:
        raise AbortedError("my own signal")

    before = await run_with(Hooks(before_tool_call=raises), Counted())
    after = await run_with(Hooks(after_tool_call=raises), Counted())
    assert before.is_error
    assert after.is_error


def _raises(_: object) -> None:
    raise KeyError("user_id")


@pytest.mark.parametrize(
    ("hooks", "told"),
    [
        (Hooks(before_tool_call=_raises), "the hook before_tool_call failed at t in test_hooks.py:"),
        (Hooks(after_tool_call=_raises), "the hook after_tool_call failed at t in test_hooks.py:"),
        (Hooks(before_tool_call=lambda _: "no"), "before_tool_call failed at t: it gave str, which is no decision"),  # type: ignore[arg-type,return-value]
        (Hooks(after_tool_call=lambda _: "no"), "after_tool_call failed at t: it gave str, which is no change"),  # type: ignore[arg-type,return-value]
    ],
)
async def test_a_hook_that_fails_is_known_to_the_run_not_only_to_the_model(hooks: Hooks, told: str) -> None:
    model = scripted(calls("t", n=1), calls("t", n=2), says("ok"))
    result = await Agent(model, tools=[Counted().tool], hooks=hooks).run("go")
    assert len(result.hook_errors) == 1
    assert told in result.hook_errors[0]
    assert result.hook_errors == result.warnings
    assert RunResult.from_json(result.to_json()).hook_errors == result.hook_errors


async def test_a_hook_that_denies_has_not_failed() -> None:
    hooks = Hooks(before_tool_call=lambda _: Deny("no"))
    result = await Agent(scripted(calls("t", n=1), says("ok")), tools=[Counted().tool], hooks=hooks).run("go")
    assert result.hook_errors == ()
