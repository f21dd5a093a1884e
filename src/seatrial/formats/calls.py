"""Fragments of tool calls -> whole calls, trusting neither ``index`` nor ``id``.

Servers leave either out, repeat it, or send the same one for every call. So records stand in the order of their first
appearance, learn the labels that the wire uses, and a fragment that looks like the beginning of a call begins one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable
from typing import Any, TypeVar

import msgspec

from seatrial.core.content import ToolCall
from seatrial.core.text import clean_text
from seatrial.formats.arguments import read_arguments
from seatrial.formats.json_spans import ValueEnd

UNNAMED = "unnamed_tool"
Key = TypeVar("Key", int, str, tuple[str, int])


class CallRecord:
    """A call in the making. ``position`` is its place among the calls of the reply, from 0."""

    __slots__ = ("_end", "arguments", "id", "index", "name", "pieces", "position")

    def __init__(self, *, index: int | None = None, id: str = "", name: str = "") -> None:
        self.index = index
        self.id = id
        self.name = name
        self.pieces: list[str] = []
        self.arguments: Any = None
        self.position = 0
        self._end: _WholeObject | None = None

    @property
    def text(self) -> str:
        """The arguments' text so far."""
        return "".join(self.pieces)

    @property
    def is_whole(self) -> bool:
        """Whether the arguments so far are a JSON object, so that more text must belong to another call."""
        if self.arguments is not None:
            return True
        if self._end is None:
            self._end = _WholeObject()
        return self._end.is_in(self.pieces)

    def add(self, arguments: Any) -> str:
        """Takes more arguments: a piece of text, or an object as it is. Returns the text that came new."""
        if isinstance(arguments, str):
            self.pieces.append(arguments)
            return arguments
        if arguments is not None and self.arguments is None and not self.pieces:
            self.arguments = arguments
        return ""


class _WholeObject:
    """Whether pieces of text, to which more are added, are one JSON object by now. Each piece is looked at once."""

    def __init__(self) -> None:
        self._end = ValueEnd()
        self._is_ended = False
        self._is_object: bool | None = None
        self._passed = 0

    def is_in(self, pieces: list[str]) -> bool:
        """Takes the pieces that are new."""
        for piece in pieces[self._passed :]:
            place = 0 if self._is_ended else self._end.find(piece)
            self._is_ended = place >= 0
            if self._is_ended and piece[place:].strip():
                self._is_object = False
        self._passed = len(pieces)
        if self._is_ended and self._is_object is None:
            self._is_object = _is_object("".join(pieces))
        return self._is_ended and self._is_object is True


class Fragment(msgspec.Struct, frozen=True):
    """One piece of a call as it came; what is empty was not sent."""

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: Any = None

    @property
    def may_begin(self) -> bool:
        """Whether the arguments look like the beginning of an object."""
        if isinstance(self.arguments, str):
            text = self.arguments.lstrip()
            return not text or text.startswith("{")
        return True


