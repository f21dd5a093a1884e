from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.bag_of_words import BagOfWords

from seatrial.documents.base import Document, Record, Section
from seatrial.documents.passages import FieldSettings
from seatrial.retrieval.base import Chunk
from seatrial.retrieval.chunking import chunks_of
from seatrial.retrieval.settings import ChunkSettings

EMBEDDER = BagOfWords()
NO_FIELDS = FieldSettings()


def cut(text: str, *, markdown: bool = False, size: int = 60, overlap: int = 0, unit="characters") -> list[Chunk]:
    document = Document("a.md", text, "markdown" if markdown else "plain")
    return chunks_of(document, NO_FIELDS, ChunkSettings(size, overlap, unit), EMBEDDER)


def test_a_short_text_is_one_chunk_with_its_offsets() -> None:
    assert cut("  Hello there.\n") == [Chunk("Hello there.", "a.md", "a.md", 2, 14)]


def test_no_chunk_speaks_of_two_headings() -> None:
    chunks = cut("Intro.\n# Shop\n\n## Returns\n\nYes.\n\n## Shipping\nToday.\n# End\n", markdown=True, size=700)
    assert [(chunk.text, chunk.reference) for chunk in chunks] == [
        ("Intro.", "a.md"),
        ("# Shop\n\n## Returns\n\nYes.", "a.md#returns"),
        ("## Shipping\nToday.", "a.md#shipping"),
        ("# End", "a.md#end"),
    ]


def test_headings_in_code_are_none_and_equal_ones_have_their_own_anchor() -> None:
    text = "# Use\n\n```sh\n# not a heading\n```\n\n# Use\n\nmore\n\n# What's *new*?\n\nthings\n"
    assert [chunk.reference for chunk in cut(text, markdown=True, size=700)] == [
        "a.md#use",
        "a.md#use-1",
        "a.md#whats-new",
    ]


def test_a_long_section_keeps_its_heading_in_the_metadata_of_each_chunk() -> None:
    chunks = cut("# Rules\n\n" + "Be kind to each other. " * 20, markdown=True)
    assert len(chunks) > 5
    assert {chunk.metadata["heading"] for chunk in chunks} == {"Rules"}


def test_sections_are_never_mixed_and_named() -> None:
    document = Document(
        "a.pdf", "first page\n\nsecond page", sections=(Section("page 1", 0, 10), Section("page 2", 12, 23))
    )
    chunks = chunks_of(document, NO_FIELDS, ChunkSettings(), EMBEDDER)
    assert [(chunk.text, chunk.reference) for chunk in chunks] == [
        ("first page", "a.pdf page 1"),
        ("second page", "a.pdf page 2"),
    ]


def test_a_record_is_one_chunk_unless_it_is_too_long() -> None:
    records = (Record({"text": "short"}, "record 1"), Record({"text": "word " * 40}, "record 2"))
    document = Document("a.csv", "", records=records)
    chunks = chunks_of(document, NO_FIELDS, ChunkSettings(100, 0), EMBEDDER)
    assert [chunk.reference for chunk in chunks] == ["a.csv record 1", "a.csv record 2", "a.csv record 2"]


def test_sizes_in_tokens_are_those_of_the_embedder() -> None:
    chunks = cut("one two three four five six seven eight nine ten", size=4, unit="tokens")
    assert [EMBEDDER.count_tokens(chunk.text) for chunk in chunks] == [4, 4, 2]


def test_no_chunk_is_longer_than_the_embedder_reads() -> None:
    small = BagOfWords(max_tokens=10)
    document = Document("a.txt", "a b c d e f g h " * 30)
    for settings in (ChunkSettings(200, 20), ChunkSettings(1000, 20, "tokens")):
        chunks = chunks_of(document, NO_FIELDS, settings, small)
        assert max(small.count_tokens(chunk.text) for chunk in chunks) <= 10
        assert "".join("".join(chunk.text.split()) for chunk in chunks).count("h") >= 30


_WORDS = st.lists(
    st.sampled_from(
        ["alpha", "# head", "é\u0301", "naïve.", "\n", "\n\n", "- item", "```", "| a | b |", "漢字仮名", "🙂"]
    ),
    max_size=60,
)


@given(_WORDS, st.integers(5, 80), st.integers(0, 4), st.booleans())
def test_offsets_give_the_chunk_back_and_no_word_is_lost(
    words: list[str], size: int, overlap: int, markdown: bool
) -> None:
    text = " ".join(words)
    chunks = cut(text, markdown=markdown, size=size, overlap=overlap)
    covered = set()
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert 0 < len(chunk.text) <= size
        covered.update(range(chunk.start, chunk.end))
    assert all(text[position].isspace() for position in range(len(text)) if position not in covered)
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)


@pytest.mark.parametrize("text", ["", " \n "])
def test_nothing_gives_no_chunk(text: str) -> None:
    assert cut(text) == []
