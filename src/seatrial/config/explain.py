"""What the data model refused, in one sentence each, at the place in the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from seatrial.config.diagnostics import CODES, Diagnostic, Place
from seatrial.config.located import FilledText, KeyPath, locate, value_at
from seatrial.config.names import did_you_mean
from seatrial.config.tools import TOOL_TYPES

_AT_KEY = {"ST102", "ST104", "ST201", "ST202"}
_MAX_SHOWN = 40


def explain(error: ValidationError, data: Any, path: Path, below: KeyPath = ()) -> Iterator[Diagnostic]:
    """One diagnostic for each thing that the data model refused; ``below`` is where the validated part hangs."""
    for detail in error.errors(include_url=False):
        if detail["type"] == "too_short" and detail["input"]:
            continue
        loc = tuple(below) + tuple(step for step in detail["loc"] if not str(step).startswith("<"))
        written = value_at(data, loc)
        if isinstance(written, FilledText):
            if not written.is_whole:
                continue
            detail["input"] = written
        yield _diagnostic(dict(detail), data, path, loc)


def _diagnostic(detail: dict[str, Any], data: Any, path: Path, loc: KeyPath) -> Diagnostic:
    code, message, hint = _words(detail, loc)
    if code == "ST104" and value_at(data, loc[:-1]) is not None and loc:
        place = _place_of_missing(data, loc)
    else:
        place = locate(data, loc, of_key=code in _AT_KEY)
    return Diagnostic("error", code, message, place or Place(path, 1), hint=hint, key_path=loc)


def _place_of_missing(data: Any, loc: KeyPath) -> Place | None:
    """The empty key when it is there, else the key of the block that lacks it."""
    holder = value_at(data, loc[:-1])
    if isinstance(holder, dict) and loc[-1] in holder:
        return locate(data, loc, of_key=True)
    return locate(data, loc[:-1], of_key=True)


def _words(detail: dict[str, Any], loc: KeyPath) -> tuple[str, str, str | None]:
    kind, context = detail["type"], detail.get("ctx", {})
    name = _name(loc)
    if kind in CODES:
        message = context.get("message", detail["msg"])
        starts_itself = (
            message[:1] in "`" or kind in ("ST102", "ST201", "ST202", "ST203", "ST408") or " must be a block" in message
        )
        return (
            kind,
            message if starts_itself or message.startswith(("a ", "an ", "the ")) else f"{name} {message}",
            context.get("hint"),
        )
    shown = _shown(detail.get("input"))
    if kind == "missing":
        return _missing(loc, bool(context.get("is_empty")))
    if kind in ("literal_error", "enum"):
        allowed = _allowed(loc, context)
        return "ST406", f"{name} cannot be {shown}", did_you_mean(str(detail.get("input")), allowed)
    if kind in ("tuple_type", "list_type", "set_type"):
        return "ST105", f"{name} must be a list", "begin each item with `- `"
    if kind in ("dict_type", "model_type"):
        return "ST105", f"{name} must be a block of keys", None
    if kind == "string_type":
        return "ST105", f"{name} must be a text, not {shown}", None
    if kind.startswith(("int_", "float_", "finite_")):
        what = "a whole number" if kind.startswith("int") else "a number"
        return "ST105", f"{name} must be {what}, not {shown}", None
    if kind.startswith("bool_"):
        return "ST105", f"{name} must be true or false, not {shown}", None
    if kind in ("greater_than", "greater_than_equal", "less_than", "less_than_equal"):
        return "ST405", f"{name} must be {_bound(kind, context)}, not {shown}", None
    if kind == "too_long":
        return (
            "ST407",
            f"{name} has {context['actual_length']} items; at most {context['max_length']} are allowed",
            None,
        )
    if kind == "too_short":
        return "ST407", f"{name} needs at least {context['min_length']} item", None
    if kind == "union_tag_not_found":
        return "ST105", f"{name} must be a block of keys, not {shown}", None
    return "ST105", f"{name}: {context.get('message', detail['msg'])}", None


def _missing(loc: KeyPath, is_empty: bool) -> tuple[str, str, str | None]:
    holder = _name(loc[:-1]) if len(loc) > 1 else "the agent file"
    if is_empty:
        return "ST104", f"{_name(loc)} is empty", "indent its keys under it, or write its value behind the colon"
    return "ST104", f"{holder} lacks `{loc[-1]}`", None


def _allowed(loc: KeyPath, context: dict[str, Any]) -> list[str]:
    if loc[-1:] == ("type",) and "tools" in loc[:-1]:
        return list(TOOL_TYPES)
    return [item.strip("'") for item in str(context.get("expected", "")).replace(" or ", ", ").split(", ")]


def _bound(kind: str, context: dict[str, Any]) -> str:
    words = {"greater_than": "gt", "greater_than_equal": "ge", "less_than": "lt", "less_than_equal": "le"}
    limit = context[words[kind]]
    number = f"{limit:g}" if isinstance(limit, float) else str(limit)
    return {
        "greater_than": f"more than {number}",
        "greater_than_equal": f"at least {number}",
        "less_than": f"less than {number}",
        "less_than_equal": f"at most {number}",
    }[kind]


def _name(loc: KeyPath) -> str:
    """The last key by name; items of a list by their number."""
    if not loc:
        return "the agent file"
    last = loc[-1]
    if isinstance(last, int):
        return f"item {last + 1} of {_name(loc[:-1])}"
    return f"`{last}`"


def _shown(value: Any) -> str:
    if isinstance(value, FilledText):
        return f"the value of `{value.written[:_MAX_SHOWN]}`"
    if isinstance(value, dict):
        return "a block of keys"
    if isinstance(value, list | tuple):
        return "a list"
    if value is None:
        return "empty"
    text = str(value)
    return f"`{text[:_MAX_SHOWN]}...`" if len(text) > _MAX_SHOWN else f"`{text}`"
