"""The chunks of a streamed chat completion -> the reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial.core.model import NoticeSink
from seatrial.formats.blocks import fragment_of, keep_thought_signature, read_content, read_reasoning_fields, text_in
from seatrial.formats.failures import error_inside, error_words
from seatrial.formats.reading import DEFAULT_READING, Reading
from seatrial.formats.reply import ReplyBuilder
from seatrial.formats.stream import ReplyStream
from seatrial.formats.tolerant import read_labels, read_message, read_stop_word


class ChatChunks:
    """Reads chunks; of several choices the one that comes first."""

    def __init__(self, builder: ReplyBuilder) -> None:
        self.builder = builder
        self._choice: int | None = None

    def read(self, event: Mapping[str, Any]) -> bool:
        """Takes a chunk. The end mark is a finish reason; ``[DONE]`` is known to the stream itself."""
        builder = self.builder
        if event.get("error") or event.get("type") == "error":
            words = error_words(event)
            if words is not None:
                builder.fail("error", error_inside(words))
        if builder.response_id:
            builder.add_usage(event.get("usage"))
        else:
            read_labels(builder, event)
        groq = event.get("x_groq")
        if isinstance(groq, dict):
            builder.add_usage(groq.get("usage"))
        choices = event.get("choices")
        if isinstance(choices, list):
            for choice in choices:
                if isinstance(choice, dict) and self._is_ours(choice):
                    self._read_choice(choice)
        elif isinstance(event.get("message"), dict) or isinstance(event.get("delta"), dict):
            self._read_choice(event)
        return False

    def _is_ours(self, choice: Mapping[str, Any]) -> bool:
        index = choice.get("index")
        if not isinstance(index, int):
            return True
        if self._choice is None:
            self._choice = index
        return index == self._choice

    def _read_choice(self, choice: Mapping[str, Any]) -> None:
        builder = self.builder
        read_stop_word(builder, choice)
        builder.add_usage(choice.get("usage"))
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._read_delta(delta)
        elif isinstance(choice.get("message"), dict) and not builder.has_content:
            read_message(builder, choice["message"])
        else:
            read_content(builder, choice.get("text"))
        _note_filter(builder, choice)

    def _read_delta(self, delta: Mapping[str, Any]) -> None:
        builder = self.builder
        read_reasoning_fields(builder, delta)
        read_content(builder, delta.get("content"))
        read_content(builder, delta.get("images"))
        builder.add_refusal(text_in(delta.get("refusal")))
        calls = delta.get("tool_calls")
        if isinstance(calls, dict):
            calls = [calls]
        if not calls and isinstance(delta.get("function_call"), dict):
            calls = [delta["function_call"]]
        if isinstance(calls, list) and calls:
            self._read_calls(calls)

    def _read_calls(self, calls: list[Any]) -> None:
        fragments = []
        for item in calls:
            fragment = fragment_of(item)
            if fragment is None:
                self.builder.warn("a piece of a tool call that is no object was left out")
                continue
            keep_thought_signature(self.builder, item)
            fragments.append(fragment)
        self.builder.add_fragments(fragments)


def chat_stream(reading: Reading = DEFAULT_READING, on_notice: NoticeSink | None = None) -> ReplyStream:
    """A stream of chat chunks."""
    return ReplyStream(ChatChunks(ReplyBuilder(reading, on_notice)))


def _note_filter(builder: ReplyBuilder, choice: Mapping[str, Any]) -> None:
    """Azure names the category that its filter found."""
    results = choice.get("content_filter_results")
    if isinstance(results, dict):
        found = [name for name, said in results.items() if isinstance(said, dict) and said.get("filtered") is True]
        if found:
            builder.note_filter(f"the provider's content filter stopped the answer: {', '.join(found)}")
