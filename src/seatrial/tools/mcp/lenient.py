"""A transport of the protocol library with a mender between it and the library."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import TracebackType
from typing import Any, cast

from mcp.client import Transport
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from seatrial.tools.mcp.mend import Mender
from seatrial.tools.mcp.wire import messages_in

Item = SessionMessage | Exception


class LenientTransport:
    """What another transport brings, mended; sets ``is_over`` once it brings nothing more."""

    def __init__(self, inner: Transport, is_over: asyncio.Event) -> None:
        self._inner = inner
        self._is_over = is_over

    async def __aenter__(self) -> tuple[LenientReader, LenientWriter]:
        reader, writer = await self._inner.__aenter__()
        mender = Mender()
        return LenientReader(reader, mender, self._is_over), LenientWriter(writer, mender)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, trace)


class LenientReader:
    """The reading half."""

    def __init__(self, inner: Any, mender: Mender, is_over: asyncio.Event) -> None:
        self._inner = inner
        self._mender = mender
        self._is_over = is_over

    @property
    def last_context(self) -> Any:
        """The context in which the last item was sent, where the transport knows it."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Item:
        """The next item."""
        return self._mended(await self._inner.receive())

    def __aiter__(self) -> LenientReader:
        return self

    async def __anext__(self) -> Item:
        try:
            return self._mended(await self._inner.__anext__())
        except BaseException:
            self._is_over.set()
            raise

    async def aclose(self) -> None:
        """Closes it."""
        await self._inner.aclose()

    async def __aenter__(self) -> LenientReader:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._is_over.set()
        return cast("bool | None", await self._inner.__aexit__(kind, error, trace))

    def _mended(self, item: Item) -> Item:
        if isinstance(item, ValidationError):
            return self._read_again(item)
        if not isinstance(item, SessionMessage):
            return item
        answer = item.message
        if isinstance(answer, JSONRPCResponse | JSONRPCError):
            mended = self._mender.mended(answer.model_dump(by_alias=True, exclude_unset=True))
            return SessionMessage(typed(mended), item.metadata)
        return item

    def _read_again(self, error: ValidationError) -> Item:
        """What the library could not read, read here; the error itself when that is no message either."""
        for message in _messages_behind(error):
            try:
                return SessionMessage(typed(self._mender.mended(message)))
            except ValidationError:
                continue
        return error


class LenientWriter:
    """The writing half."""

    def __init__(self, inner: Any, mender: Mender) -> None:
        self._inner = inner
        self._mender = mender

    async def send(self, item: SessionMessage, /) -> None:
        """Sends the item."""
        if isinstance(item.message, JSONRPCRequest):
            self._mender.sent(item.message.id, item.message.method)
        await self._inner.send(item)

    async def aclose(self) -> None:
        """Closes it."""
        await self._inner.aclose()

    def close(self) -> None:
        """Closes it at once."""
        self._inner.close()

    async def __aenter__(self) -> LenientWriter:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return cast("bool | None", await self._inner.__aexit__(kind, error, trace))


def typed(message: dict[str, Any]) -> Any:
    """The message as the library has it. Raises ValidationError."""
    return jsonrpc_message_adapter.validate_python(message, by_name=False)


def _messages_behind(error: ValidationError) -> Iterator[dict[str, Any]]:
    for detail in error.errors(include_url=False):
        value = detail["input"]
        if isinstance(value, dict) and "id" in value:
            yield value
            return
        if isinstance(value, str | bytes):
            yield from messages_in(value.encode("utf-8", "replace") if isinstance(value, str) else value)
            return
