"""A streamed reply: bytes in any cut -> one message, the same for every cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from seatrial.core.messages import AssistantMessage, StopReason
from seatrial.errors import ProviderError
from seatrial.formats.reply import CUT, NO_DATA, ReplyBuilder
from seatrial.formats.sse import BOM, SseReader
from seatrial.formats.tolerant import no_json, read_reply
from seatrial.formats.wire_json import UnreadableJsonError, decode
from seatrial.http_client.words import preview

BLANK = b" \t\r\n"
STREAM_TYPES = frozenset({"text/event-stream", "application/x-ndjson"})


class EventReader(Protocol):
    """Reads the decoded events of one stream into its ``builder``."""

    builder: ReplyBuilder

    def read(self, event: Mapping[str, Any]) -> bool:
        """Takes an event; True when it is the last one. Sets ``builder.is_ended`` at the dialect's end mark."""


class EventSplitter(Protocol):
    """Cuts bytes into events."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """The events that ``chunk`` completes."""

    def end(self) -> list[bytes]:
        """The event that the end completes."""


class ReplyStream:
    """One streamed reply. A server that answers with a plain body instead of events is understood too."""

    def __init__(self, reader: EventReader, splitter: EventSplitter | None = None) -> None:
        self.builder = reader.builder
        self._reader = reader
        self._splitter = splitter or SseReader()
        self._may_be_body = splitter is None
        self._head = b""
        self._body: list[bytes] | None = None
        self._is_begun = False
        self._is_done = False

    def feed(self, chunk: bytes) -> bool:
        """Takes bytes; True when the reply is whole and nothing more is wanted."""
        if not self._is_begun:
            chunk = self._begin(chunk)
        if self._body is not None:
            self._body.append(chunk)
            return False
        for data in self._splitter.feed(chunk):
            self._read(data)
        return self._is_done

    def fail(self, reason: StopReason, error: ProviderError) -> None:
        """Says that nothing more will come, and why."""
        self.builder.fail(reason, error)

    def end(self) -> AssistantMessage:
        """The message. A stream without its end mark is ``incomplete``, one without data an error."""
        if self._body is not None:
            self._read_body(b"".join(self._body))
        else:
            for data in self._splitter.end():
                self._read(data)
        builder = self.builder
        if builder.failure is None and not builder.has_data:
            builder.fail("error", ProviderError(NO_DATA, can_retry=True))
        elif builder.failure is None and not builder.is_ended:
            builder.fail("incomplete", ProviderError(CUT, can_retry=True))
        return builder.finish()

    def _begin(self, chunk: bytes) -> bytes:
        """Looks at the first byte: events, or a body that is one document."""
        self._head += chunk
        seen = self._head.removeprefix(BOM).lstrip(BLANK)
        if not seen or BOM.startswith(self._head):
            return b""
        self._is_begun = True
        if seen[:1] == b"<" or (self._may_be_body and seen[:1] in (b"{", b"[")):
            self._body = []
        return self._head

    def _read(self, data: bytes) -> None:
        if self._is_done:
            return
        for piece in _documents(data):
            if piece.strip().upper() in (b"[DONE]", b"DONE"):
                self._is_done = self.builder.is_ended = True
                return
            self._read_document(piece)

    def _read_document(self, piece: bytes) -> None:
        try:
            event = decode(piece)
        except UnreadableJsonError:
            if piece.lstrip()[:1] == b"{":
                text = piece.decode("utf-8", "replace")
                self.builder.fail(
                    "error", ProviderError(f"an event of the stream is no JSON: {preview(text)}", can_retry=True)
                )
            return
        if isinstance(event, dict):
            self.builder.has_data = True
            self._is_done = self._reader.read(event)

    def _read_body(self, body: bytes) -> None:
        try:
            value = decode(body)
        except UnreadableJsonError:
            self.builder.fail("error", no_json(body))
            return
        read_reply(self.builder, value)
        self.builder.is_ended = True


def read_streamed_body(stream: ReplyStream, body: bytes) -> AssistantMessage:
    """The message in all bytes of a stream at once."""
    stream.feed(body)
    return stream.end()


def is_streamed_body(content_type: str, body: bytes) -> bool:
    """Whether a body is a stream of events, which some servers send also when they were asked for a whole reply."""
    if content_type.partition(";")[0].strip().lower() in STREAM_TYPES:
        return True
    return body.removeprefix(BOM).lstrip(BLANK).startswith((b"data:", b"event:"))


def _documents(data: bytes) -> Iterator[bytes]:
    """An event's data; where servers leave the blank line out, each of its lines."""
    if b"\n" not in data:
        yield data
        return
    try:
        decode(data)
    except UnreadableJsonError:
        yield from data.split(b"\n")
    else:
        yield data
