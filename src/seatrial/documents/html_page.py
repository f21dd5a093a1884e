"""HTML pages as Markdown: what a reader of the page sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from seatrial.documents.base import Document, ReadOptions
from seatrial.documents.encoding import decode
from seatrial.documents.tables import markdown_table
from seatrial.errors import DocumentError, MissingExtraError

try:
    from lxml import etree, html
except ImportError as error:
    raise MissingExtraError("files", "reading HTML pages") from error

_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?([A-Za-z0-9_\-]+)""", re.IGNORECASE)
_HIDDEN = frozenset(
    (*("script", "style", "template", "noscript", "svg", "head", "iframe", "object"), *("select", "math", "nav"))
)
_INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i"),
        *("img", "input", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub"),
        *("sup", "time", "tt", "u", "var", "wbr"),
    )
)
_HEADING = re.compile("h([1-6])")
_SPACES = re.compile(r"[ \t\n\r\f]+")


class HtmlReader:
    """The page's text with headings, lists and tables; scripts, styles, menus and hidden parts are left out."""

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """The text; raises `DocumentError` when a reader of the page would see none."""
        text, problems = decode(_as_utf8(data), source, options.limits)
        try:
            page = html.document_fromstring(text.encode("utf-8"), parser=html.HTMLParser(encoding="utf-8"))
        except etree.ParserError as error:
            raise DocumentError(f"{source} holds no page: {error}") from error
        body = "\n\n".join(block for block in _blocks(page) if block.strip())
        shown = _titled(page, body)
        if not shown:
            raise DocumentError(f"{source} shows no text", hint="a page that a script fills is empty to a reader")
        return Document(source, shown, "markdown", problems=problems)


def _as_utf8(data: bytes) -> bytes:
    """Follows the page's own ``<meta charset>`` where the bytes do not say what they are."""
    match = _CHARSET.search(data[:2048])
    if match is None or data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return data
    try:
        return data.decode(match[1].decode("ascii")).encode("utf-8")
    except (LookupError, UnicodeError):
        return data


def _titled(page: Any, body: str) -> str:
    title = _SPACES.sub(" ", page.findtext(".//title") or "").strip()
    return f"# {title}\n\n{body}".strip() if title and title not in body else body


def _blocks(element: Any) -> Iterator[str]:
    """The blocks below an element in their order; text between blocks is a block too."""
    line: list[str] = [element.text or ""]
    for child in element:
        if _is_inline(child):
            line += _inline(child)
        elif not _is_hidden(child):
            yield _joined(line)
            line = []
            yield from _block(child)
        line.append(child.tail or "")
    yield _joined(line)


def _block(element: Any) -> Iterator[str]:
    heading = _HEADING.fullmatch(element.tag)
    if heading:
        text = " ".join("".join(_inline(element)).split())
        yield f"{'#' * int(heading[1])} {text}" if text else ""
    elif element.tag in ("ul", "ol"):
        yield "\n".join(_items(element))
    elif element.tag == "table":
        yield from _table(element)
    elif element.tag == "pre":
        text = element.text_content().strip("\n")
        yield f"```\n{text}\n```" if text.strip() else ""
    else:
        yield from _blocks(element)


def _items(element: Any, depth: int = 0) -> Iterator[str]:
    number = 0
    for item in element:
        if item.tag in ("ul", "ol"):
            yield from _items(item, depth + 1)
        if item.tag != "li" or _is_hidden(item):
            continue
        number += 1
        mark = f"{number}. " if element.tag == "ol" else "- "
        inner = [child for child in item if child.tag in ("ul", "ol")]
        for nested in inner:
            _take_out(nested)
        text = "\n".join(block for block in _blocks(item) if block.strip())
        yield "  " * depth + mark + text.replace("\n", "\n" + "  " * (depth + 1))
        for nested in inner:
            yield from _items(nested, depth + 1)


def _take_out(element: Any) -> None:
    """Removes an element from its parent and leaves the text behind it."""
    before = element.getprevious()
    parent = element.getparent()
    if before is None:
        parent.text = (parent.text or "") + (element.tail or "")
    else:
        before.tail = (before.tail or "") + (element.tail or "")
    parent.remove(element)


def _table(table: Any) -> Iterator[str]:
    caption = table.find("caption")
    if caption is not None:
        yield _joined(_inline(caption))
    rows = [_cells(row) for row in table.iter("tr") if next(row.iterancestors("table")) is table]
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if rows and max(map(len, rows)) == 1:
        yield from (cell for row in rows for cell in row)
    elif rows:
        yield markdown_table(rows[0], rows[1:])


def _cells(row: Any) -> list[str]:
    cells: list[str] = []
    for cell in row:
        if cell.tag in ("td", "th") and not _is_hidden(cell):
            cells.append("\n".join(block for block in _blocks(cell) if block.strip()))
            cells += [""] * (_span(cell) - 1)
    return cells


def _span(cell: Any) -> int:
    span = cell.get("colspan", "1")
    return min(max(int(span), 1), 1000) if span.isdigit() else 1


def _inline(element: Any) -> list[str]:
    """The text of an element in one line; ``<br>`` breaks it, a picture speaks by its ``alt`` text."""
    if element.tag == "br":
        return ["\v"]
    if element.tag == "img":
        return [element.get("alt") or ""]
    parts = [element.text or ""]
    for child in element:
        if not _is_hidden(child):
            parts += _inline(child)
        parts.append(child.tail or "")
    return parts


def _joined(parts: list[str]) -> str:
    lines = (_SPACES.sub(" ", line).strip() for line in "".join(parts).split("\v"))
    return "\n".join(lines).strip()


def _is_inline(element: Any) -> bool:
    if element.tag == "br":
        return True
    return (
        element.tag in _INLINE
        and not _is_hidden(element)
        and not any(
            isinstance(inner.tag, str) and inner.tag not in _INLINE and inner.tag != "br" for inner in element.iter()
        )
    )


def _is_hidden(element: Any) -> bool:
    if not isinstance(element.tag, str) or element.tag in _HIDDEN:
        return True
    style = (element.get("style") or "").replace(" ", "").lower()
    return "hidden" in element.attrib or element.get("aria-hidden") == "true" or "display:none" in style
