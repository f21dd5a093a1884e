"""Tools that are Python functions of the user: any signature, blocking or not, any return value."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from seatrial.core.content import TextContent
from seatrial.core.model import ToolSpec
from seatrial.core.result_blocks import blocks_of
from seatrial.core.schema import validate_required_args
from seatrial.core.threads import in_thread
from seatrial.core.tool import ExecutionMode, ToolContext, ToolOutput
from seatrial.core.tool_errors import told
from seatrial.core.values import plain
from seatrial.errors import AbortedError, ToolError
from seatrial.tools.parameter_schema import declared_schema
from seatrial.tools.printed import Printed
from seatrial.tools.signature import Signature, read_signature
from seatrial.tools.user_module import load_function

ThreadMode = Literal["worker", "main"]
_MOST_ITEMS = 100_000


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A function with its description. Blocking functions run in a thread each, unless ``thread`` is ``main``."""

    spec: ToolSpec
    function: Callable[..., Any]
    signature: Signature
    label: str
    timeout_s: float | None = None
    execution_mode: ExecutionMode = "parallel"
    thread: ThreadMode = "worker"

    @classmethod
    def load(
        cls,
        file: Path,
        function: str,
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        examples: Sequence[str] = (),
        timeout_s: float | None = None,
        execution_mode: ExecutionMode = "parallel",
        thread: ThreadMode = "worker",
    ) -> FunctionTool:
        """The tool that a function of a Python file makes; the file's code runs. Raises `ToolError`."""
        return cls.of(
            load_function(file, function),
            name=name or function,
            description=description,
            parameters=parameters,
            examples=examples,
            timeout_s=timeout_s,
            execution_mode=execution_mode,
            thread=thread,
        )

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        examples: Sequence[str] = (),
        timeout_s: float | None = None,
        execution_mode: ExecutionMode = "parallel",
        thread: ThreadMode = "worker",
    ) -> FunctionTool:
        """The tool that a callable makes.

        ``parameters`` as an agent file declares them take the place of the schema from the signature; without a
        ``description`` the docstring's is used. Raises `ToolError` when the two do not fit together.
        """
        signature = read_signature(function)
        tool_name = name or str(getattr(function, "__name__", type(function).__name__))
        spec = ToolSpec(
            name=tool_name,
            description=description or signature.description or tool_name.replace("_", " "),
            parameters=signature.schema if parameters is None else _declared(parameters, signature),
            examples=tuple(examples),
        )
        return cls(spec, function, signature, tool_name, timeout_s, execution_mode, thread)

    def check_arguments(self, arguments: dict[str, Any]) -> str | None:
        """Names the required arguments that are missing."""
        return validate_required_args(arguments, self.spec.parameters)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Calls the function and turns what it gives into blocks.

        ``details`` holds a structured value in JSON's terms and what was printed. What a failing function printed is
        told as progress, and kept in the `ToolError` that its exception then comes out as; so do `SystemExit` and a
        cancellation of the function's own making.
        """
        printed = Printed()
        try:
            with printed.capture():
                value = await self._value(arguments, context)
        except BaseException as error:
            texts = printed.texts()
            for text in texts.values():
                context.update(text)
            if isinstance(error, SystemExit) or (isinstance(error, asyncio.CancelledError) and not _is_cancelled()):
                raise ToolError(f"{type(error).__name__}: {error}".rstrip(": "), details=texts) from error
            if texts and isinstance(error, Exception) and not isinstance(error, AbortedError):
                raise ToolError(told(error), details=texts) from error
            raise
        return _output(value, printed.texts())

    async def _value(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        if self.thread == "main" or inspect.iscoroutinefunction(self.function):
            value = self._call(arguments, context)
        else:
            value = await in_thread(self._call_in_thread, arguments, _for_threads(context, asyncio.get_running_loop()))
        if inspect.isawaitable(value):
            value = await value
        if isinstance(value, AsyncIterator):
            return await _gathered(value, context)
        return _drained(value, context)

    def _call_in_thread(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """The call, where no Ctrl-C ever arrives: whatever is raised is the function's own doing, and an error."""
        try:
            return self._call(arguments, context)
        except BaseException as error:
            if isinstance(error, Exception):
                raise
            raise ToolError(f"{type(error).__name__}: {error}".rstrip(": ")) from error

    def _call(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        positional, named = self.signature.bind(arguments, context)
        return _drained(self.function(*positional, **named), context)


def _declared(parameters: Mapping[str, Any], signature: Signature) -> dict[str, Any]:
    optional = frozenset(item.name for item in signature.parameters if not item.is_required)
    schema = declared_schema(parameters, optional)
    signature.check_declared(list(schema["properties"]))
    return schema


def _is_cancelled() -> bool:
    """Whether somebody outside asked for the end of this task."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _for_threads(context: ToolContext, loop: asyncio.AbstractEventLoop) -> ToolContext:
    """The same context for use beside the loop: progress is handed over, another tool's result is waited for."""
    run_tool = context.run_tool

    def update(text: str) -> None:
        loop.call_soon_threadsafe(context.update, text)

    def run_and_wait(name: str, arguments: dict[str, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(_awaited(run_tool, name, arguments), loop).result()

    return replace(context, update=update, run_tool=None if run_tool is None else run_and_wait)


async def _awaited(run_tool: Any, name: str, arguments: dict[str, Any]) -> Any:
    result = run_tool(name, arguments)
    return await result if inspect.isawaitable(result) else result


def _drained(value: Any, context: ToolContext) -> Any:
    """An iterator's items in full; any other value as it is. Pieces of text are told as progress."""
    if not isinstance(value, Iterator):
        return value
    items: list[Any] = []
    for item in value:
        _take(item, items, context)
    return _joined(items)


async def _gathered(pieces: AsyncIterator[Any], context: ToolContext) -> Any:
    items: list[Any] = []
    async for item in pieces:
        _take(item, items, context)
    return _joined(items)


def _take(item: Any, items: list[Any], context: ToolContext) -> None:
    context.signal.raise_if_set()
    if len(items) >= _MOST_ITEMS:
        raise ToolError(f"the function's iterator gave more than {_MOST_ITEMS:,} items")
    items.append(item)
    if isinstance(item, str):
        context.update(item)


def _joined(items: list[Any]) -> Any:
    return "".join(items) if items and all(isinstance(item, str) for item in items) else items


def _output(value: Any, printed: dict[str, str]) -> ToolOutput:
    if isinstance(value, ToolOutput):
        return replace(value, details=_with_printed(value.details, printed))
    content = blocks_of(value)
    as_json = plain(value) if len(content) == 1 and isinstance(content[0], TextContent) else None
    details = {"value": as_json} if isinstance(as_json, dict | list) else None
    return ToolOutput(content, details=_with_printed(details, printed))


def _with_printed(details: Any, printed: dict[str, str]) -> Any:
    if not printed:
        return details
    return {**(details if isinstance(details, dict) else {"value": details} if details is not None else {}), **printed}
