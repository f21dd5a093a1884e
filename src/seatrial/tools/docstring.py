"""What a docstring says of a function and its parameters: Google, NumPy, Sphinx and Epytext styles."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field, replace

_GOOGLE_PARAMETERS = re.compile(
    r"^(args|arguments|parameters|params|keyword args|keyword arguments|other parameters|attributes):\s*$", re.I
)
_GOOGLE_OTHERS = re.compile(
    r"^(returns?|yields?|raises|receives|warns|examples?|usage|see also|references|todo|methods):\s*$", re.I
)
_GOOGLE_ITEM = re.compile(r"^(\*{0,2}\w+)\s*(?:\(([^)]*(?:\([^)]*\)[^)]*)*)\))?\s*:\s*(.*)$")
_NUMPY_PARAMETERS = re.compile(r"^((other )?parameters|attributes)$", re.I)
_NUMPY_ITEM = re.compile(r"^(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::\s*(.*))?$")
_FIELD = re.compile(r"^[:@](param|parameter|arg|argument|key|keyword|type)\s+(?:([^:]*?)\s+)?(\*{0,2}\w+)\s*:\s*(.*)$")
_ANY_FIELD = re.compile(r"^[:@](\w+)(\s+[^:]*)?:(?=\s|$)")
_UNDERLINE = re.compile(r"^-{3,}\s*$")


@dataclass(frozen=True, slots=True)
class ParameterDoc:
    """One parameter's text, and its type as written (empty when the docstring names none)."""

    description: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class Docstring:
    """``description`` is everything before the first section or field, as one text with its paragraphs."""

    description: str = ""
    parameters: dict[str, ParameterDoc] = field(default_factory=dict)


def read_docstring(text: str | None) -> Docstring:
    """The description and the parameters; an unknown style is all description."""
    if not text:
        return Docstring()
    lines = inspect.cleandoc(text).splitlines()
    return Docstring(_description(lines), {**_google(lines), **_numpy(lines), **_fields(lines)})


def _description(lines: list[str]) -> str:
    taken: list[str] = []
    for number, line in enumerate(lines):
        follows_underline = number + 1 < len(lines) and _UNDERLINE.match(lines[number + 1])
        if _GOOGLE_PARAMETERS.match(line) or _GOOGLE_OTHERS.match(line):
            break
        if _ANY_FIELD.match(line) or (line and follows_underline):
            break
        taken.append(line)
    return "\n".join(taken).strip()


def _google(lines: list[str]) -> dict[str, ParameterDoc]:
    found: dict[str, ParameterDoc] = {}
    for number, line in enumerate(lines):
        if _GOOGLE_PARAMETERS.match(line):
            found |= _items(_indented(lines[number + 1 :]), _GOOGLE_ITEM)
    return found


def _indented(lines: list[str]) -> list[str]:
    """The lines up to the first that is not indented, with the common indent taken off."""
    block: list[str] = []
    for line in lines:
        if line and not line[0].isspace():
            break
        block.append(line)
    return inspect.cleandoc("\n" + "\n".join(block)).splitlines()


def _numpy(lines: list[str]) -> dict[str, ParameterDoc]:
    found: dict[str, ParameterDoc] = {}
    for number in range(len(lines) - 1):
        if _NUMPY_PARAMETERS.match(lines[number]) and _UNDERLINE.match(lines[number + 1]):
            found |= _items(_until_next_header(lines[number + 2 :]), _NUMPY_ITEM)
    return found


def _until_next_header(lines: list[str]) -> list[str]:
    for number in range(1, len(lines)):
        if _UNDERLINE.match(lines[number]):
            return lines[: number - 1]
    return lines


def _items(lines: list[str], head: re.Pattern[str]) -> dict[str, ParameterDoc]:
    """Entries that start at the margin; deeper lines continue the entry above them."""
    found: dict[str, ParameterDoc] = {}
    names: list[str] = []
    for line in lines:
        match = head.match(line)
        if match:
            groups = [*match.groups(), ""]
            names = [name.strip().lstrip("*") for name in groups[0].split(",")]
            found |= {name: ParameterDoc(groups[2] or "", (groups[1] or "").strip()) for name in names}
        elif line.strip():
            for name in names:
                found[name] = replace(found[name], description=_joined(found[name].description, line))
    return found


def _fields(lines: list[str]) -> dict[str, ParameterDoc]:
    found: dict[str, ParameterDoc] = {}
    current = ""
    for line in lines:
        match = _FIELD.match(line)
        if match:
            kind, type_text, name, rest = match.groups()
            current = name.lstrip("*") if kind != "type" else ""
            name = name.lstrip("*")
            known = found.get(name, ParameterDoc())
            if kind == "type":
                found[name] = replace(known, type=rest.strip())
            else:
                found[name] = replace(known, description=rest.strip(), type=type_text or known.type)
        elif _ANY_FIELD.match(line) or not line.strip():
            current = ""
        elif current:
            found[current] = replace(found[current], description=_joined(found[current].description, line))
    return found


def _joined(text: str, line: str) -> str:
    return f"{text} {line.strip()}".strip()
