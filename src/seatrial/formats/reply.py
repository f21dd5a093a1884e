"""One reply in the making: every dialect, streamed or whole, ends up in this builder."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import msgspec

from seatrial.core.content import AssistantBlock, ImageContent, ReasoningContent, TextContent, ToolCall, text_of
from seatrial.core.messages import AssistantMessage, StopReason
from seatrial.core.model import NoticeSink, ReasoningDelta, ToolCallDelta
from seatrial.core.text import clean_blocks, clean_json
from seatrial.core.usage import cost_of
from seatrial.errors import ProviderError
from seatrial.formats.calls import CallAssembler, CallRecord, Fragment, finished_calls
from seatrial.formats.live_text import LiveText
from seatrial.formats.reading import DEFAULT_READING, Reading
from seatrial.formats.stop_words import is_known, stop_reason_of
from seatrial.formats.text_calls import find_text_calls
from seatrial.formats.think_tags import Part, ThinkSplitter
from seatrial.formats.token_counts import read_cost, read_usage
from seatrial.formats.wire_json import whole_text

CUT = "the reply broke off before its end"
NO_DATA = "the reply holds no data"


class TextPart:
    """A run of text, or of reasoning with what the provider attached to it.

    ``details`` are pieces of JSON that make up its signature; ``is_from_text`` says that it stood in the answer's text.
    """

    __slots__ = ("data", "details", "is_from_text", "is_reasoning", "pieces", "signature", "wire_field")

    def __init__(self, *, is_reasoning: bool, wire_field: str | None = None) -> None:
        self.is_reasoning = is_reasoning
        self.is_from_text = not is_reasoning
        self.wire_field = wire_field
        self.pieces: list[str] = []
        self.signature: str | None = None
        self.data: str | None = None
        self.details: list[str] = []

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self.pieces)

    def as_block(self) -> TextContent | ReasoningContent | None:
        """The block, None for one without content."""
        text = whole_text("".join(self.pieces))
        if not self.is_reasoning:
            return TextContent(text) if text else None
        signature = f"[{','.join(self.details)}]" if self.details else self.signature
        if not text and signature is None and self.data is None:
            return None
        return ReasoningContent(text, signature=signature, data=self.data, wire_field=self.wire_field)


Piece = TextPart | CallRecord | ImageContent


class ReplyBuilder:
    """Takes what comes in the order in which it comes; `finish` gives the message.

    ``on_notice`` hears of text, reasoning and calls as they arrive.
    """

    def __init__(self, reading: Reading = DEFAULT_READING, on_notice: NoticeSink | None = None) -> None:
        self.reading = reading
        self.response_id = ""
        self.model = ""
        self.provider = ""
        self.api = ""
        self.stop_word: str | None = None
        self.is_ended = False
        self.has_data = False
        self._on_notice = on_notice
        self._parts: list[Piece] = []
        self._reclaimed = 0
        self._aside: deque[Piece] = deque()
        self._texts_aside = 0
        self._open_aside: dict[str | None, TextPart] = {}
        self._open_reasoning: dict[str | None, TextPart] = {}
        self._latest_reasoning: dict[str | None, TextPart] = {}
        self._calls = CallAssembler(reading.tool_names)
        self._splitter = ThinkSplitter(is_begun=reading.begins_with_thoughts) if reading.has_think_tags else None
        self._live = LiveText(on_notice, reading) if on_notice is not None else None
        self._usage: dict[str, Any] = {}
        self._refusal: list[str] = []
        self._filter_words: str | None = None
        self._failure: tuple[StopReason, ProviderError] | None = None
        self._warnings: list[str] = list(reading.remarks)

    @property
    def has_content(self) -> bool:
        """Whether anything for the reader has arrived."""
        return bool(self._parts or self._refusal)

    @property
    def failure(self) -> ProviderError | None:
        """What broke the reply off, if anything did."""
        return self._failure[1] if self._failure else None

    def add_text(self, text: str) -> None:
        """More of the answer, which may hold reasoning between tags. It stands behind all text that there is."""
        if not text:
            return
        if self._texts_aside:
            self._bring_back_texts()
        if self._splitter is None:
            self._append_text(text)
        else:
            self._take(self._splitter.feed(text))

    def add_reasoning(self, text: str, wire_field: str | None = None) -> TextPart:
        """More reasoning; goes on with the block before it when that is reasoning out of the same field."""
        self._settle_text()
        return self._add_reasoning(text, wire_field)

    def extend_reasoning(self, part: TextPart, text: str) -> None:
        """More text of a block that `begin_reasoning` gave."""
        if text:
            part.pieces.append(text)
            if self._on_notice is not None:
                self._on_notice(ReasoningDelta(whole_text(text)))

    def begin_reasoning(self, wire_field: str | None = None) -> TextPart:
        """A reasoning block of its own, which no other reasoning joins."""
        self._settle_text()
        self._open_reasoning.pop(wire_field, None)
        return self._begin_reasoning(wire_field)

    def latest_reasoning(self, wire_field: str) -> TextPart | None:
        """The latest reasoning block out of that field."""
        return self._latest_reasoning.get(wire_field)

    def add_image(self, image: ImageContent) -> None:
        """A picture in the answer."""
        self._settle_text()
        self._put(image)

    def add_call(self, *, id: str = "", name: str = "", arguments: Any = None) -> CallRecord:
        """A call that came whole, or whose pieces are known to belong together."""
        record = self._calls.begin(CallRecord(id=id, name=name))
        self._settle_text()
        self._put(record)
        self.add_call_text(record, arguments)
        return record

    def add_call_text(self, record: CallRecord, arguments: Any) -> None:
        """More arguments of a call that `add_call` began."""
        self._tell_call(record, record.add(arguments))

    def add_fragments(self, fragments: Iterable[Fragment]) -> None:
        """Pieces of calls that came together and whose labels may be missing or wrong."""
        self._calls.begin_delta()
        for fragment in fragments:
            record, text, is_new = self._calls.add(fragment)
            if is_new:
                self._settle_text()
                self._put(record)
            self._tell_call(record, text)

    def set_aside(self) -> None:
        """Takes away what there is, so that more can be put before it or between it."""
        self._aside.extend(self._parts)
        self._texts_aside = sum(map(_is_text, self._parts))
        self._open_aside = self._open_reasoning
        self._open_reasoning = {}
        self._parts.clear()

    def bring_back(self, last: TextPart | CallRecord | None = None) -> None:
        """Puts back what was set aside, up to ``last`` and with it, or all of it."""
        while self._aside and self._put_back() is not last:
            pass

    def bring_back_text(self) -> None:
        """Puts back the next text and what stands before it."""
        while self._texts_aside and not _is_text(self._put_back()):
            pass

    def _bring_back_texts(self) -> None:
        while self._texts_aside:
            self._put_back()

    def _put_back(self) -> Piece:
        part = self._aside.popleft()
        self._texts_aside -= _is_text(part)
        if not isinstance(part, TextPart) or not part.is_reasoning:
            self._put(part)
            return part
        self._parts.append(part)
        if self._open_aside.get(part.wire_field) is part:
            self._open_reasoning[part.wire_field] = part
        return part

    def add_refusal(self, text: str) -> None:
        """The model's words for why it does not answer."""
        if text:
            self._refusal.append(text)

    def add_usage(self, raw: Any) -> None:
        """Token counts; later ones replace earlier ones, number by number."""
        if isinstance(raw, dict):
            self._usage.update({key: value for key, value in raw.items() if value is not None})

    def note_filter(self, words: str) -> None:
        """What a content filter said of the answer."""
        self._filter_words = words

    def warn(self, text: str) -> None:
        """A remark for people."""
        if text not in self._warnings:
            self._warnings.append(text)

    def fail(self, reason: StopReason, error: ProviderError) -> None:
        """The reply is broken off; the first reason stays."""
        if self._failure is None:
            self._failure = (reason, error)

    def finish(self) -> AssistantMessage:
        """The message, with what has arrived so far."""
        self._settle_text()
        blocks = self._blocks()
        has_calls = bool(self._calls.records)
        if not has_calls and self.reading.has_text_calls:
            blocks, has_calls = self._with_text_calls(blocks)
        if self._live is not None:
            self._live.end(blocks)
        usage = read_usage(self._usage)
        cost_usd = cost_of(usage, self.reading.prices)
        stop_reason, error_message, error = self._ending(has_calls, blocks)
        message = AssistantMessage(
            content=blocks,
            api=self.reading.api or self.api,
            provider=self.reading.provider or self.provider,
            model=self.reading.model or self.model,
            response_id=self.response_id,
            usage=usage,
            cost_usd=read_cost(self._usage) if cost_usd is None else cost_usd,
            stop_reason=stop_reason,
            raw_stop_reason=self.stop_word,
            error_message=error_message,
            error_code=error.code if error is not None else None,
            can_retry=error.can_retry if error is not None else None,
            warnings=tuple(self._warnings),
        )
        return _storable(message)

    def _settle_text(self) -> None:
        """Text that was held back as a possible tag takes its place: what comes next stands behind it."""
        if self._splitter is not None and self._splitter.is_holding:
            self._bring_back_texts()
            self._take(self._splitter.end())

    def _add_reasoning(self, text: str, wire_field: str | None = None) -> TextPart:
        part = self._open_reasoning.get(wire_field)
        if part is None:
            part = self._open_reasoning[wire_field] = self._begin_reasoning(wire_field)
        self.extend_reasoning(part, text)
        return part

    def _begin_reasoning(self, wire_field: str | None) -> TextPart:
        part = TextPart(is_reasoning=True, wire_field=wire_field)
        self._parts.append(part)
        self._latest_reasoning[wire_field] = part
        return part

    def _put(self, part: Piece) -> None:
        self._open_reasoning.clear()
        self._parts.append(part)

    def _take(self, parts: list[Part]) -> None:
        for part in parts:
            if part.kind == "text":
                self._append_text(part.text)
            elif part.kind == "reasoning":
                self._add_reasoning(part.text).is_from_text = True
            else:
                self._reclaim()

    def _append_text(self, text: str) -> None:
        part = self._parts[-1] if self._parts else None
        if not isinstance(part, TextPart) or part.is_reasoning:
            part = TextPart(is_reasoning=False)
            self._put(part)
            if self._live is not None:
                self._live.end_block()
        part.pieces.append(text)
        if self._live is not None:
            self._live.add(text)

    def _reclaim(self) -> None:
        for part in self._parts[self._reclaimed :]:
            if isinstance(part, TextPart):
                part.is_reasoning = True
        self._reclaimed = len(self._parts)
        if self._live is not None:
            self._live.reclaim()

    def _tell_call(self, record: CallRecord, text: str) -> None:
        if self._on_notice is not None:
            self._on_notice(ToolCallDelta(record.position, whole_text(record.name), whole_text(text)))

    def _blocks(self) -> tuple[AssistantBlock, ...]:
        records = self._calls.records
        by_record: dict[int, ToolCall] = {}
        if records:
            seed = f"{self.reading.seed}|{self.response_id}"
            calls = finished_calls(records, seed=seed, tool_names=self.reading.tool_names)
            by_record = {id(record): call for record, call in zip(records, calls, strict=True)}
        blocks: list[AssistantBlock] = []
        for part in self._parts:
            match part:
                case CallRecord():
                    blocks.append(by_record[id(part)])
                case TextPart():
                    block = part.as_block()
                    if block is not None:
                        blocks.append(block)
                case _:
                    blocks.append(part)
        return tuple(blocks)

    def _with_text_calls(self, blocks: tuple[AssistantBlock, ...]) -> tuple[tuple[AssistantBlock, ...], bool]:
        found = find_text_calls(blocks, self.reading)
        for warning in found.warnings:
            self.warn(warning)
        return found.blocks, found.has_calls

    def _ending(
        self, has_calls: bool, blocks: tuple[AssistantBlock, ...]
    ) -> tuple[StopReason, str | None, ProviderError | None]:
        if self._failure is not None:
            reason, error = self._failure
            return reason, error.message, error
        if self._refusal:
            return "refusal", whole_text("".join(self._refusal)), None
        if self.stop_word is not None and not is_known(self.stop_word):
            self.warn(f"the provider ended with a word that has no known meaning: {self.stop_word!r}")
        reason = stop_reason_of(self.stop_word, has_calls=has_calls)
        match reason:
            case "refusal":
                text = text_of(blocks)
                return reason, self._filter_words or text or "the model refused to answer", None
            case "content_filter":
                return reason, self._filter_words or "the provider's content filter stopped the answer", None
            case "error" | "incomplete":
                ending = ProviderError(f"the provider ended the reply with {self.stop_word!r}", can_retry=True)
                return reason, ending.message, ending
            case _:
                return reason, None, None


