"""Function tools while they run."""

import asyncio
import contextvars
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.core.content import TextContent, text_of
from seatrial.core.tool import ToolContext, ToolOutput
from seatrial.errors import AbortedError, ToolError
from seatrial.providers.scripted import calls, says, scripted
from seatrial.tools.function import FunctionTool

REQUEST: contextvars.ContextVar[str] = contextvars.ContextVar("request", default="unset")


async def run(function: Any, context: ToolContext | None = None, **arguments: Any) -> ToolOutput:
    return await FunctionTool.of(function).run(arguments, context or ToolContext())


async def text(function: Any, context: ToolContext | None = None, **arguments: Any) -> str:
    return text_of((await run(function, context, **arguments)).content)


async def test_p008_blocking_functions_run_side_by_side_and_leave_the_loop_alone() -> None:
    both_inside = threading.Barrier(2, timeout=10)

    def blocks() -> str:
        both_inside.wait()
        return threading.current_thread().name

    names = await asyncio.gather(text(blocks), text(blocks))
    assert all(name != threading.main_thread().name for name in names)


async def test_y021_context_variables_of_the_caller_are_visible() -> None:
    REQUEST.set("req-7")
    assert await text(lambda: REQUEST.get()) == "req-7"


async def test_thread_main_runs_the_function_where_the_loop_runs() -> None:
    tool = FunctionTool.of(lambda: threading.current_thread() is threading.main_thread(), thread="main")
    assert text_of((await tool.run({}, ToolContext())).content) == "true"


async def test_async_functions_and_functions_that_return_awaitables_are_awaited() -> None:
    async def later() -> str:
        await asyncio.sleep(0)
        return "later"

    assert await text(later) == "later"
    assert await text(lambda: later()) == "later"


@pytest.mark.parametrize(
    "error",
    [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError("mine"), GeneratorExit(), StopIteration(1)],
    ids=lambda error: type(error).__name__,
)
async def test_p008_what_would_end_a_program_is_an_error_of_the_tool(error: BaseException) -> None:
    def ends() -> None:
        raise error

    with pytest.raises((ToolError, RuntimeError), match=type(error).__name__):
        await run(ends)


@pytest.mark.parametrize(
    "error", [SystemExit(3), asyncio.CancelledError("mine")], ids=lambda error: type(error).__name__
)
async def test_p008_an_async_function_cannot_end_the_program_either(error: BaseException) -> None:
    async def ends() -> None:
        raise error

    with pytest.raises(ToolError, match=type(error).__name__):
        await run(ends)


