"""The events of a streamed Anthropic message -> the reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial.core.model import NoticeSink
from seatrial.formats.blocks import read_block
from seatrial.formats.calls import CallRecord
from seatrial.formats.failures import error_inside, error_words
from seatrial.formats.reading import DEFAULT_READING, Reading
from seatrial.formats.reply import ReplyBuilder, TextPart
from seatrial.formats.stream import ReplyStream
from seatrial.formats.tolerant import note_refusal, read_labels, read_message, read_stop_word

Block = CallRecord | TextPart | None


class MessageEvents:
    """Reads events. A delta belongs to the open block of its index, or to the last one where the index is missing."""

    def __init__(self, builder: ReplyBuilder) -> None:
        self.builder = builder
        self._blocks: dict[Any, Block] = {}
        self._last: Block = None

    def read(self, event: Mapping[str, Any]) -> bool:
        """Takes an event; ``message_stop`` is the last. The end mark is a stop reason."""
        match event.get("type"):
            case "message_start":
                self._begin(event.get("message"))
            case "content_block_start":
                self._begin_block(event.get("index"), event.get("content_block"))
            case "content_block_delta":
                self._delta(event.get("index"), event.get("delta"))
            case "message_delta":
                delta = event.get("delta")
                if isinstance(delta, dict):
                    read_stop_word(self.builder, delta)
                    note_refusal(self.builder, delta)
                self.builder.add_usage(event.get("usage"))
            case "message_stop":
                self.builder.is_ended = True
                return True
            case _ if event.get("error"):
                words = error_words(event)
                if words is not None:
                    self.builder.fail("error", error_inside(words))
            case _:
                pass
        return False

    def _begin(self, message: Any) -> None:
        if isinstance(message, dict):
            read_labels(self.builder, message)
            read_message(self.builder, message)

    def _begin_block(self, index: Any, block: Any) -> None:
        if not isinstance(block, dict):
            return
        opened: Block = None
        match block.get("type"):
            case "tool_use":
                opened = self._begin_call(block)
            case "thinking":
                opened = self.builder.begin_reasoning()
                self._add_thought(opened, block)
            case _:
                read_block(self.builder, block)
        self._blocks[_key(index)] = self._last = opened

    def _begin_call(self, block: Mapping[str, Any]) -> CallRecord:
        call_id, name = block.get("id"), block.get("name")
        return self.builder.add_call(
            id=call_id if isinstance(call_id, str) else "",
            name=name if isinstance(name, str) else "",
            arguments=block.get("input") or None,
        )

    def _delta(self, index: Any, delta: Any) -> None:
        if not isinstance(delta, dict):
            return
        block = self._blocks.get(_key(index), self._last)
        match delta.get("type"):
            case "text_delta":
                self.builder.add_text(_text(delta.get("text")))
            case "input_json_delta":
                if not isinstance(block, CallRecord):
                    block = self._blocks[_key(index)] = self._last = self.builder.add_call()
                self.builder.add_call_text(block, _text(delta.get("partial_json")))
            case "thinking_delta" | "signature_delta":
                if not isinstance(block, TextPart):
                    block = self._blocks[_key(index)] = self._last = self.builder.begin_reasoning()
                self._add_thought(block, delta)
            case _:
                pass

    def _add_thought(self, part: TextPart, piece: Mapping[str, Any]) -> None:
        self.builder.extend_reasoning(part, _text(piece.get("thinking")))
        signature = _text(piece.get("signature"))
        if signature:
            part.signature = (part.signature or "") + signature


def anthropic_stream(reading: Reading = DEFAULT_READING, on_notice: NoticeSink | None = None) -> ReplyStream:
    """A stream of Anthropic's events."""
    return ReplyStream(MessageEvents(ReplyBuilder(reading, on_notice)))


def _key(index: Any) -> Any:
    return index if isinstance(index, int) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