def _is_text(part: Piece) -> bool:
    return isinstance(part, TextPart) and part.is_from_text


def failed_reply(error: ProviderError, reading: Reading, reason: StopReason = "error") -> AssistantMessage:
    """The message that stands for a request without a reply."""
    message = error.message
    if error.hint:
        stop = "" if error.hint.endswith(("?", "!", ".")) else "."
        message = f"{error.message}. {error.hint[0].upper()}{error.hint[1:]}{stop}"
    return AssistantMessage(
        api=reading.api,
        provider=reading.provider,
        model=reading.model,
        stop_reason=reason,
        error_message=message,
        error_code=error.code,
        can_retry=error.can_retry,
    )


def with_id(message: AssistantMessage, response_id: str) -> AssistantMessage:
    """The message under the provider's id for it, where it has none of its own."""
    return msgspec.structs.replace(message, response_id=message.response_id or response_id)


def _storable(message: AssistantMessage) -> AssistantMessage:
    """The message, changed only where no JSON could hold it: ids, names and words of servers are as odd as text."""
    try:
        msgspec.json.encode(message)
    except (UnicodeEncodeError, RecursionError):
        flat = msgspec.structs.replace(message, content=clean_blocks(message.content))
        clean = msgspec.convert(clean_json(msgspec.to_builtins(flat)), AssistantMessage)
        content = [
            old if isinstance(old, TextContent) else new
            for old, new in zip(message.content, clean.content, strict=True)
        ]
        return msgspec.structs.replace(clean, content=tuple(content))
    return message
