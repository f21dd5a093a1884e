"""A PDF that goes with a question: as a file, or as text and pictures of pages."""

from __future__ import annotations

import base64

from seatrial.core.content import FileContent, ImageContent, TextContent, UserBlock
from seatrial.documents.attachments import Accepts, Attachment, notes
from seatrial.documents.base import Document, ReadOptions
from seatrial.documents.pages import pages_in_words
from seatrial.documents.pdf import PdfReader, only_pages, render_pages
from seatrial.documents.picture import limits_for, prepare_picture
from seatrial.errors import DocumentError

_MOST_PICTURES = 20


def pdf_blocks(attachment: Attachment, options: ReadOptions, accepts: Accepts) -> list[UserBlock]:
    """The chosen pages in the form that the model takes; raises `DocumentError` when it takes none of them."""
    document = PdfReader().read(attachment.data, attachment.source, options)
    if accepts.pdf_files:
        return [TextContent(attachment.heading), _file(attachment, options)]
    if not accepts.images:
        return [_text(attachment, document, is_all=True)]
    pictures = _pictures(attachment, document, options, accepts)
    return [_text(attachment, document, is_all=False), *pictures]


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
        picture = prepare_picture(data, name, options.limits, limits_for(accepts.provider))
        blocks += [TextContent(f"{name}:"), ImageContent(picture.base64_data, picture.media_type)]
    return blocks