async def test_a_cancelled_call_passes_the_cancellation_on_and_drops_the_late_value() -> None:
    started, release = threading.Event(), threading.Event()

    def slow() -> str:
        started.set()
        release.wait(10)
        return "late"

    task = asyncio.ensure_future(run(slow))
    await asyncio.to_thread(started.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()


async def test_p008_prints_are_kept_with_the_result_each_with_its_own_call(capsys: pytest.CaptureFixture[str]) -> None:
    def talks(word: str) -> str:
        print(word)
        print("oh " + word, file=sys.stderr)
        sys.stdout.buffer.write(b"raw\n")
        return word

    one, two = await asyncio.gather(run(talks, word="one"), run(talks, word="two"))
    assert one.details == {"stdout": "one\nraw\n", "stderr": "oh one\n"}
    assert two.details == {"stdout": "two\nraw\n", "stderr": "oh two\n"}
    assert capsys.readouterr() == ("", "")


async def test_p008_what_a_failing_function_printed_is_told_as_progress_and_kept_with_its_error() -> None:
    told: list[str] = []

    def fails() -> None:
        print("got this far")
        raise ValueError("no further")

    with pytest.raises(ToolError, match="ValueError: no further") as raised:
        await run(fails, ToolContext(update=told.append))
    assert told == ["got this far\n"]
    assert raised.value.details == {"stdout": "got this far\n"}


async def test_p008_the_screen_is_back_after_the_call(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout
    await run(lambda: print("hidden"))
    print("shown")
    assert sys.stdout is before
    assert capsys.readouterr().out == "shown\n"


async def test_p008_others_may_print_while_a_tool_runs(capsys: pytest.CaptureFixture[str]) -> None:
    inside, release = threading.Event(), threading.Event()

    def waits() -> None:
        inside.set()
        release.wait(10)

    task = asyncio.ensure_future(run(waits))
    await asyncio.to_thread(inside.wait, 10)
    print("progress")
    release.set()
    await task
    assert capsys.readouterr().out == "progress\n"


async def test_generators_give_their_text_joined_and_tell_it_as_progress() -> None:
    told: list[str] = []

    def pieces() -> Iterator[str]:
        yield "a"
        yield "b"

    async def async_pieces() -> AsyncIterator[str]:
        yield "c"
        yield "d"

    assert await text(pieces, ToolContext(update=told.append)) == "ab"
    assert await text(async_pieces, ToolContext(update=told.append)) == "cd"
    assert await text(lambda: (number for number in (1, 2))) == "[1, 2]"
    assert told == ["a", "b", "c", "d"]


async def test_an_endless_generator_stops_with_the_run() -> None:
    signal = AbortSignal()

    def endless() -> Iterator[str]:
        while True:
            signal.set()
            yield "x"

    with pytest.raises(AbortedError):
        await run(endless, ToolContext(signal=signal))


async def test_an_endless_generator_stops_by_itself_in_the_end() -> None:
    def endless() -> Iterator[int]:
        while True:
            yield 1

    with pytest.raises(ToolError, match="more than 100,000 items"):
        await run(endless)


async def test_a_function_in_a_thread_tells_progress_and_calls_other_tools() -> None:
    told: list[tuple[str, bool]] = []

    async def other(name: str, arguments: dict[str, Any]) -> str:
        return f"{name} {arguments}"

    def uses(context: ToolContext) -> str:
        context.update("half-way")
        assert context.run_tool is not None
        answer: str = context.run_tool("other", {"a": 1})
        return answer

    def note(progress: str) -> None:
        told.append((progress, threading.current_thread() is threading.main_thread()))

    assert await text(uses, ToolContext(update=note, run_tool=other)) == "other {'a': 1}"
    assert told == [("half-way", True)]


async def test_an_output_of_the_functions_own_making_is_kept() -> None:
    def speaks() -> ToolOutput:
        print("aside")
        return ToolOutput((TextContent("said"),), details={"score": 1}, should_terminate=True)

    output = await run(speaks)
    assert output.content == (TextContent("said"),)
    assert output.should_terminate
    assert output.details == {"score": 1, "stdout": "aside\n"}


async def test_a_structured_value_is_kept_whole_for_graders() -> None:
    assert (await run(lambda: {"status": "shipped"})).details == {"value": {"status": "shipped"}}


async def test_arguments_that_the_function_does_not_take_never_reach_it() -> None:
    def only(a: int) -> int:
        return a

    assert await text(only, a=1, colour="red") == "1"


def test_y023_missing_arguments_are_named_in_the_schemas_order() -> None:
    def resize(width: str, height: str, tries: int = 1) -> None: ...

    assert FunctionTool.of(resize).check_arguments({}) == "Missing required arguments: width, height"
    assert FunctionTool.of(resize).check_arguments({"height": None, "width": 1}) is None


async def test_a_stuck_function_does_not_keep_others_from_running() -> None:
    release = threading.Event()
    stuck = [asyncio.ensure_future(run(lambda: release.wait(30))) for _ in range(40)]
    assert await asyncio.wait_for(text(lambda: "through"), 10) == "through"
    release.set()
    await asyncio.gather(*stuck)


async def test_p008_of_very_much_print_the_two_ends_are_kept() -> None:
    def loud() -> str:
        sys.stdout.write("BEGIN é")
        for _ in range(50):
            print("x" * 10_000)
        sys.stdout.buffer.write("é END".encode())
        return "done"

    printed = (await FunctionTool.of(loud).run({}, ToolContext())).details["stdout"]
    assert printed.startswith("BEGIN é")
    assert printed.endswith("é END")
    assert "480,064 bytes left out" in printed
    assert len(printed) < 21_000


async def test_p008_a_large_value_does_not_hold_up_the_loop() -> None:
    def rows() -> list[dict[str, Any]]:
        return [{"id": number, "name": f"row {number}"} for number in range(20_000)]

    async def rows_too() -> list[dict[str, Any]]:
        return rows()

    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    for function in (rows, rows_too):
        tool = FunctionTool.of(function, name="rows")
        counting = asyncio.ensure_future(count())
        before = turns
        result = await Agent(scripted(calls("rows"), says("done")), tools=[tool]).run("go")
        counting.cancel()
        told = result.transcript.tool_results[0]
        assert len(told.details["value"]) == 20_000
        assert told.left_out_chars > 100_000
        assert turns - before > 50
