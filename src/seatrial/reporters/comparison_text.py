"""A comparison on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from seatrial.reporters.comparison import MARKS, headline, sections, side_line
from seatrial.reporters.plain import Glyphs, one_line
from seatrial.reporters.sections import section_lines
from seatrial.runs.compare import Comparison

_STYLES = {"better": "bold green", "worse": "bold red", "no evidence": "bold yellow"}


def print_comparison(found: Comparison, console: Console, glyphs: Glyphs, gate: Sequence[str] = ()) -> None:
    """Both sides, the sections, the verdict last, where the eye is; ``gate`` are the reasons of a shut gate."""
    for label, side in (("before", found.before), ("after ", found.after)):
        _print(console, glyphs(f"{label}  {one_line(side_line(side))}"), "bright_black")
    opening, *rest = sections(found)
    for section in rest:
        console.print()
        for line in section_lines(section):
            _print(console, glyphs(line.text), line.style)
    console.print()
    mark = Text.assemble((MARKS[found.verdict], _STYLES[found.verdict]), "  ", glyphs(one_line(headline(found))))
    console.print(mark, soft_wrap=True)
    for text in opening.lines:
        _print(console, glyphs(one_line(text)))
    for reason in gate:
        _print(console, glyphs(f"gate: {one_line(reason)}"), "red")


def _print(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style), soft_wrap=True)
