"""Plain text and Markdown: the text is the document."""

from __future__ import annotations

from seatrial.documents.base import Document, ReadOptions, TextFormat
from seatrial.documents.encoding import decode, with_unix_newlines
from seatrial.errors import DocumentError


class TextReader:
    """Text as it stands, with ``\\n`` for every line end."""

    text_format: TextFormat = "plain"

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """The text; raises `DocumentError` when there is none."""
        text, problems = decode(data, source, options.limits)
        if not text.strip():
            raise DocumentError(f"{source} holds no text", hint="is it the right file?")
        return Document(source, with_unix_newlines(text), self.text_format, problems=problems)


class MarkdownReader(TextReader):
    """Markdown, kept as it is; its headings guide where passages begin."""

    text_format: TextFormat = "markdown"
