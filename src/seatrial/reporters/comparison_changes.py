"""What changed in the agent's files, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from seatrial.reporters.plain import one_line
from seatrial.runs.changes import FileChange, KeyChange
from seatrial.runs.compare import Comparison
from seatrial.runs.encoding import to_json

_MOST_KEYS = 40
_MOST_LINES = 20
_VALUE_WIDTH = 100


def change_lines(found: Comparison) -> Iterator[str]:
    """Keys with old and new value, then files; a changed text as the lines that differ, further to the right."""
    changes = found.changes
    if found.before.models != found.after.models:
        yield f"model: {', '.join(found.before.models)} → {', '.join(found.after.models)}"
    if not changes.is_known:
        yield "one side keeps no files: what changed in them is unknown"
        return
    for key in islice(changes.keys, _MOST_KEYS):
        yield from _key(key)
    if len(changes.keys) > _MOST_KEYS:
        yield f"and {len(changes.keys) - _MOST_KEYS:,} more keys"
    for file in changes.files:
        yield from _file(file)
    if not changes.keys and not changes.files:
        yield "nothing in the agent's files"


def _key(change: KeyChange) -> Iterator[str]:
    where = f"{change.file}: {change.key}"
    match change.kind:
        case "added":
            yield f"{where} is new: {_value(change.new)}"
        case "removed":
            yield f"{where} is gone: {_value(change.old)}"
        case "changed" if change.diff:
            yield f"{where} changed:"
            yield from _lines(change.diff)
        case "changed":
            yield f"{where}: {_value(change.old)} → {_value(change.new)}"


def _file(change: FileChange) -> Iterator[str]:
    match change.kind:
        case "added":
            yield f"{change.file} is new"
        case "removed":
            yield f"{change.file} is gone"
        case "layout":
            yield f"{change.file}: only comments, layout or the order of entries"
        case "changed" if change.diff:
            yield f"{change.file} changed:"
            yield from _lines(change.diff)
        case "changed":
            yield f"{change.file} changed"


def _lines(diff: Sequence[str]) -> Iterator[str]:
    yield from (f"  {one_line(line, _VALUE_WIDTH + 20)}" for line in diff[:_MOST_LINES])
    if len(diff) > _MOST_LINES:
        yield f"  and {len(diff) - _MOST_LINES:,} more lines"


def _value(value: object) -> str:
    return one_line(to_json(value).decode(), _VALUE_WIDTH)
