"""A comparison as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seatrial.reporters.comparison import MARKS, headline, sections, side_line
from seatrial.reporters.markdown import md_text
from seatrial.reporters.sections import Section
from seatrial.runs.compare import Comparison


def comparison_markdown(found: Comparison, gate: Sequence[str] = ()) -> str:
    """The whole document; ``gate`` are the reasons of a shut gate."""
    return "".join(f"{line}\n" for line in _lines(found, gate))


def _lines(found: Comparison, gate: Sequence[str]) -> Iterator[str]:
    yield f"## {MARKS[found.verdict]}: {md_text(found.after.agent)}"
    yield ""
    yield f"**{md_text(headline(found))}**"
    yield ""
    for reason in gate:
        yield f"- gate: {md_text(reason)}"
    opening, *rest = sections(found)
    yield from (f"- {md_text(line)}" for line in opening.lines)
    yield f"- before: {md_text(side_line(found.before))}"
    yield f"- after: {md_text(side_line(found.after))}"
    for section in rest:
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield ""
    yield f"### {md_text(section.title)}"
    yield ""
    if section.rows:
        yield f"| {' | '.join(map(md_text, section.headings))} |"
        places = range(len(section.headings))
        yield f"| {' | '.join('---:' if place in section.numbers else '---' for place in places)} |"
        yield from (f"| {' | '.join(map(md_text, row))} |" for row in section.rows)
        if section.lines:
            yield ""
    for line in section.lines:
        indent = "  " if line.startswith("  ") else ""
        yield f"{indent}- {md_text(line)}"
