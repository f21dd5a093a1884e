"""The whole way with the real embedded model."""

from __future__ import annotations

from pathlib import Path

import pytest

from seatrial.retrieval.base import EmbedderOptions
from seatrial.retrieval.catalog import DEFAULT_EMBEDDER, EMBEDDERS
from seatrial.retrieval.index import Index
from seatrial.retrieval.search import SearchSettings


@pytest.fixture
def index(tmp_path: Path, docs: Path):
    index = Index.open(tmp_path / "index", EMBEDDERS.load(DEFAULT_EMBEDDER)(EmbedderOptions()))
    index.refresh(docs)
    yield index
    index.close()


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("May I return what I bought?", "faq.md#returns"),
        ("Are packages dispatched quickly?", "faq.md#shipping"),
        ("a cup made of pottery in the colour of the sky", "prices.csv record 1"),
        ("what does A-0007 cost", "prices.csv record 2"),
        ("who owns the company", "about.txt"),
    ],
)
def test_a_question_in_other_words_finds_its_passage(index: Index, question: str, source: str) -> None:
    assert index.search(question, SearchSettings(top_k=1))[0].source_reference == source


def test_the_limit_of_the_model_cuts_no_passage_short(tmp_path: Path) -> None:
    (tmp_path / "zh.txt").write_text("漢字仮名交じり文" * 200)
    embedder = EMBEDDERS.load(DEFAULT_EMBEDDER)(EmbedderOptions())
    index = Index.open(tmp_path / "index", embedder)
    index.refresh(tmp_path / "zh.txt")
    passages = index.search("漢字", SearchSettings(top_k=100, mode="dense"))
    assert sum(len(passage.matched_content) for passage in passages) >= 1600
    assert max(embedder.count_tokens(passage.matched_content) for passage in passages) <= embedder.max_tokens
    index.close()
