"""One call while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import msgspec
from msgspec import UNSET

from seatrial.core.content import ResultBlock, TextContent, text_of
from seatrial.core.hooks import CallDone, Replace, call_hook
from seatrial.core.messages import ToolResultMessage
from seatrial.core.prepare import ReadyCall
from seatrial.core.scope import Scope
from seatrial.core.steps import Steps
from seatrial.core.text import clean_blocks, clean_text, shorten_middle
from seatrial.core.threads import in_thread
from seatrial.core.tool import ToolContext, ToolOutput, max_output_of, output_of
from seatrial.core.tool_errors import details_of, failed_hook, told
from seatrial.core.values import plain, text_of_plain
from seatrial.core.waiting import STOP_WAIT_S, stop_all, watch

# From here on bringing a result into its form takes long enough to hold up others.
_LARGE_CHARS = 100_000


class Executed(msgspec.Struct, frozen=True):
    """The result of a call that ran, and its wish to end the run."""

    result: ToolResultMessage
    output: ToolOutput


async def execute(ready: ReadyCall, context: ToolContext, scope: Scope) -> Executed:
    """Runs the tool and shows what it gave to the hooks. A tool or hook that raises gives an error result."""
    started = perf_counter()
    output = await _run(ready, context, scope.warn)
    duration_s = perf_counter() - started
    for problem in output.hook_errors:
        scope.hook_failed(problem)
    output = await _after_hooks(ready, output, scope)
    limit_chars = max_output_of(ready.tool) or scope.config.result_limit_chars
    work = partial(_result, ready, output, duration_s, limit_chars)
    result = await in_thread(work) if len(text_of(output.content)) > _LARGE_CHARS else work()
    return Executed(result, output)


async def _run(ready: ReadyCall, context: ToolContext, warn: Callable[[str], None]) -> ToolOutput:
    try:
        running = ready.tool.run(ready.arguments, context)
        if ready.tool.timeout_s is None:
            return output_of(await running)
        return await within(ready.tool.timeout_s, running, ready.call.name, warn)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return _failed("the tool cancelled itself")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the door of a tool call
        return replace(_failed(told(error)), details=details_of(error))


async def within(timeout_s: float, work: Awaitable[Any], name: str, warn: Callable[[str], None]) -> ToolOutput:
    """The output of a tool, or an error when its time is up; then it is cancelled, and watched if it stays.

    A tool that holds the event loop cannot be cancelled: its late output is dropped.
    """
    steps = Steps(work, timeout_s)
    running = asyncio.ensure_future(steps.run())
    try:
        done, _pending = await asyncio.wait((running,), timeout=timeout_s)
    except asyncio.CancelledError:
        running.cancel()
        await asyncio.wait((running,), timeout=STOP_WAIT_S / 2)
        watch(running, name)
        raise
    if done:
        output = output_of(running.result())
        return _failed(f"timed out after {timeout_s:g} s") if steps.held_too_long else output
    if await stop_all((running,)):
        warn(f"{name} timed out and has not stopped yet")
        watch(running, name)
    return _failed(f"timed out after {timeout_s:g} s")


async def _after_hooks(ready: ReadyCall, output: ToolOutput, scope: Scope) -> ToolOutput:
    for hook in reversed(scope.config.after_tool_call):
        done = CallDone(ready.call, ready.tool, ready.arguments, output, scope.context(), scope.signal)
        try:
            change = await call_hook(hook, done, scope.signal)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the door of a hook
            scope.signal.raise_if_set()
            scope.hook_failed(failed_hook("after", ready.call.name, error))
            return replace(output, content=_text(f"The check after the call failed: {told(error)}"), is_error=True)
        if isinstance(change, Replace):
            output = _changed(output, change)
        elif change is not None:
            kind = type(change).__name__
            scope.hook_failed(failed_hook("after", ready.call.name, f"it gave {kind}, which is no change"))
            why = f"The check after the call gave {kind}, which is no change."
            output = replace(output, content=_text(why), is_error=True)
    return output


def _changed(output: ToolOutput, change: Replace) -> ToolOutput:
    wanted = {name: value for name in change.__struct_fields__ if (value := getattr(change, name)) is not UNSET}
    content = wanted.get("content")
    if content is not None:
        wanted["content"] = _text(content) if isinstance(content, str) else tuple(content)
    if wanted.get("added_tool_names") is not None:
        wanted["added_tool_names"] = tuple(wanted["added_tool_names"])
    return replace(output, **wanted)


def _result(ready: ReadyCall, output: ToolOutput, duration_s: float, limit_chars: int) -> ToolResultMessage:
    content, left_out_chars = _shortened(clean_blocks(output.content), limit_chars)
    return ToolResultMessage(
        tool_call_id=ready.call.id,
        tool_name=ready.call.name,
        content=content,
        details=_details(output, is_cut=left_out_chars > 0),
        usage=output.usage,
        cost_usd=output.cost_usd,
        added_tool_names=output.added_tool_names,
        is_error=output.is_error,
        arguments=ready.arguments if ready.differs else None,
        duration_s=duration_s,
        left_out_chars=left_out_chars,
    )


def _details(output: ToolOutput, *, is_cut: bool) -> Any:
    """The details in JSON's terms; of a text that was cut they hold the whole, unless they hold it as a value."""
    try:
        details = plain(output.details)
    except Exception as error:  # noqa: BLE001 - the value is the tool's, so this is its door
        details = f"(these details cannot be shown: {told(error)})"
    if not is_cut:
        return details
    whole_text = clean_text(text_of(output.content))
    if details is None:
        return whole_text
    if not isinstance(details, dict) or text_of_plain(details.get("value", "")) == whole_text:
        return details
    return {**details, "text": whole_text}


def _shortened(content: tuple[ResultBlock, ...], limit_chars: int) -> tuple[tuple[ResultBlock, ...], int]:
    """The content within the limit, each text with its share of it, and how many characters that left out."""
    total = sum(len(block.text) for block in content if isinstance(block, TextContent))
    if total <= limit_chars:
        return content, 0
    shortened: list[ResultBlock] = []
    for block in content:
        if isinstance(block, TextContent):
            block = TextContent(shorten_middle(block.text, limit_chars * len(block.text) // total))
        shortened.append(block)
    return tuple(shortened), total - limit_chars


def _failed(why: str) -> ToolOutput:
    return ToolOutput(content=_text(f"Error: {why}"), is_error=True)


def _text(text: str) -> tuple[ResultBlock, ...]:
    return (TextContent(text),)
