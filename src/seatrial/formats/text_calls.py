"""Tool calls that a model wrote into its text, in the dialects of open models.

They are taken for calls only where the offered tools confirm the name and the markup stands apart: not in code, not in
the middle of a sentence. Everything else stays text, with a warning. The time it takes grows with the text's length and
no faster, whatever stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from seatrial.core.content import AssistantBlock, TextContent, ToolCall
from seatrial.formats.arguments import FENCE_HEAD, without_fence
from seatrial.formats.call_dialects import CLOSINGS, MARKER, MARKERS, MARKUPS, Markup, WrittenCall, calls_in_json
from seatrial.formats.calls import CallRecord, finished_calls
from seatrial.formats.reading import Reading

BARE_BEGUN = re.compile(rf"\A\s*(?:{FENCE_HEAD}\s*)?(?:\[\s*)?\{{")
BARE_MAY_BEGIN = re.compile(rf"\A\s*(?:`{{0,2}}|{FENCE_HEAD}\s*)(?:\[\s*)?\Z")
MAY_HOLD_CALL = re.compile("|".join(re.escape(opening) for opening in (*MARKERS, "{")))
NAME_IN_PIECE = re.compile(r'"name"\s*:\s*"([^"]+)"|<function=([^<>\s]+)>|<invoke name="([^"]+)"')
BLANKS_OF_LINE = re.compile(r"[^\S\n]*")
MARKUP_OF = {markup.opening: markup for markup in MARKUPS}
CUT_OFF = "the call was cut off before its end, send it again whole"


class TextCalls(NamedTuple):
    """The blocks with the calls taken out of the text and put in their place."""

    blocks: tuple[AssistantBlock, ...]
    has_calls: bool
    warnings: tuple[str, ...] = ()


def may_hold_call(text: str) -> bool:
    """Whether anything in the text could be the beginning of a call."""
    return MAY_HOLD_CALL.search(text) is not None


def find_text_calls(blocks: tuple[AssistantBlock, ...], reading: Reading) -> TextCalls:
    """Looks for calls in the text blocks; a call that was cut off is kept with its error, so that it is not run."""
    texts = [block for block in blocks if isinstance(block, TextContent)]
    if not any(MAY_HOLD_CALL.search(block.text) for block in texts):
        return TextCalls(blocks, False)
    if len(texts) == 1 and reading.tool_names:
        bare = _bare_calls(texts[0].text, reading)
        if bare:
            rest = tuple(block for block in blocks if not isinstance(block, TextContent))
            return TextCalls((*rest, *_as_calls(bare, reading)), True)
    found: list[AssistantBlock | WrittenCall] = []
    warnings: dict[str, None] = {}
    for block in blocks:
        if isinstance(block, TextContent):
            found.extend(_Split(block.text, reading, warnings))
        else:
            found.append(block)
    written = [piece for piece in found if isinstance(piece, WrittenCall)]
    if not written:
        return TextCalls(blocks, False, tuple(warnings))
    calls = iter(_as_calls(written, reading))
    settled = tuple(next(calls) if isinstance(piece, WrittenCall) else piece for piece in _without_blanks(found))
    return TextCalls(settled, True, tuple(warnings))


def is_bare_call_begun(text: str) -> bool:
    """Whether a text that begins like this may be nothing but a call in JSON."""
    return BARE_BEGUN.match(text) is not None


def may_begin_bare_call(text: str) -> bool:
    """Whether too little has arrived to tell."""
    return BARE_MAY_BEGIN.match(text) is not None


class _Split:
    """The text and the calls in it, in order.

    What was refused is not read again for each mark in it: of the marks up to its end only the last may still open a
    call. So no part of the text is read more than twice by a dialect.
    """

    def __init__(self, text: str, reading: Reading, warnings: dict[str, None]) -> None:
        self._text = text
        self._reading = reading
        self._warnings = warnings
        self._before = _Before(text)
        self._places: dict[object, int] = {}
        self._refused_until: dict[str, int] = {}
        self._name: re.Match[str] | None = None
        self._has_name = True

    def __iter__(self) -> Iterator[TextContent | WrittenCall]:
        text = self._text
        begin = at = 0
        while start := MARKER.search(text, at):
            at = start.end()
            calls, stop = self._calls_at(start)
            if calls:
                if begin < start.start():
                    yield TextContent(text[begin : start.start()])
                yield from calls
                begin = at = stop
            else:
                opening = start.group()
                self._warnings[f"the answer's text holds {opening!r}, which no offered tool confirms as a call"] = None
        if begin < len(text):
            yield TextContent(text[begin:])

    def _calls_at(self, start: re.Match[str]) -> tuple[list[WrittenCall] | None, int]:
        """The calls that begin at a mark, none when they are refused, and where they end."""
        text, markup = self._text, MARKUP_OF[start.group()]
        if start.start() < self._refused_until.get(markup.opening, 0):
            return None, start.end()
        self._before.go_to(start.start())
        if self._before.is_code:
            return None, start.end()
        end, stop = self._end_of(markup, start.end())
        if end < 0:
            calls = self._cut_call(start.end())
        elif self._before.has_words and self._is_followed(stop):
            calls = None
        else:
            calls = markup.read(text[start.end() : end])
        if calls and all(_is_offered(call.name, self._reading) for call in calls):
            return calls, stop
        if end >= 0:
            last = text.rfind(markup.opening, start.end(), end)
            self._refused_until[markup.opening] = last if last >= 0 else end
        return None, stop

    def _end_of(self, markup: Markup, at: int) -> tuple[int, int]:
        """Where the calls end (-1 when they are cut off), and where the text goes on."""
        if markup.end is not None:
            end = markup.end(self._text, at)
            return end, end
        end = self._places.get(markup, 0)
        if 0 <= end < at:
            end = self._places[markup] = self._text.find(markup.closing, at)
        return (end, end + len(markup.closing)) if end >= 0 else (-1, len(self._text))

    def _cut_call(self, at: int) -> list[WrittenCall] | None:
        """A call whose closing mark is missing: its name, so that the model can be told."""
        if self._has_name and (self._name is None or self._name.start() < at):
            self._name = NAME_IN_PIECE.search(self._text, at)
            self._has_name = self._name is not None
        if self._name is None:
            return None
        name = next(group for group in self._name.groups() if group)
        if not _is_offered(name, self._reading):
            return None
        return [WrittenCall(name, self._text[at:], CUT_OFF)]

    def _is_followed(self, stop: int) -> bool:
        """Whether words follow on the same line."""
        blanks = BLANKS_OF_LINE.match(self._text, stop)
        at = blanks.end() if blanks else stop
        is_line_end = at == len(self._text) or self._text[at] == "\n"
        return not is_line_end and not self._text.startswith(MARKERS, at)


class _Before:
    """What stands before a place in the text that only moves on."""

    def __init__(self, text: str) -> None:
        self.is_code = False
        self.has_words = False
        self._text = text
        self._at = 0

    def go_to(self, place: int) -> None:
        """Looks at the text up to ``place``."""
        passed = self._text[self._at : place]
        self._at = place
        self.is_code ^= passed.count("`") % 2 == 1
        line_start = passed.rfind("\n") + 1
        words = passed[line_start:].rstrip()
        if words:
            self.has_words = not words.endswith(CLOSINGS)
        elif line_start:
            self.has_words = False


def _without_blanks(found: list[AssistantBlock | WrittenCall]) -> Iterator[AssistantBlock | WrittenCall]:
    """Without the blanks around calls: those before the first one count only beside words."""
    first = next(place for place, piece in enumerate(found) if isinstance(piece, WrittenCall))
    has_words = any(isinstance(piece, TextContent) and not piece.text.isspace() for piece in found[:first])
    for place, piece in enumerate(found):
        if not isinstance(piece, TextContent) or not piece.text.isspace() or (has_words and place < first):
            yield piece


def _is_offered(name: str, reading: Reading) -> bool:
    return name in reading.tool_names or name.rpartition(".")[2] in reading.tool_names


def _as_calls(written: list[WrittenCall], reading: Reading) -> list[ToolCall]:
    records: list[CallRecord] = []
    for call in written:
        record = CallRecord(name=call.name)
        record.add(call.arguments)
        records.append(record)
    calls = finished_calls(records, seed=f"{reading.seed}|text", tool_names=reading.tool_names)
    return [
        call if found.error is None else ToolCall(call.id, call.name, {}, call.arguments_text, found.error)
        for call, found in zip(calls, written, strict=True)
    ]


def _bare_calls(text: str, reading: Reading) -> list[WrittenCall] | None:
    """The calls when the whole text is one call in JSON, or a list of them."""
    fenced = without_fence(text)
    body = (text if fenced is None else fenced).strip()
    if not body.startswith(("{", "[")):
        return None
    calls = calls_in_json(body)
    if not calls or not all(_is_offered(call.name, reading) and call.arguments is not None for call in calls):
        return None
    return calls
