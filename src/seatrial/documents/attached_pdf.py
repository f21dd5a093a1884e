"""A PDF that goes with a question: as a file, or as text and pictures of pages."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from importlib.resources import files

from seatrial.core.content import FileContent, ImageContent, TextContent, UserBlock
from seatrial.documents.attachments import Accepts, Attachment, notes
from seatrial.documents.base import Document, ReadOptions
from seatrial.documents.pages import pages_in_words
from seatrial.documents.pdf import PdfReader, only_pages, render_pages
from seatrial.documents.picture import limits_for, prepare_picture
from seatrial.errors import DocumentError

_MOST_PICTURES = 20


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """How large a file may be that goes as it is, in characters as it is sent; None is no limit to the pages."""

    max_base64_chars: int
    max_pages: int | None


def pdf_blocks(attachment: Attachment, options: ReadOptions, accepts: Accepts) -> list[UserBlock]:
    """The chosen pages in the form that the model takes: a file within the provider's limits, else text and pictures.

    Raises `DocumentError` when it takes none of them.
    """
    document = PdfReader().read(attachment.data, attachment.source, options)
    limits = pdf_limits_for(accepts) if accepts.pdf_files else None
    if limits is not None and (limits.max_pages is None or len(document.sections) <= limits.max_pages):
        file = _file(attachment, options)
        if len(file.data) <= limits.max_base64_chars:
            return [TextContent(attachment.heading), file]
    if not accepts.images:
        return [_text(attachment, document, is_all=True)]
    pictures = _pictures(attachment, document, options, accepts)
    return [_text(attachment, document, is_all=False), *pictures]


def pdf_limits_for(accepts: Accepts) -> PdfLimits | None:
    """What the provider takes of one file; None where nothing is known of it."""
    table = json.loads(files("seatrial.documents").joinpath("data/pdf_limits.json").read_text("utf-8"))
    entry = table.get(accepts.provider)
    if entry is None:
        return None
    has_large_window = (accepts.context_window or 0) >= entry["large_window_tokens"]
    pages = entry["max_pages_of_large_windows"] if has_large_window else entry["max_pages"]
    return PdfLimits(entry["max_base64_chars"], pages)


def _file(attachment: Attachment, options: ReadOptions) -> FileContent:
    chosen = attachment.data if options.pages is None else only_pages(attachment.data, attachment.source, options)
    return FileContent(base64.b64encode(chosen).decode("ascii"), "application/pdf", attachment.path.name)


def _text(attachment: Attachment, document: Document, *, is_all: bool) -> TextContent:
    if is_all and not document.text.strip():
        raise DocumentError(
            f"{attachment.source} has no text layer, and the model takes no pictures",
            hint="use a model that sees images, or a PDF with text",
        )
    told = notes(document.problems) if is_all else ""
    body = f"\n\n{document.text}" if document.text.strip() else ""
    return TextContent(f"{attachment.heading}{body}{told}")


def _pictures(attachment: Attachment, document: Document, options: ReadOptions, accepts: Accepts) -> list[UserBlock]:
    pages = document.blank_pages
    if len(pages) > _MOST_PICTURES:
        raise DocumentError(
            f"{attachment.source}: {len(pages)} pages are without text; at most {_MOST_PICTURES} are sent as pictures",
            hint="choose the pages that matter with `pages:`",
        )
    blocks: list[UserBlock] = []
    for number, data in render_pages(attachment.data, attachment.source, pages, options):
        name = f"{attachment.source}, {pages_in_words([number], 'page')}"
        picture = prepare_picture(data, name, options.limits, limits_for(accepts.provider, is_one_of_many=True))
        blocks += [TextContent(f"{name}:"), ImageContent(picture.base64_data, picture.media_type)]
    return blocks
