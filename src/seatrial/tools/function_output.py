"""What a user's function gave back, gathered and turned into a tool's output."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

from seatrial.core.content import TextContent
from seatrial.core.result_blocks import NO_OUTPUT, blocks_of, holds_blocks
from seatrial.core.tool import ToolContext, ToolOutput
from seatrial.core.values import plain, text_of_plain
from seatrial.errors import ToolError

_MOST_ITEMS = 100_000


def drained(value: Any, context: ToolContext) -> Any:
    """An iterator's items in full; any other value as it is. Pieces of text are told as progress."""
    if not isinstance(value, Iterator):
        return value
    items: list[Any] = []
    for item in value:
        _take(item, items, context)
    return _joined(items)


async def gathered(pieces: AsyncIterator[Any], context: ToolContext) -> Any:
    """The same for an asynchronous iterator."""
    items: list[Any] = []
    async for item in pieces:
        _take(item, items, context)
    return _joined(items)


def function_output(value: Any) -> ToolOutput:
    """The value as blocks; one that is not plain text stands in JSON's terms in ``details["value"]`` too."""
    if isinstance(value, ToolOutput):
        return value
    if isinstance(value, str) or value is None or holds_blocks(value):
        return ToolOutput(blocks_of(value))
    as_json = plain(value)
    content = (TextContent(text_of_plain(as_json) or NO_OUTPUT),)
    return ToolOutput(content, details={"value": as_json} if isinstance(as_json, dict | list) else None)


def with_printed(output: ToolOutput, printed: dict[str, str]) -> ToolOutput:
    """The output with what the function wrote to ``stdout`` and ``stderr`` among its details."""
    if not printed:
        return output
    details = output.details
    if not isinstance(details, dict):
        details = {} if details is None else {"value": details}
    return replace(output, details={**details, **printed})


def _take(item: Any, items: list[Any], context: ToolContext) -> None:
    context.signal.raise_if_set()
    if len(items) >= _MOST_ITEMS:
        raise ToolError(f"the function's iterator gave more than {_MOST_ITEMS:,} items")
    items.append(item)
    if isinstance(item, str):
        context.update(item)


def _joined(items: list[Any]) -> Any:
    return "".join(items) if items and all(isinstance(item, str) for item in items) else items
