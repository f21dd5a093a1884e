"""What the data model refused, in one sentence each, at the place in the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from seatrial.config.diagnostics import CODES, Diagnostic, Place
from seatrial.config.hints import number_meant
from seatrial.config.located import FilledText, KeyPath, locate, value_at
from seatrial.config.names import did_you_mean
from seatrial.config.tools import TOOL_TYPES, tool_type

_AT_KEY = {"ST102", "ST104", "ST201", "ST202"}
_EMPTY_HINT = "indent its keys under it, or write its value behind the colon"
_MAX_SHOWN = 40
_EXAMPLES = {
    "name": "my-agent",
    "provider": "openai",
    "description": "What it is for.",
    "instructions": "You help with ...",
    "input": "What the user says.",
    "model": "provider:name",
    "source": "folder",
    "file": "tools.py",
    "function": "name_of_the_function",
}
_ITEM_NAMES = {"tools": "tool", "test_cases": "test case", "metrics": "metric", "variants": "variant"}
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}

_Words = tuple[str, str, str | None]


def explain(error: ValidationError, data: Any, path: Path) -> Iterator[Diagnostic]:
    """One diagnostic for each thing that the data model refused."""
    for detail in error.errors(include_url=False):
        loc = tuple(step for step in detail["loc"] if not str(step).startswith("<"))
        written = value_at(data, loc)
        if isinstance(written, FilledText) and not written.is_whole:
            continue
        if detail["type"] == "too_short" and detail["input"]:
            continue
        yield _Refusal(dict(detail), data, loc, written).diagnostic(path)


class _Refusal:
    """One refused value: ``written`` is what the file has at ``loc``, where it has something."""

    def __init__(self, detail: dict[str, Any], data: Any, loc: KeyPath, written: Any) -> None:
        self.kind: str = detail["type"]
        self.context: dict[str, Any] = detail.get("ctx", {})
        self.message: str = self.context.get("message", detail["msg"])
        self.data = data
        self.loc = loc
        self.shown = _shown(written if isinstance(written, str) else detail.get("input"))
        self.given = str(written if isinstance(written, str) else detail.get("input"))

    def diagnostic(self, path: Path) -> Diagnostic:
        """The finding in words, at its place."""
        code, message, hint = self._words()
        return Diagnostic("error", code, message, self._place(code) or Place(path, 1), hint=hint, key_path=self.loc)

    def _place(self, code: str) -> Place | None:
        """For a missing key the key of the block that lacks it, unless it stands there empty."""
        holder = value_at(self.data, self.loc[:-1])
        if code == "ST104" and self.loc and not (isinstance(holder, dict) and self.loc[-1] in holder):
            return locate(self.data, self.loc[:-1], of_key=True)
        if code == "ST102" and isinstance(holder, dict) and self.loc[-1] not in holder and self.given in holder:
            return locate(self.data, (*self.loc[:-1], self.given), of_key=True)
        return locate(self.data, self.loc, of_key=code in _AT_KEY)

    def _words(self) -> _Words:
        name = self._name(self.loc)
        if self.kind in CODES:
            is_whole = not self.message.startswith(("must ", "has ", "is ", "cannot "))
            message = self.message if is_whole else f"{name} {self.message}"
            return self.kind, message, self.context.get("hint")
        if self.kind == "missing":
            return self._missing()
        if self.kind in _BOUNDS:
            bound, words = _BOUNDS[self.kind]
            return "ST405", f"{name} must be {words} {self.context[bound]:g}, not {self.shown}", None
        if self.kind in ("literal_error", "enum"):
            return "ST406", f"{name} cannot be {self.shown}", did_you_mean(self.given, self._allowed())
        if self.kind == "too_long":
            actual, most = self.context["actual_length"], self.context["max_length"]
            return "ST407", f"{name} has {actual} items; at most {most} are allowed", None
        if self.kind == "too_short":
            return "ST407", f"{name} needs at least {self.context['min_length']} item", None
        if self.shown == "empty":
            return "ST113", f"{name} is empty", "write something behind the dash, or take the dash out"
        return self._wrong_type(name)

    def _wrong_type(self, name: str) -> _Words:
        wanted = {
            "string_type": "a text",
            "dict_type": "a block of keys",
            "union_tag_not_found": "a block of keys",
            "tuple_type": "a list",
            "bool_type": "true or false",
            "bool_parsing": "true or false",
        }.get(self.kind)
        if self.kind.startswith("int_"):
            wanted = "a whole number"
        elif self.kind.startswith(("float_", "finite_")):
            wanted = "a number"
        if wanted is None:
            return "ST105", f"{name}: {self.message}", None
        hint = "begin each item with `- `" if wanted == "a list" else None
        if wanted in ("a number", "a whole number"):
            example = "0.5" if wanted == "a number" else "3"
            hint = number_meant(self.given, is_whole=wanted != "a number") or f"write digits, like {example}"
        return "ST105", f"{name} must be {wanted}, not {self.shown}", hint

    def _missing(self) -> _Words:
        key = self.loc[-1]
        if self.context.get("is_empty"):
            return "ST104", f"{self._name(self.loc)} is empty", _EMPTY_HINT
        hint: str | None = None
        if key == "type" and self.loc[0] == "tools":
            guess = (tool_type(value_at(self.data, self.loc[:-1])) or "").strip("<>")
            hint = f"its keys look like `type: {guess}`"
        elif key == "metric":
            hint = "name it: `metric: ...`, or `metric_type: ...` with `type: rag`"
        elif key in _EXAMPLES:
            hint = f"add `{key}: {self._example(str(key))}`"
        return "ST104", f"{self._name(self.loc[:-1])} lacks `{key}`", hint

    def _example(self, key: str) -> str:
        if key == "name" and len(self.loc) > 1:
            return "its_name"
        return _EXAMPLES[key]

    def _allowed(self) -> list[str]:
        if self.loc[-1:] == ("type",) and "tools" in self.loc[:-1]:
            return list(TOOL_TYPES)
        return [item.strip("'") for item in str(self.context.get("expected", "")).replace(" or ", ", ").split(", ")]

    def _name(self, loc: KeyPath) -> str:
        """The last key; items of a list by their name, else by their number."""
        if not loc:
            return "the agent file"
        last = loc[-1]
        if isinstance(last, str):
            return f"`{last}`"
        holder = str(loc[-2]) if len(loc) > 1 else ""
        named = value_at(self.data, (*loc, "name"))
        if holder in _ITEM_NAMES and isinstance(named, str) and named:
            return f"{_ITEM_NAMES[holder]} `{named[:_MAX_SHOWN]}`"
        return f"item {last + 1} of {self._name(loc[:-1])}"


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
