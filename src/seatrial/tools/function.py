"""Tools that are Python functions of the user: any signature, blocking or not, any return value."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from seatrial.core.model import ToolSpec
from seatrial.core.schema import validate_required_args
from seatrial.core.threads import in_thread
from seatrial.core.tool import ExecutionMode, ToolContext, ToolOutput
from seatrial.core.tool_errors import told
from seatrial.errors import AbortedError, ToolError
from seatrial.tools.function_output import drained, function_output, gathered, with_printed
from seatrial.tools.parameter_schema import declared_schema
from seatrial.tools.printed import Printed
from seatrial.tools.signature import Signature, read_signature

ThreadMode = Literal["worker", "main"]
_MANY_ITEMS = 1000


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
    max_output_chars: int | None = None

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
        max_output_chars: int | None = None,
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
        return cls(spec, function, signature, tool_name, timeout_s, execution_mode, thread, max_output_chars)

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
                output = await self._output(arguments, context)
        except BaseException as error:
            texts = printed.texts()
            for text in texts.values():
                context.update(text)
            if isinstance(error, SystemExit) or (isinstance(error, asyncio.CancelledError) and not _is_cancelled()):
                raise ToolError(f"{type(error).__name__}: {error}".rstrip(": "), details=texts) from error
            if texts and isinstance(error, Exception) and not isinstance(error, AbortedError):
                raise ToolError(told(error), details=texts) from error
            raise
        return with_printed(output, printed.texts())

    async def _output(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        if self.thread == "main" or inspect.iscoroutinefunction(self.function):
            value = self._call(arguments, context)
        else:
            value = await in_thread(self._call_in_thread, arguments, _for_threads(context, asyncio.get_running_loop()))
        if inspect.isawaitable(value):
            value = await value
        if isinstance(value, AsyncIterator):
            value = await gathered(value, context)
        value = drained(value, context)
        is_large = isinstance(value, list | tuple | dict) and len(value) > _MANY_ITEMS
        return await in_thread(function_output, value) if is_large else function_output(value)

    def _call_in_thread(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """The call, where no Ctrl-C ever arrives: whatever is raised is the function's own doing, and an error.

        A value that needs no event loop becomes an output here, so that a large one holds up nobody.
        """
        try:
            value = self._call(arguments, context)
            needs_loop = inspect.isawaitable(value) or isinstance(value, AsyncIterator)
            return value if needs_loop else function_output(value)
        except BaseException as error:
            if isinstance(error, Exception):
                raise
            raise ToolError(f"{type(error).__name__}: {error}".rstrip(": ")) from error

    def _call(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        positional, named = self.signature.bind(arguments, context)
        return drained(self.function(*positional, **named), context)


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
