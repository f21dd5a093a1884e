"""PowerPoint decks (.pptx) as Markdown: each slide with its title, text, tables, charts and notes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from seatrial.documents.archives import check_office_file
from seatrial.documents.base import Document, Problem, ReadOptions, Section
from seatrial.documents.cell_values import shown_cell
from seatrial.documents.pages import chosen_pages, pages_in_words
from seatrial.documents.tables import markdown_table
from seatrial.errors import DocumentError, MissingExtraError

try:
    import pptx
    from lxml import etree
    from pptx.exc import PackageNotFoundError, PythonPptxError
except ImportError as error:
    raise MissingExtraError("files", "reading PowerPoint files") from error


class PowerPointReader:
    """The chosen slides in the order of the deck, one section each; ``pages`` are slide numbers."""

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """The document; raises `DocumentError` for a password, damage, or a slide that is not there."""
        check_office_file(data, source, options.limits, needs="ppt/presentation.xml", kind="PowerPoint deck (.pptx)")
        try:
            slides = list(pptx.Presentation(io.BytesIO(data)).slides)
            numbers = chosen_pages(options.pages, len(slides), "slide", source)
            texts = {number: "\n\n".join(_slide(slides[number - 1], number)) for number in numbers}
        except (PackageNotFoundError, PythonPptxError, KeyError, ValueError, AttributeError) as error:
            raise _damaged(source, error) from error
        except etree.XMLSyntaxError as error:
            raise _damaged(source, error) from error
        text = ""
        sections = []
        for number, content in texts.items():
            text += "\n\n" if text else ""
            sections.append(Section(f"slide {number}", len(text), len(text) + len(content), {"slide": number}))
            text += content
        blank = [number for number in numbers if not any(_bodies(slides[number - 1]))]
        if len(blank) == len(numbers):
            raise DocumentError(f"{source}: {pages_in_words(blank, 'slide')} hold no text")
        problems = (Problem(f"{pages_in_words(blank, 'slide')} without text", source),) if blank else ()
        return Document(source, text, "markdown", sections=tuple(sections), problems=problems)


def _damaged(source: str, error: Exception) -> DocumentError:
    return DocumentError(f"{source} is damaged and cannot be read: {error}", hint="open and save it anew")


def _slide(slide: Any, number: int) -> Iterator[str]:
    title = slide.shapes.title
    name = _line(title.text_frame.text) if title is not None and title.has_text_frame else ""
    yield f"## {name or f'Slide {number}'}"
    yield from _bodies(slide, skipping=title)


def _bodies(slide: Any, skipping: Any = None) -> Iterator[str]:
    for shape in slide.shapes:
        if skipping is None or shape.shape_id != skipping.shape_id:
            yield from _shape(shape)
    notes = _notes(slide)
    if notes:
        yield f"Notes: {notes}"


def _shape(shape: Any) -> Iterator[str]:
    if hasattr(shape, "shapes"):
        for inner in shape.shapes:
            yield from _shape(inner)
    elif getattr(shape, "has_table", False):
        rows = [[_line(cell.text) for cell in row.cells] for row in shape.table.rows]
        if rows:
            yield markdown_table(rows[0], rows[1:])
    elif getattr(shape, "has_chart", False):
        yield from _chart(shape.chart)
    elif shape.has_text_frame:
        lines = ["  " * paragraph.level + _line(paragraph.text) for paragraph in shape.text_frame.paragraphs]
        text = "\n".join(line for line in lines if line.strip())
        if text:
            yield text


def _chart(chart: Any) -> Iterator[str]:
    """A chart's numbers as a table: a row per category, a column per series."""
    if chart.has_title and chart.chart_title.has_text_frame and chart.chart_title.text_frame.text.strip():
        yield _line(chart.chart_title.text_frame.text)
    for plot in chart.plots:
        series = [(str(one.name), list(one.values)) for one in plot.series]
        categories = [str(category) for category in plot.categories]
        count = max((len(values) for _, values in series), default=0)
        rows = [
            [categories[i] if i < len(categories) else "", *(_value(values, i) for _, values in series)]
            for i in range(count)
        ]
        if rows:
            yield markdown_table(["", *(name for name, _ in series)], rows)


def _value(values: list[Any], index: int) -> str:
    return shown_cell(values[index]) if index < len(values) else ""


def _notes(slide: Any) -> str:
    if not slide.has_notes_slide or slide.notes_slide.notes_text_frame is None:
        return ""
    text: str = slide.notes_slide.notes_text_frame.text.strip()
    return text.replace("\v", "\n")


def _line(text: str) -> str:
    return " ".join(text.replace("\v", " ").split())
