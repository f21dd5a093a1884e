"""Word documents (.docx) as Markdown: headings, lists, tables and text boxes in the order of the document."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from seatrial.documents.archives import check_office_file
from seatrial.documents.base import Document, ReadOptions
from seatrial.documents.tables import markdown_table
from seatrial.errors import DocumentError, MissingExtraError

try:
    import docx
    from docx.opc.exceptions import PackageNotFoundError
    from lxml import etree
except ImportError as error:
    raise MissingExtraError("files", "reading Word files") from error

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_SKIPPED = frozenset((f"{_W}del", f"{_W}moveFrom", f"{_MC}Fallback", f"{_W}instrText", f"{_W}pPr", f"{_W}rPr"))
_BREAKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}


class WordReader:
    """The body's text; what was deleted in a tracked change is left out, what was inserted is in."""

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """The document; raises `DocumentError` for a password, damage, or a document without text."""
        check_office_file(data, source, options.limits, needs="word/document.xml", kind="Word document (.docx)")
        try:
            opened = docx.Document(io.BytesIO(data))
            text = _joined(_Body(opened).blocks(opened.element.body))
        except (PackageNotFoundError, KeyError, ValueError, AttributeError, etree.XMLSyntaxError) as error:
            raise DocumentError(
                f"{source} is damaged and cannot be read: {error}", hint="open and save it anew"
            ) from error
        if not text:
            raise DocumentError(f"{source} holds no text")
        if len(text) > options.limits.max_text_chars:
            raise DocumentError(
                f"{source} holds {len(text):,} characters, the limit is {options.limits.max_text_chars:,}"
            )
        return Document(source, text, "markdown")


class _Body:
    def __init__(self, opened: Any) -> None:
        self._levels = dict(_heading_levels(opened))
        self._list_styles = frozenset(_list_styles(opened))

    def blocks(self, parent: Any, is_in_cell: bool = False) -> Iterator[str]:
        """Paragraphs and tables below ``parent`` in their order, inside content controls too."""
        for element in parent:
            if element.tag in _SKIPPED or not isinstance(element.tag, str):
                continue
            if element.tag == f"{_W}p":
                yield from self._paragraph(element)
            elif element.tag == f"{_W}tbl":
                yield self._table(element, is_in_cell)
            else:
                yield from self.blocks(element, is_in_cell)

    def _paragraph(self, element: Any) -> Iterator[str]:
        text = "".join(_runs(element)).strip()
        if text:
            yield self._mark(element) + text
        for box in element.iter(f"{_W}txbxContent"):
            if not any(ancestor.tag in _SKIPPED for ancestor in box.iterancestors()):
                yield from self.blocks(box)

    def _mark(self, element: Any) -> str:
        properties = element.find(f"{_W}pPr")
        if properties is None:
            return ""
        level = self._level(properties)
        if level is not None:
            return "#" * min(level + 1, 6) + " "
        numbering = properties.find(f"{_W}numPr")
        if numbering is None:
            return "- " if _style_id(properties) in self._list_styles else ""
        depth = numbering.find(f"{_W}ilvl")
        return "  " * int(depth.get(f"{_W}val", "0") if depth is not None else 0) + "- "

    def _level(self, properties: Any) -> int | None:
        outline = properties.find(f"{_W}outlineLvl")
        if outline is not None and int(outline.get(f"{_W}val", "9")) < 9:
            return int(outline.get(f"{_W}val"))
        return self._levels.get(_style_id(properties))

    def _table(self, table: Any, is_in_cell: bool) -> str:
        rows: list[list[str]] = []
        for row in _inside(table, f"{_W}tr"):
            rows.append(self._row(row, rows[-1] if rows else []))
        if is_in_cell:
            # Markdown has no table in a table: one line per row.
            return "\n".join("; ".join(cell for cell in row if cell) for row in rows)
        width = max((len(row) for row in rows), default=0)
        if not width:
            return ""
        padded = [row + [""] * (width - len(row)) for row in rows]
        return markdown_table(padded[0], padded[1:])

    def _row(self, row: Any, above: list[str]) -> list[str]:
        cells: list[str] = []
        for cell in _inside(row, f"{_W}tc"):
            column = len(cells)
            is_continued = _is_continued(cell) and column < len(above)
            cells.append(above[column] if is_continued else self._cell(cell))
            cells += [""] * (_span(cell) - 1)
        return cells

    def _cell(self, cell: Any) -> str:
        return "\n".join(block for block in self.blocks(cell, is_in_cell=True) if block.strip())


def _joined(blocks: Iterator[str]) -> str:
    """Blocks with a blank line between them; the items of a list stand together."""
    text = ""
    was_item = False
    for block in blocks:
        if block.strip():
            is_item = block.lstrip(" ").startswith("- ")
            text += block if not text else ("\n" if is_item and was_item else "\n\n") + block
            was_item = is_item
    return text


def _runs(element: Any) -> Iterator[str]:
    """The text below a paragraph's element, without text boxes, which are blocks of their own."""
    for child in element:
        if child.tag in _SKIPPED or child.tag == f"{_W}txbxContent" or not isinstance(child.tag, str):
            continue
        if child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag in _BREAKS:
            yield _BREAKS[child.tag]
        else:
            yield from _runs(child)


def _inside(parent: Any, tag: str) -> Iterator[Any]:
    """The rows of a table or the cells of a row, also inside content controls; not those of nested tables."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"):
            yield from _inside(child, tag)


def _is_continued(cell: Any) -> bool:
    """Whether the cell is merged into the one above it."""
    properties = cell.find(f"{_W}tcPr")
    merge = None if properties is None else properties.find(f"{_W}vMerge")
    return merge is not None and merge.get(f"{_W}val", "continue") == "continue"


def _span(cell: Any) -> int:
    properties = cell.find(f"{_W}tcPr")
    span = None if properties is None else properties.find(f"{_W}gridSpan")
    return 1 if span is None else max(1, int(span.get(f"{_W}val", "1")))


def _style_id(properties: Any) -> str:
    style = properties.find(f"{_W}pStyle")
    return "" if style is None else str(style.get(f"{_W}val"))


def _heading_levels(opened: Any) -> Iterator[tuple[str, int]]:
    """Style ids and the heading levels from 0 that they, or the styles they are based on, stand for."""
    for style in opened.styles:
        for ancestor in _ancestry(style):
            level = _level_of_name(ancestor.name or "")
            if level is not None:
                yield style.style_id, level
                break


def _list_styles(opened: Any) -> Iterator[str]:
    """Ids of the styles that number their paragraphs or put a mark before them."""
    for style in opened.styles:
        if any(ancestor.element.find(f"{_W}pPr/{_W}numPr") is not None for ancestor in _ancestry(style)):
            yield style.style_id


def _ancestry(style: Any) -> Iterator[Any]:
    """The style and those that it is based on; a circle, which broken files have, is walked once."""
    seen: set[str] = set()
    while style is not None and style.style_id not in seen:
        seen.add(style.style_id)
        yield style
        style = getattr(style, "base_style", None)


def _level_of_name(name: str) -> int | None:
    lowered = name.lower()
    if lowered == "title":
        return 0
    number = lowered.removeprefix("heading ")
    return int(number) - 1 if lowered.startswith("heading ") and number.isdigit() else None
