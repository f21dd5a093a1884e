"""The events of a streamed OpenAI response -> the reply."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from seatrial.core.model import NoticeSink
from seatrial.formats.blocks import settle_reasoning_item, text_in
from seatrial.formats.calls import CallRecord
from seatrial.formats.failures import error_inside, error_words
from seatrial.formats.reading import DEFAULT_READING, Reading
from seatrial.formats.reply import ReplyBuilder, TextPart
from seatrial.formats.response_items import Items, SaidText, said_in
from seatrial.formats.stream import ReplyStream
from seatrial.formats.tolerant import read_labels, read_output, read_output_end

REASONING_DELTAS = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
LAST_EVENTS = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})


class ResponseEvents:
    """Reads events. An item is known by its place in the output, else by its id.

    What an item or the whole response says at its end counts as far as it goes beyond what had come in pieces.
    """

    def __init__(self, builder: ReplyBuilder) -> None:
        self.builder = builder
        self._calls: Items[CallRecord] = Items()
        self._thoughts: Items[TextPart] = Items()
        self._texts: Items[SaidText] = Items()

    def read(self, event: Mapping[str, Any]) -> bool:
        """Takes an event; the one with the whole response is the last, and the end mark."""
        kind = text_in(event.get("type"))
        match kind:
            case "response.output_item.added" | "response.output_item.done":
                self._item(event, event.get("item"), is_done=kind.endswith("done"))
            case "response.output_text.delta":
                piece = text_in(event.get("delta"))
                self._said(event).text.append(piece)
                self.builder.add_text(piece)
            case "response.refusal.delta":
                piece = text_in(event.get("delta"))
                self._said(event).refusal.append(piece)
                self.builder.add_refusal(piece)
            case "response.function_call_arguments.delta":
                self.builder.add_call_text(self._call(event), text_in(event.get("delta")))
            case "response.function_call_arguments.done":
                self._settle_call(self._call(event), event.get("arguments"))
            case "error":
                self._fail(event)
            case _ if kind in REASONING_DELTAS:
                self.builder.extend_reasoning(self._thought(event), text_in(event.get("delta")))
            case _ if kind in LAST_EVENTS:
                self._end(event.get("response"))
                return True
            case _:
                pass
        return False

    def _item(self, event: Mapping[str, Any], item: Any, *, is_done: bool) -> None:
        if not isinstance(item, dict):
            return
        match item.get("type"):
            case "function_call":
                self._settle_call(self._call(event, item, is_done=is_done), item.get("arguments") if is_done else None)
            case "reasoning" if is_done:
                settle_reasoning_item(self.builder, self._thought(event, item), item)
            case "message" if is_done:
                self._message(event, item)
            case _:
                pass

    def _said(self, event: Mapping[str, Any]) -> SaidText:
        return self._texts.of_event(event) or self._texts.add(event, SaidText())

    def _thought(self, event: Mapping[str, Any], item: Mapping[str, Any] | None = None) -> TextPart:
        known = self._thoughts.of_event(event, item)
        return known if known is not None else self._thoughts.add(event, self.builder.begin_reasoning(), item)

    def _call(
        self, event: Mapping[str, Any], item: Mapping[str, Any] | None = None, *, is_done: bool = False
    ) -> CallRecord:
        call = self._calls.of_event(event, item)
        call_id, name = ("", "") if item is None else (text_in(item.get("call_id")), text_in(item.get("name")))
        if call is None:
            arguments = item.get("arguments") if item is not None and is_done else None
            call = self.builder.add_call(id=call_id, name=name, arguments=arguments)
            return self._calls.add(event, call, item)
        call.id = call_id or call.id
        call.name = name or call.name
        return call

    def _settle_call(self, call: CallRecord, arguments: Any) -> None:
        """The whole arguments, which stand above what the deltas gave."""
        if not isinstance(arguments, str) or not arguments:
            return
        told = call.text
        if arguments.startswith(told):
            if len(arguments) > len(told):
                self.builder.add_call_text(call, arguments[len(told) :])
        else:
            call.pieces = [arguments]

    def _message(self, event: Mapping[str, Any], item: Mapping[str, Any]) -> None:
        known = self._texts.of_event(event, item) or self._texts.claim_last(event, item, said_in(item).goes_on)
        if known is None:
            self._texts.add(event, said_in(item), item)
            read_output(self.builder, [item])
        else:
            self._add_rest(known, item)

    def _add_rest(self, told: SaidText, item: Mapping[str, Any]) -> None:
        """What the whole message says beyond its deltas."""
        text, refusal = told.take_rest(said_in(item))
        self.builder.add_text(text)
        self.builder.add_refusal(refusal)

    def _end(self, response: Any) -> None:
        self.builder.is_ended = True
        if not isinstance(response, dict):
            return
        read_labels(self.builder, response)
        self._fail(response)
        output = response.get("output")
        if isinstance(output, list):
            if self._calls or self._thoughts or self._texts:
                self._read_rest(output)
            else:
                read_output(self.builder, output)
        read_output_end(self.builder, response)

    def _read_rest(self, output: list[Any]) -> None:
        """What has not come in pieces. Text goes where it stands, calls behind those that were told."""
        self.builder.set_aside()
        new_calls = [item for place, item in enumerate(output) if isinstance(item, dict) and self._is_new(place, item)]
        self.builder.bring_back()
        read_output(self.builder, new_calls)

    def _is_new(self, place: int, item: Mapping[str, Any]) -> bool:
        """Whether the item is a call that is still to be read; whatever else is missing of an item is read here."""
        match item.get("type"):
            case "function_call":
                return not self._has_settled_call(place, item)
            case "reasoning" if (thought := self._thoughts.of_item(place, item, _is_any)) is not None:
                self.builder.bring_back(thought)
                settle_reasoning_item(self.builder, thought, item)
            case "message" | None if (told := self._texts.of_item(place, item, said_in(item).goes_on)) is not None:
                self.builder.bring_back_text()
                self._add_rest(told, item)
            case _:
                read_output(self.builder, [item])
        return False

    def _has_settled_call(self, place: int, item: Mapping[str, Any]) -> bool:
        call = self._calls.of_item(place, item, partial(_is_call, item))
        if call is None:
            return False
        self.builder.bring_back(call)
        self._settle_call(call, item.get("arguments"))
        return True

    def _fail(self, source: Mapping[str, Any]) -> None:
        if source.get("error") or source.get("type") == "error":
            words = error_words(source)
            if words is not None:
                self.builder.fail("error", error_inside(words))


def responses_stream(reading: Reading = DEFAULT_READING, on_notice: NoticeSink | None = None) -> ReplyStream:
    """A stream of the responses API."""
    return ReplyStream(ResponseEvents(ReplyBuilder(reading, on_notice)))


def _is_call(item: Mapping[str, Any], call: CallRecord) -> bool:
    call_id, name = text_in(item.get("call_id")), text_in(item.get("name"))
    return (not call.id or not call_id or call.id == call_id) and (not call.name or call.name == name)


def _is_any(_known: TextPart) -> bool:
    return True
