"""The events of a streamed OpenAI response -> the reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial.core.model import NoticeSink
from seatrial.formats.blocks import REASONING_ITEM, text_in
from seatrial.formats.calls import CallRecord
from seatrial.formats.failures import error_inside, error_words
from seatrial.formats.reading import DEFAULT_READING, Reading
from seatrial.formats.reply import ReplyBuilder, TextPart
from seatrial.formats.stream import ReplyStream
from seatrial.formats.tolerant import read_labels, read_output, read_output_end
from seatrial.formats.wire_json import encode

REASONING_DELTAS = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
LAST_EVENTS = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})


class ResponseEvents:
    """Reads events. An item is known by its place in the output, else by its id."""

    def __init__(self, builder: ReplyBuilder) -> None:
        self.builder = builder
        self._calls: dict[Any, CallRecord] = {}
        self._thoughts: dict[Any, TextPart] = {}
        self._told: set[Any] = set()

    def read(self, event: Mapping[str, Any]) -> bool:
        """Takes an event; the one with the whole response is the last, and the end mark."""
        kind = text_in(event.get("type"))
        key = _key(event)
        match kind:
            case "response.output_item.added" | "response.output_item.done":
                self._item(key, event.get("item"), is_done=kind.endswith("done"))
            case "response.output_text.delta":
                self._told.add(key)
                self.builder.add_text(text_in(event.get("delta")))
            case "response.refusal.delta":
                self._told.add(key)
                self.builder.add_refusal(text_in(event.get("delta")))
            case "response.function_call_arguments.delta":
                self.builder.add_call_text(self._call(key), text_in(event.get("delta")))
            case "response.function_call_arguments.done":
                self._settle(self._call(key), event.get("arguments"))
            case "error":
                self._fail(event)
            case _ if kind in REASONING_DELTAS:
                self.builder.extend_reasoning(self._thought(key), text_in(event.get("delta")))
            case _ if kind in LAST_EVENTS:
                self._end(event.get("response"))
                return True
            case _:
                pass
        return False

    def _item(self, key: Any, item: Any, *, is_done: bool) -> None:
        if not isinstance(item, dict):
            return
        match item.get("type"):
            case "function_call":
                call = self._call(key)
                call.id = text_in(item.get("call_id")) or call.id
                call.name = text_in(item.get("name")) or call.name
                if is_done:
                    self._settle(call, item.get("arguments"))
            case "reasoning" if is_done:
                self._keep_thought(key, item)
            case "message" if is_done and key not in self._told:
                read_output(self.builder, [item])
            case _:
                pass

    def _call(self, key: Any) -> CallRecord:
        if key not in self._calls:
            self._calls[key] = self.builder.add_call()
        return self._calls[key]

    def _settle(self, call: CallRecord, arguments: Any) -> None:
        """The whole arguments, which stand above what the deltas gave."""
        if isinstance(arguments, str) and arguments and arguments != call.text:
            call.pieces = [arguments]

    def _thought(self, key: Any) -> TextPart:
        if key not in self._thoughts:
            self._thoughts[key] = self.builder.begin_reasoning(REASONING_ITEM)
        return self._thoughts[key]

    def _keep_thought(self, key: Any, item: Mapping[str, Any]) -> None:
        part = self._thought(key)
        if not part.pieces:
            self.builder.extend_reasoning(part, text_in(item.get("summary")) or text_in(item.get("content")))
        if isinstance(item.get("encrypted_content"), str):
            part.signature = encode(item).decode()

    def _end(self, response: Any) -> None:
        self.builder.is_ended = True
        if not isinstance(response, dict):
            return
        read_labels(self.builder, response)
        self._fail(response)
        output = response.get("output")
        if not self.builder.has_content and isinstance(output, list):
            read_output(self.builder, output)
        read_output_end(self.builder, response)

    def _fail(self, source: Mapping[str, Any]) -> None:
        if source.get("error") or source.get("type") == "error":
            words = error_words(source)
            if words is not None:
                self.builder.fail("error", error_inside(words))


def responses_stream(reading: Reading = DEFAULT_READING, on_notice: NoticeSink | None = None) -> ReplyStream:
    """A stream of the responses API."""
    return ReplyStream(ResponseEvents(ReplyBuilder(reading, on_notice)))


def _key(event: Mapping[str, Any]) -> Any:
    index = event.get("output_index")
    return index if isinstance(index, int) else text_in(event.get("item_id"))
