"""Cuts a document into passages of one size, at headings, paragraphs and sentences, with their offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from seatrial.documents.base import Document, Section
from seatrial.documents.passages import FieldSettings, Passage, passages_of
from seatrial.errors import MissingExtraError
from seatrial.retrieval.base import Chunk, Embedder
from seatrial.retrieval.headings import Heading, heading_at, headings_of
from seatrial.retrieval.settings import ChunkSettings

try:
    from semantic_text_splitter import MarkdownSplitter, TextSplitter
except ImportError as error:
    raise MissingExtraError("local", "searching documents") from error


Span = tuple[int, int]


def chunks_of(document: Document, fields: FieldSettings, settings: ChunkSettings, embedder: Embedder) -> list[Chunk]:
    """The document's chunks in order; none goes over a heading.

    Where there are records each is a passage of its own, cut only when it is too long, and its offsets count from the
    record's text; elsewhere they count from the document's text.
    """
    cutter = _Cutter(settings, embedder)
    if document.records is not None:
        passages = passages_of(document, fields)
        return [chunk for passage in passages for chunk in _record_chunks(passage, document.source, cutter)]
    headings = headings_of(document.text) if document.text_format == "markdown" else ()
    return [
        _text_chunk(document, section, span, headings)
        for section in document.sections or (Section("", 0, len(document.text)),)
        for start, end in _stretches(document.text, section, headings)
        for span in cutter.cut(document.text, start, end, document.text_format)
    ]


def _stretches(text: str, section: Section, headings: Sequence[Heading]) -> Iterator[Span]:
    """The section cut where a heading begins, so that no passage speaks of two things.

    A heading without a text of its own stays with the one below it.
    """
    start = section.start
    body = section.start
    for heading in headings:
        if not section.start <= heading.start < section.end:
            continue
        if text[body : heading.start].strip():
            yield start, heading.start
            start = heading.start
        body = text.find("\n", heading.start, section.end)
        if body < 0:
            body = section.end
    yield start, section.end


class _Cutter:
    def __init__(self, settings: ChunkSettings, embedder: Embedder) -> None:
        self._most_tokens = embedder.max_tokens
        self._count_tokens = embedder.count_tokens
        self._settings = settings

    def cut(self, text: str, start: int, end: int, text_format: str) -> Iterator[Span]:
        """Spans of ``text[start:end]`` without white space at their ends, as offsets in ``text``."""
        settings = self._settings
        if settings.unit == "tokens":
            size = min(settings.size, self._most_tokens)
            yield from _split(text, start, end, text_format, size, min(settings.overlap, size - 1), self._count_tokens)
            return
        for span in _split(text, start, end, text_format, settings.size, settings.overlap, None):
            yield from self._within_tokens(text, span, text_format)

    def _within_tokens(self, text: str, span: Span, text_format: str) -> Iterator[Span]:
        """The span itself, or smaller ones where the embedder would not read it to the end."""
        start, end = span
        # A token is at least one character, so that a short span needs no count; it is the slow part.
        if end - start <= self._most_tokens // 2 or self._count_tokens(text[start:end]) <= self._most_tokens:
            yield span
        else:
            yield from _split(text, start, end, text_format, self._most_tokens, 0, self._count_tokens)


def _split(
    text: str,
    start: int,
    end: int,
    text_format: str,
    size: int,
    overlap: int,
    measure: Callable[[str], int] | None,
) -> Iterator[Span]:
    kind = MarkdownSplitter if text_format == "markdown" else TextSplitter
    splitter = kind.from_callback(measure, size, overlap) if measure else kind(size, overlap)
    for offset, piece in splitter.chunk_indices(text[start:end]):
        yield start + offset, start + offset + len(piece)


def _record_chunks(passage: Passage, source: str, cutter: _Cutter) -> Iterator[Chunk]:
    reference = f"{source} {passage.place}"
    for start, end in cutter.cut(passage.text, 0, len(passage.text), "plain"):
        yield Chunk(passage.text[start:end], source, reference, start, end, dict(passage.metadata))


def _text_chunk(document: Document, section: Section, span: Span, headings: Sequence[Heading]) -> Chunk:
    start, end = span
    metadata = dict(section.metadata)
    heading = heading_at(headings, end - 1)
    reference = document.source
    if heading is not None:
        metadata["heading"] = heading.title
        reference += f"#{heading.anchor}"
    if section.place:
        reference += f" {section.place}"
    return Chunk(document.text[start:end], document.source, reference, start, end, metadata)
