"""What is different between what is asked and the nearest thing that was recorded, for people."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from seatrial.core.text import excerpt
from seatrial.recording.said import Asked, AssistantSaid, ModelAsked, Said, ToolAsked, ToolSaid, key_of

_SHOWN_BYTES = 160
_MOST_LINES = 12
_MOST_DIFF_LINES = 8
_NOTHING = object()


def told_difference(asked: Asked, recorded: Sequence[Asked]) -> str:
    """Lines that say how ``asked`` differs from the nearest of what was recorded in the trial."""
    same_kind = [one for one in recorded if type(one) is type(asked)]
    key = key_of(asked)
    times = sum(key_of(one) == key for one in same_kind)
    if times:
        often = "once" if times == 1 else f"{times} times"
        return f"it was made {often} in the recording, and is made once more now"
    if isinstance(asked, ToolAsked):
        same_kind = [one for one in same_kind if isinstance(one, ToolAsked) and one.tool == asked.tool]
    if not same_kind:
        return "there is nothing like it in the recording"
    nearest = max(same_kind, key=lambda one: _closeness(one, asked))
    lines = list(_differences(nearest, asked))
    more = [f"and {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
    return "\n".join(["the nearest one there differs (- recorded, + now):", *lines[:_MOST_LINES], *more])


def _closeness(recorded: Asked, asked: Asked) -> tuple[int, float]:
    if isinstance(recorded, ModelAsked) and isinstance(asked, ModelAsked):
        pairs = zip(recorded.messages, asked.messages, strict=False)
        alike = sum(one == other for one, other in pairs)
        is_same_length = len(recorded.messages) == len(asked.messages)
        return alike * 2 + is_same_length * 3, _likeness(_last(recorded), _last(asked))
    return 0, _likeness(key_of(recorded), key_of(asked))


def _last(asked: ModelAsked) -> str:
    return msgspec.json.encode(asked.messages[-1]).decode() if asked.messages else ""


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one[:2000], other[:2000], autojunk=False).quick_ratio()


def _differences(recorded: Asked, asked: Asked) -> Iterator[str]:
    if isinstance(recorded, ModelAsked) and isinstance(asked, ModelAsked):
        yield from _changed("model", recorded.model, asked.model)
        yield from _changed("instructions", recorded.instructions, asked.instructions)
        yield from _changed_tools(recorded, asked)
        yield from _changed("", msgspec.to_builtins(recorded.sampling), msgspec.to_builtins(asked.sampling))
        yield from _changed("response_format", recorded.response_schema, asked.response_schema)
        yield from _changed_messages(recorded.messages, asked.messages)
    else:
        yield from _changed("", msgspec.to_builtins(recorded), msgspec.to_builtins(asked))


def _changed_tools(recorded: ModelAsked, asked: ModelAsked) -> Iterator[str]:
    before = {tool.name: tool for tool in recorded.tools}
    now = {tool.name: tool for tool in asked.tools}
    yield from (f"- tool {name}" for name in before if name not in now)
    yield from (f"+ tool {name}" for name in now if name not in before)
    for name in before.keys() & now.keys():
        yield from _changed(f"tool {name}", msgspec.to_builtins(before[name]), msgspec.to_builtins(now[name]))
    if list(before) != list(now) and before.keys() == now.keys():
        yield f"the order of the tools: {', '.join(before)} is now {', '.join(now)}"


def _changed_messages(recorded: Sequence[Said], asked: Sequence[Said]) -> Iterator[str]:
    for number, (before, now) in enumerate(zip(recorded, asked, strict=False), start=1):
        if before != now:
            name = f"message {number} ({_who(now)})"
            yield from (
                _changed(name, _plain(before), _plain(now))
                if type(before) is type(now)
                else (
                    f"- {name[:-1]}: {_who(before)})",
                    f"+ {name}",
                )
            )
    yield from (f"- message {number} ({_who(one)})" for number, one in _beyond(recorded, len(asked)))
    yield from (f"+ message {number} ({_who(one)})" for number, one in _beyond(asked, len(recorded)))


def _beyond(messages: Sequence[Said], count: int) -> Iterator[tuple[int, Said]]:
    return ((number, message) for number, message in enumerate(messages, start=1) if number > count)


def _who(message: Said) -> str:
    if isinstance(message, ToolSaid):
        return f"result of {message.tool_name}"
    return "assistant" if isinstance(message, AssistantSaid) else "user"


def _plain(message: Said) -> Any:
    found = msgspec.to_builtins(message)
    found.pop("role")
    content = found.get("content")
    return content if set(found) == {"content"} else found


def _changed(path: str, before: Any, now: Any) -> Iterator[str]:
    """A line for each value that differs, under its path."""
    if _same(before, now):
        return
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*before, *now)):
            yield from _changed(
                f"{path}.{key}" if path else str(key), before.get(key, _NOTHING), now.get(key, _NOTHING)
            )
    elif isinstance(before, list | tuple) and isinstance(now, list | tuple) and len(before) == len(now):
        for place, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from _changed(f"{path}[{place}]", one, other)
    elif isinstance(before, str) and isinstance(now, str) and ("\n" in before or "\n" in now):
        lines = difflib.unified_diff(before.split("\n"), now.split("\n"), lineterm="", n=0)
        changed = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
        yield f"{path}:"
        yield from (f"  {line[0]} {excerpt(line[1:], _SHOWN_BYTES)}" for line in changed[:_MOST_DIFF_LINES])
    else:
        if before is not _NOTHING:
            yield f"- {path}: {_shown(before, now)}"
        if now is not _NOTHING:
            yield f"+ {path}: {_shown(now, before)}"


def _same(one: Any, other: Any) -> bool:
    if one is _NOTHING or other is _NOTHING:
        return one is other
    return msgspec.json.encode(one, order="deterministic") == msgspec.json.encode(other, order="deterministic")


def _shown(value: Any, other: Any) -> str:
    """The value as JSON; of a long text the part from shortly before the first difference on."""
    if isinstance(value, str) and isinstance(other, str) and len(value) > _SHOWN_BYTES:
        same = next((place for place, pair in enumerate(zip(value, other, strict=False)) if pair[0] != pair[1]), 0)
        start = max(0, same - 40)
        value = ("…" if start else "") + value[start:]
    return excerpt(msgspec.json.encode(value).decode(), _SHOWN_BYTES)
