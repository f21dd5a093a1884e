"""PDF: the text layer page by page, and pages as pictures where there is none."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from seatrial.documents.base import Document, Limits, Problem, ReadOptions, Section
from seatrial.documents.pages import chosen_pages, pages_in_words
from seatrial.errors import DocumentError, MissingExtraError

try:
    import pypdfium2
except ImportError as error:
    raise MissingExtraError("files", "reading PDF files") from error

# PDFium must not be entered by two threads at once.
_PDFIUM = threading.Lock()
# A hyphen at a line's end comes as one of these marks before the line break.
_SPLIT_WORD = re.compile("[\\x02\\ufffe]\\n?")
_DOTS_PER_POINT = 2.0


class PdfReader:
    """The chosen pages' text, one section per page. A page without text is a problem that says so."""

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """The text; raises `DocumentError` for a password, damage, or a page that is not there."""
        with _opened(data, source, options) as pdf:
            pages = chosen_pages(options.pages, len(pdf), "page", source)
            texts = {number: _text(pdf, number) for number in pages}
        text = ""
        sections = []
        for number, content in texts.items():
            text += "\n\n" if text and content else ""
            sections.append(Section(f"page {number}", len(text), len(text) + len(content), {"page": number}))
            text += content
        blank = [number for number, content in texts.items() if not content]
        return Document(
            source, text, sections=tuple(sections), blank_pages=tuple(blank), problems=_told(blank, len(pages), source)
        )


def render_pages(data: bytes, source: str, pages: Sequence[int], options: ReadOptions) -> Iterator[tuple[int, bytes]]:
    """The pages as PNG pictures at 144 dots per inch, with their numbers."""
    for number in pages:
        with _opened(data, source, options) as pdf:
            picture = _picture(pdf, number, options.limits)
        yield number, picture


def only_pages(data: bytes, source: str, options: ReadOptions) -> bytes:
    """A PDF of the chosen pages alone."""
    with _opened(data, source, options) as pdf:
        pages = chosen_pages(options.pages, len(pdf), "page", source)
        part = pypdfium2.PdfDocument.new()
        try:
            part.import_pages(pdf, [number - 1 for number in pages])
            out = io.BytesIO()
            part.save(out)
        finally:
            part.close()
    return out.getvalue()


@contextmanager
def _opened(data: bytes, source: str, options: ReadOptions) -> Iterator[pypdfium2.PdfDocument]:
    with _PDFIUM:
        try:
            pdf = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise _unreadable(error, data, source) from error
        try:
            if len(pdf) > options.limits.max_pages and options.pages is None:
                raise DocumentError(
                    f"{source} has {len(pdf):,} pages, the limit is {options.limits.max_pages:,}",
                    hint="name the pages that matter",
                )
            yield pdf
        finally:
            pdf.close()


def _unreadable(error: Exception, data: bytes, source: str) -> DocumentError:
    if "password" in str(error).lower():
        return DocumentError(f"{source} is protected by a password", hint="save it without a password")
    if not data:
        return DocumentError(f"{source} is empty")
    return DocumentError(f"{source} is damaged or no PDF: {error}", hint="open and save it anew")


def _text(pdf: pypdfium2.PdfDocument, number: int) -> str:
    page = pdf[number - 1]
    try:
        text_page = page.get_textpage()
        try:
            raw = text_page.get_text_bounded()
        finally:
            text_page.close()
    finally:
        page.close()
    whole = raw.encode("utf-8", "replace").decode("utf-8")
    unix = whole.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return _SPLIT_WORD.sub("", unix).strip()


def _picture(pdf: pypdfium2.PdfDocument, number: int, limits: Limits) -> bytes:
    page = pdf[number - 1]
    try:
        width, height = page.get_size()
        pixels = width * height * _DOTS_PER_POINT**2
        scale = _DOTS_PER_POINT * min(1.0, (limits.max_pixels / pixels) ** 0.5)
        bitmap = page.render(scale=scale)
        try:
            out = io.BytesIO()
            bitmap.to_pil().save(out, "PNG")
        finally:
            bitmap.close()
    finally:
        page.close()
    return out.getvalue()


def _told(blank: Sequence[int], count: int, source: str) -> tuple[Problem, ...]:
    if not blank:
        return ()
    which = "no page has" if len(blank) == count else f"{pages_in_words(blank, 'page')} without"
    said = f"{which} a text layer: a scan or a picture, which a model must see as an image"
    return (Problem(said, source),)
