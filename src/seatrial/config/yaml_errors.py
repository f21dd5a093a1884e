"""libyaml's complaints in words for people, at the place where the mistake is."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

import yaml

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.source import Source
from seatrial.config.yaml_slips import Slip, quoted_value, slips, without_tabs

_MENDED_BY_QUOTES = ("put the value in quotes", "put the text in quotes")


_MAX_SLIPS = 10

Parse = Callable[[Source], yaml.MarkedYAMLError | None]


def explain_syntax_error(error: yaml.MarkedYAMLError, source: Source, parse: Parse) -> tuple[Diagnostic, Source | None]:
    """One diagnostic for one syntax error, and the text as it may be meant, where that can be told."""
    mark = error.problem_mark or error.context_mark
    line = min(mark.line + 1, len(source.lines)) if mark else 1
    column = mark.column + 1 if mark else 1
    tab = _tab_near(source, line)
    if tab is not None:
        message = f"line {tab} is indented with a tab"
        finding = Diagnostic("error", "ST107", message, Place(source.path, tab, 1), hint="indent with spaces")
        return finding, Source(source.path, "\n".join(without_tabs(source.lines)))
    slip = _slip_behind(error, source, line, parse)
    if slip is None:
        line, column, message, hint = _explain(error, source, line, column)
        finding = Diagnostic("error", "ST101", message, Place(source.path, line, column), hint=hint)
        if hint not in _MENDED_BY_QUOTES:
            return finding, None
        slip = quoted_value(line, source.lines[line - 1], column, message)
        return finding, _mended(source, slip)
    place = Place(source.path, slip.line, slip.column)
    return Diagnostic("error", "ST101", slip.message, place, hint=slip.hint), _mended(source, slip)


def _slip_behind(error: yaml.MarkedYAMLError, source: Source, line: int, parse: Parse) -> Slip | None:
    """The slip that brought the error about, perhaps many lines before it: once mended, the error is gone."""
    for slip in islice(slips(source.lines, line), _MAX_SLIPS):
        mended = _mended(source, slip)
        if mended is None:
            return slip
        left = parse(mended)
        if left is None or (_line_of(left) > slip.line and _line_of(left) != _line_of(error)):
            return slip
    return None


def _mended(source: Source, slip: Slip) -> Source | None:
    if slip.mended is None:
        return None
    lines = [*source.lines[: slip.line - 1], slip.mended, *source.lines[slip.line :]]
    return Source(source.path, "\n".join(lines))


def _line_of(error: yaml.MarkedYAMLError) -> int:
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark else 1


def _tab_near(source: Source, line: int) -> int | None:
    for number in (line, line - 1):
        text = source.line(number) or ""
        if "\t" in text[: len(text) - len(text.lstrip())] and text.strip():
            return number
    return None


def _explain(error: yaml.MarkedYAMLError, source: Source, line: int, column: int) -> tuple[int, int, str, str | None]:
    problem = error.problem or "it cannot be read"
    context = error.context_mark
    opened = (context.line + 1, context.column + 1) if context else (line, column)
    text = source.line(line) or ""
    if "quoted scalar" in (error.context or "") and "end of stream" in problem:
        return *opened, "the quote that opens here is never closed", "close it, or leave both quotes out"
    if "unknown escape" in problem:
        hint = "in double quotes a backslash starts an escape: double it, or use single quotes"
        return line, column, f"unknown escape {text[column - 1 : column + 1]}", hint
    if problem.startswith("did not find expected ',' or"):
        return _unclosed(source, opened, problem)
    if "mapping values are not allowed" in problem:
        return _stray_colon(source, line, column)
    if "could not find expected ':'" in problem:
        return *opened, "a colon is missing after this key", "write `key: value`"
    if "expected '-' indicator" in problem or "expected key" in problem:
        return _bad_indent(error, source, line, column)
    if "cannot start any token" in problem:
        character = text[column - 1 : column]
        return line, column, f"a text cannot begin with {character}", "put the text in quotes"
    if "maximum nesting" in problem:
        return line, column, "nested too deep", None
    return line, column, f"this is not valid YAML: {problem}", None


def _unclosed(source: Source, opened: tuple[int, int], problem: str) -> tuple[int, int, str, str | None]:
    bracket = problem[-2:-1]
    if "${" in (source.line(opened[0]) or "")[opened[1] - 1 :]:
        return (
            *opened,
            f"this list or block is not closed with {bracket}",
            'inside [ ] and { } write variables in quotes: "${NAME}"',
        )
    return *opened, f"what opens here is not closed with {bracket}", "close it, or put the text in quotes"


def _stray_colon(source: Source, line: int, column: int) -> tuple[int, int, str, str | None]:
    text = source.line(line) or ""
    before = text[: column - 1]
    if re.search(r":\s", before):
        return line, column, "a second colon in one line", "put the value in quotes"
    previous = next((number for number in range(line - 1, 0, -1) if (source.line(number) or "").strip()), None)
    if previous is not None and ":" not in (source.line(previous) or ""):
        shown = (source.line(previous) or "").strip()
        start = len(source.line(previous) or "") - len((source.line(previous) or "").lstrip()) + 1
        return previous, start, f"a colon is missing after `{shown[:40]}`", "write `key: value`"
    return (
        line,
        column,
        "this line is indented deeper than its neighbours",
        "give the keys of one block the same indent",
    )


def _bad_indent(
    error: yaml.MarkedYAMLError, source: Source, line: int, column: int
) -> tuple[int, int, str, str | None]:
    text = (source.line(line) or "").strip()
    if "'-'" in (error.problem or ""):
        return line, column, "a key stands among the items of a list", "indent it under its item, or start it with `- `"
    if text.startswith("- "):
        return line, column, "a list item stands among keys", "put the list under a key of its own, indented"
    return line, column, "this line does not fit the block it stands in", "give the keys of one block the same indent"
