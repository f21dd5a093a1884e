"""Located data built from libyaml's events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.located import Block, Listing, Spot, read_scalar, unreadable_text
from seatrial.config.source import Source

_MAX_DEPTH = 100
_MAX_VALUES = 300_000
_MERGE = "<<"
_STAR_HINT = "a text that begins with * needs quotes"
_STRING_TAG = "tag:yaml.org,2002:str"
_CORE_TAGS = {
    "!",
    "tag:yaml.org,2002:str",
    "tag:yaml.org,2002:int",
    "tag:yaml.org,2002:float",
    "tag:yaml.org,2002:bool",
    "tag:yaml.org,2002:null",
    "tag:yaml.org,2002:map",
    "tag:yaml.org,2002:seq",
    "tag:yaml.org,2002:merge",
    "tag:yaml.org,2002:timestamp",
}


@dataclass
class _Open:
    """A mapping or list that is being filled; for a mapping, ``key`` waits for its value."""

    target: Block | Listing
    anchor: str | None
    key: tuple[str, int, int, int] | None = None
    wants_key: bool = True
    merges: list[tuple[Any, Place]] = field(default_factory=list)
    is_refused: bool = False
    is_broken: bool = False
    has_twice: bool = False

    @property
    def is_flow(self) -> bool:
        """Whether it is written between brackets."""
        return isinstance(self.target, Block) and self.target.is_flow


class YamlBuilder:
    """Goes over the events of one document with a stack of its own; ``root`` is what was built."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Diagnostic] = []
        self.root: Any = None
        self.count = 0
        self._documents = 0
        self._has_odd_breaks = any(mark in source.text for mark in "\x85\u2028\u2029")
        self._open: list[_Open] = []
        self._anchors: dict[str, Any] = {}
        self._lone_anchors: dict[str, Place] = {}

    def take(self, event: yaml.Event) -> bool:
        """Goes on by one event; False when the rest need not be read."""
        if self.count > _MAX_VALUES:
            hint = "put many test cases into a file of JSONL or CSV"
            self.complain("ST110", f"more than {_MAX_VALUES:,} values in one YAML file", self._place(event), hint=hint)
            self.root = None
            return False
        match event:
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                return self._start(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._end(event)
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.DocumentStartEvent():
                return self._document(event)
        return True

    def complain(self, code: str, message: str, place: Place, *, hint: str | None = None) -> None:
        """Notes an error."""
        self.problems.append(Diagnostic("error", code, message, place, hint=hint))

    def unused_anchors(self) -> Iterator[Diagnostic]:
        """Warnings of words with & before a text that nothing refers to: perhaps they are of the text."""
        for name, place in self._lone_anchors.items():
            message = f"&{name} is not a part of the text: YAML takes it for an anchor, and nothing refers to it"
            yield Diagnostic("warning", "ST512", message, place, hint="put the text in quotes, or take the anchor out")

    def _document(self, event: yaml.DocumentStartEvent) -> bool:
        self._documents += 1
        if self._documents == 1:
            return True
        hint = "one file holds one agent: put the second one in a file of its own"
        self.complain("ST111", "a second document begins here", self._place(event), hint=hint)
        return False

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        self.count += 1
        self._check_tag(event)
        text = event.value
        holder = self._open[-1] if self._open else None
        if holder is not None and isinstance(holder.target, Block) and holder.wants_key:
            self._key(holder, text, event)
            return
        value: Any = text
        if not event.style and (event.implicit[0] or event.tag != _STRING_TAG):
            value = read_scalar(text)
        if event.anchor:
            self._anchors[event.anchor] = value
            if not event.style:
                self._lone_anchors[event.anchor] = self._place(event)
        self._add(value, self._place(event), self._end_of(event))

    def _key(self, holder: _Open, text: str, event: yaml.ScalarEvent) -> None:
        place = self._place(event)
        if event.anchor:
            self._anchors[event.anchor] = text
        holder.key = (text, place.line, place.column, place.length)
        holder.wants_key = False
        if not text:
            self.complain("ST105", "a key has no name", place, hint="write a name before the colon")

    def _start(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> bool:
        self.count += 1
        self._check_tag(event)
        place = self._place(event)
        if len(self._open) >= _MAX_DEPTH:
            self.complain("ST110", f"nested more than {_MAX_DEPTH} levels deep", place)
            self.root = None
            return False
        kind = Block if isinstance(event, yaml.MappingStartEvent) else Listing
        opened = _Open(kind(self.source.path, place.line, place.column), event.anchor)
        if isinstance(opened.target, Block):
            opened.target.is_flow = bool(event.flow_style)
        holder = self._open[-1] if self._open else None
        if holder is not None and isinstance(holder.target, Block) and holder.wants_key:
            opened.is_refused = True
            message = "a key must be a word, not a list or a block"
            self.complain("ST105", message, place, hint="a text that begins with { or [ needs quotes")
        self._open.append(opened)
        return True

    def _end(self, event: yaml.Event) -> None:
        closed = self._open.pop()
        if isinstance(closed.target, Block):
            self._merge(closed.target, closed.merges)
        if closed.anchor:
            self._anchors[closed.anchor] = closed.target
        if closed.is_refused:
            holder = self._open[-1]
            holder.key, holder.wants_key = ("", closed.target.line, closed.target.column, 1), False
            holder.is_broken = True
            return
        value = unreadable_text() if closed.is_broken else closed.target
        self._add(value, closed.target.place, self._end_of(event))

    def _alias(self, event: yaml.AliasEvent) -> None:
        self.count += 1
        place = self._place(event)
        name = str(event.anchor)
        self._lone_anchors.pop(name, None)
        holder = self._open[-1] if self._open else None
        if name not in self._anchors:
            is_open = any(opened.anchor == name for opened in self._open)
            known = ", ".join(f"&{anchor}" for anchor in list(self._anchors)[:5])
            message = f"*{name} stands inside the block that it names" if is_open else f"there is no anchor &{name}"
            hint = f"anchors so far: {known}; a text that begins with * needs quotes"
            self.complain("ST110", message, place, hint=None if is_open else hint if known else _STAR_HINT)
        value = self._anchors.get(name, unreadable_text())
        if holder is not None and isinstance(holder.target, Block) and holder.wants_key:
            holder.key, holder.wants_key = (str(value), place.line, place.column, place.length), False
            return
        self._add(value, place, self._end_of(event))

    def _add(self, value: Any, place: Place, end: tuple[int, int]) -> None:
        if not self._open:
            self.root = value
            return
        holder = self._open[-1]
        target = holder.target
        if isinstance(target, Listing):
            target.append(value)
            target.spots.append((place.line, place.column, place.length))
            return
        self._set(holder, target, value, place, end)

    def _set(self, holder: _Open, target: Block, value: Any, place: Place, end: tuple[int, int]) -> None:
        if holder.key is None:
            return
        key, line, column, length = holder.key
        holder.key, holder.wants_key = None, True
        if key == _MERGE:
            holder.merges.append((value, place))
            return
        if not key:
            return
        if key in target:
            first = target.spots[key].key_line
            self._given_twice(holder, key, first, Place(self.source.path, line, column, length))
            return
        target[key] = value
        target.spots[key] = Spot(line, column, length, place.line, place.column, place.length, None, end)

    def _given_twice(self, holder: _Open, key: str, first: int, place: Place) -> None:
        """In an item of a list once: where a dash was forgotten, all keys of the next item come again."""
        is_item = len(self._open) > 1 and isinstance(self._open[-2].target, Listing) and not holder.is_flow
        if is_item and holder.has_twice:
            return
        holder.has_twice = True
        hint = "keep one of the two; or begin a new item here with `- `" if is_item else "keep one of the two"
        self.complain("ST103", f"`{key}` is given twice; the first is in line {first}", place, hint=hint)

    def _merge(self, target: Block, merges: list[tuple[Any, Place]]) -> None:
        for value, place in merges:
            for base in value if isinstance(value, Listing) else [value]:
                if not isinstance(base, Block):
                    self.complain("ST110", "`<<` merges blocks of keys, and this is none", place)
                    continue
                for key, item in base.items():
                    if key not in target:
                        target[key] = item
                        if key in base.spots:
                            target.spots[key] = base.spots[key]

    def _check_tag(self, event: yaml.ScalarEvent | yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        tag = event.tag
        if tag and tag not in _CORE_TAGS:
            shown = tag.replace("tag:yaml.org,2002:", "!!")
            hint = "write the value without a tag; a text that begins with ! needs quotes"
            self.complain("ST109", f"the YAML tag {shown} is not accepted", self._place(event), hint=hint)

    def _place(self, event: yaml.Event) -> Place:
        start, end = event.start_mark, event.end_mark
        if start is None or end is None:
            return Place(self.source.path, 1)
        length = end.column - start.column if end.line == start.line else 1
        return Place(self.source.path, *self._spot(start.line, start.column, start.index), max(1, length))

    def _end_of(self, event: yaml.Event) -> tuple[int, int]:
        mark = event.end_mark
        return (1, 1) if mark is None else self._spot(mark.line, mark.column, mark.index)

    def _spot(self, line: int, column: int, index: int) -> tuple[int, int]:
        """Line and column from 1. YAML knows line ends that editors do not count; then the index decides."""
        return self.source.position(index) if self._has_odd_breaks else (line + 1, column + 1)
