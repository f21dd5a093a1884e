"""Small office files made with the usual libraries."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import docx
import openpyxl
import pptx
from PIL import Image
from pptx.util import Inches
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas


def xlsx(fill: Callable[[openpyxl.Workbook], None]) -> bytes:
    """A workbook; ``fill`` gets it with one empty sheet."""
    workbook = openpyxl.Workbook()
    fill(workbook)
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def xlsx_of(rows: Sequence[Sequence[Any]], title: str = "Sheet") -> bytes:
    """A workbook of one sheet with these rows."""

    def fill(workbook: openpyxl.Workbook) -> None:
        workbook.active.title = title
        for row in rows:
            workbook.active.append(list(row))

    return xlsx(fill)


def word(fill: Callable[[Any], None]) -> bytes:
    """A Word document; ``fill`` gets it empty."""
    document = docx.Document()
    fill(document)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def deck(fill: Callable[[Any], None]) -> bytes:
    """A PowerPoint deck; ``fill`` gets it without slides."""
    presentation = pptx.Presentation()
    fill(presentation)
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


def deck_of(slides: Sequence[tuple[str, str]]) -> bytes:
    """A deck with a title and a text per slide."""

    def fill(presentation: Any) -> None:
        for title, text in slides:
            slide = presentation.slides.add_slide(presentation.slide_layouts[5])
            slide.shapes.title.text = title
            box = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(6), Inches(3))
            box.text_frame.text = text

    return deck(fill)


def pdf_of(pages: Sequence[str | None], password: str | None = None) -> bytes:
    """A PDF with a text per page; None is a page with a picture and no text."""
    out = io.BytesIO()
    encrypt = None
    if password is not None:
        from reportlab.lib.pdfencrypt import StandardEncryption

        encrypt = StandardEncryption(password)
    canvas = Canvas(out, pagesize=A4, encrypt=encrypt)
    for text in pages:
        if text is None:
            canvas.rect(100, 400, 200, 200, fill=1)
        else:
            for number, line in enumerate(text.split("\n")):
                canvas.drawString(72, 760 - 16 * number, line)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def picture(
    size: tuple[int, int] = (8, 6), kind: str = "PNG", mode: str = "RGB", orientation: int | None = None
) -> bytes:
    """A picture, white but for a red top left quarter."""
    image = Image.new(mode, size, "white" if mode != "CMYK" else None)
    if mode == "RGB":
        image.paste((255, 0, 0), (0, 0, max(1, size[0] // 2), max(1, size[1] // 2)))
    out = io.BytesIO()
    options = {}
    if orientation is not None:
        exif = Image.Exif()
        exif[0x0112] = orientation
        options["exif"] = exif
    image.save(out, kind, **options)
    return out.getvalue()