class CallAssembler:
    """The calls of one reply. ``tool_names`` are those on offer, where they are known."""

    def __init__(self, tool_names: Container[str] = ()) -> None:
        self.records: list[CallRecord] = []
        self._labels = _Labels()
        self._tool_names = tool_names
        self._touched: set[int] = set()

    def begin_delta(self) -> None:
        """Fragments that follow came together: two without a label in one delta are two calls."""
        self._touched.clear()

    def begin(self, record: CallRecord) -> CallRecord:
        """A call of its own, behind those that there are."""
        record.position = len(self.records)
        self.records.append(record)
        return record

    def add(self, fragment: Fragment) -> tuple[CallRecord, str, bool]:
        """Puts a fragment where it belongs: the record, the new text of its arguments, whether the record is new."""
        found = self._record_for(fragment)
        is_new = found is None
        record = found if found is not None else self.begin(CallRecord())
        self._learn(record, fragment)
        self._touched.add(id(record))
        return record, record.add(fragment.arguments), is_new

    def _learn(self, record: CallRecord, fragment: Fragment) -> None:
        if (fragment.id and not record.id) or (fragment.index is not None and record.index is None):
            record.id = record.id or fragment.id
            record.index = fragment.index if record.index is None else record.index
            self._labels.note(record)
        if not record.name:
            record.name = fragment.name
        elif self._is_rest_of_name(record, fragment):
            record.name += fragment.name

    def _record_for(self, fragment: Fragment) -> CallRecord | None:
        if fragment.id:
            return self._record_by_id(fragment)
        if fragment.index is not None:
            return self._record_by_index(fragment)
        if not self.records:
            return None
        return None if self._begins(fragment, self.records[-1]) else self.records[-1]

    def _record_by_id(self, fragment: Fragment) -> CallRecord | None:
        record = self._labels.latest_of_id(fragment.id, fragment.index)
        if record is not None:
            return None if self._begins(fragment, record) else record
        candidate = self._open_record(fragment.index)
        if candidate is None:
            return None
        if not candidate.id:
            return None if self._begins(fragment, candidate) else candidate
        is_more_text = not fragment.name and fragment.index is not None and not fragment.may_begin
        return candidate if is_more_text and candidate.index == fragment.index else None

    def _record_by_index(self, fragment: Fragment) -> CallRecord | None:
        candidate = self._open_record(fragment.index)
        if candidate is None or self._begins(fragment, candidate):
            return None
        return candidate

    def _open_record(self, index: int | None) -> CallRecord | None:
        """The latest record of that index; without an index, or where none has one, the last record."""
        if not self.records:
            return None
        if index is None:
            return self.records[-1]
        record = self._labels.latest_of_index(index)
        if record is not None:
            return record
        return self.records[-1] if self.records[-1].index is None else None

    def _begins(self, fragment: Fragment, record: CallRecord) -> bool:
        """Whether the fragment begins a call of its own although its labels point to ``record``."""
        if id(record) in self._touched and (fragment.name or fragment.index is None):
            return True
        if not fragment.name or not record.name or self._is_rest_of_name(record, fragment):
            return False
        if fragment.name != record.name:
            return True
        return fragment.may_begin and record.is_whole and fragment.arguments not in (None, "")

    def _is_rest_of_name(self, record: CallRecord, fragment: Fragment) -> bool:
        has_begun = record.pieces or record.arguments is not None
        return bool(fragment.name) and not has_begun and f"{record.name}{fragment.name}" in self._tool_names


class _Labels:
    """Finds the latest record by what the wire calls it, however many there are."""

    def __init__(self) -> None:
        self._by_index: dict[int, CallRecord] = {}
        self._by_id: dict[str, CallRecord] = {}
        self._by_both: dict[tuple[str, int], CallRecord] = {}
        self._without_index: dict[str, list[CallRecord]] = {}

    def note(self, record: CallRecord) -> None:
        """The record has a label that it had not before."""
        if record.id:
            _keep_latest(self._by_id, record.id, record)
            if record.index is None:
                self._without_index.setdefault(record.id, []).append(record)
            else:
                _keep_latest(self._by_both, (record.id, record.index), record)
        if record.index is not None:
            _keep_latest(self._by_index, record.index, record)

    def latest_of_index(self, index: int) -> CallRecord | None:
        """The latest record of that index."""
        return self._by_index.get(index)

    def latest_of_id(self, call_id: str, index: int | None) -> CallRecord | None:
        """The latest record of that id whose index is the same, where both are known."""
        if index is None:
            return self._by_id.get(call_id)
        unindexed = self._without_index.get(call_id)
        while unindexed and unindexed[-1].index is not None:
            unindexed.pop()
        same = self._by_both.get((call_id, index))
        open_ended = unindexed[-1] if unindexed else None
        if same is None or (open_ended is not None and open_ended.position > same.position):
            return open_ended
        return same


def finished_calls(records: Iterable[CallRecord], *, seed: str = "", tool_names: Container[str] = ()) -> list[ToolCall]:
    """The calls with their arguments read, each under an id of its own; made-up ids depend on the input alone."""
    calls: list[ToolCall] = []
    used: set[str] = set()
    for position, record in enumerate(records):
        read = read_arguments(record.text if record.pieces else record.arguments)
        name = _offered_name(clean_text(record.name).strip(), tool_names)
        call_id = clean_text(record.id)
        if not call_id or call_id in used:
            call_id = _made_up_id(f"{seed}|{position}|{record.id}|{name}|{read.text or ''}")
        used.add(call_id)
        calls.append(
            ToolCall(
                id=call_id,
                name=name or UNNAMED,
                arguments=read.arguments,
                arguments_text=read.text,
                arguments_error=read.error if name else "the call does not name a tool",
                is_repaired=read.is_repaired,
            )
        )
    return calls


def _keep_latest(records: dict[Key, CallRecord], key: Key, record: CallRecord) -> None:
    kept = records.get(key)
    if kept is None or kept.position < record.position:
        records[key] = record


def _is_object(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False


def _offered_name(name: str, tool_names: Container[str]) -> str:
    """The name without the namespace that some models put before it."""
    bare = name.rpartition(".")[2]
    return bare if name not in tool_names and bare in tool_names else name


def _made_up_id(text: str) -> str:
    return "call_" + hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
