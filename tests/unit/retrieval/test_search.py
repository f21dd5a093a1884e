from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from seatrial.errors import RetrievalError
from seatrial.retrieval.base import SearchMode, SearchResult
from seatrial.retrieval.search import SearchSettings

MODES = get_args(SearchMode)


@pytest.fixture
def index(open_index, docs: Path):
    index = open_index()
    index.refresh(docs)
    return index


def test_h017_a_result_says_what_was_found_where_and_how_close(index) -> None:
    result = index.search("blue ceramic mug", SearchSettings(mode="dense"))[0]
    assert isinstance(result, SearchResult)
    assert result.matched_content == "Blue ceramic mug"
    assert result.source_reference == "prices.csv record 1"
    assert result.metadata_dict == {
        "sku": "A-1001",
        "price": "12.50",
        "location": {"source": "prices.csv", "start": 0, "end": 16},
    }
    assert result.relevance_score == pytest.approx(1.0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", ["goods back", "A-0007", "tea", "nothing of that kind", "der Löwe", "the of and"])
def test_h017_scores_fall_and_lie_between_0_and_1_in_every_mode(index, mode: SearchMode, query: str) -> None:
    scores = [result.relevance_score for result in index.search(query, SearchSettings(mode=mode))]
    assert all(0.0 < score <= 1.0 for score in scores)
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_a_code_is_found_by_itself(index, mode: SearchMode) -> None:
    assert index.search("is A-0007 there?", SearchSettings(mode=mode))[0].source_reference == "prices.csv record 2"


def test_a_word_with_an_accent_is_found_without_it(open_index, docs: Path) -> None:
    (docs / "cafe.txt").write_text("Our Café serves Crème brûlée.")
    index = open_index()
    index.refresh(docs)
    for query in ("creme brulee", "CRÈME", "cafe"):
        assert index.search(query, SearchSettings(mode="keyword"))[0].source_reference == "cafe.txt"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "query",
    [
        '"',
        "'",
        "a AND",
        "NEAR(x, 3)",
        "-mug",
        "mug*",
        "name:mug",
        "^mug",
        "(mug",
        "mug OR",
        "{x} : y",
        "%",
        "\x00mug",
        "🙂",
    ],
)
def test_no_sign_in_a_question_is_an_operator(index, mode: SearchMode, query: str) -> None:
    index.search(query, SearchSettings(mode=mode))


def test_keyword_search_finds_nothing_where_no_word_fits(index) -> None:
    assert index.search("zebra", SearchSettings(mode="keyword")) == []


def test_min_score_leaves_out_what_is_far(index) -> None:
    every = index.search("goods back within 30 days", SearchSettings(mode="dense"))
    close = index.search("goods back within 30 days", SearchSettings(mode="dense", min_score=0.5))
    assert len(every) > 1
    assert [result.source_reference for result in close] == ["faq.md#returns"]


def test_top_k_limits_and_must_be_positive(index) -> None:
    assert len(index.search("goods tea mug", SearchSettings(top_k=2))) == 2
    with pytest.raises(RetrievalError, match="top_k is 0"):
        index.search("the", SearchSettings(top_k=0))


def test_a_passage_with_every_word_of_the_question_leads(open_index, docs: Path) -> None:
    (docs / "people.txt").write_text("In Cork the gardener is Jan. " + "The canteen opens at noon. " * 20)
    for number in range(30):
        (docs / f"other{number}.txt").write_text(f"gardener gardener {number}")
    index = open_index()
    index.refresh(docs)
    for mode in ("keyword", "hybrid"):
        found = index.search("Who is the gardener in Cork?", SearchSettings(mode=mode))
        assert found[0].source_reference == "people.txt"


def test_a_reranker_has_the_last_word(index) -> None:
    def shortest_first(query: str, results: Sequence[SearchResult]) -> list[SearchResult]:
        assert query == "goods tea mug"
        return [replace(one, relevance_score=1 / len(one.matched_content)) for one in results]

    found = index.search("goods tea mug", SearchSettings(top_k=1, min_score=0.01), rerank=shortest_first)
    assert [result.matched_content for result in found] == ["Green tea pot"]


def test_a_blank_question_finds_nothing(index) -> None:
    assert index.search("  \n") == []


@pytest.mark.parametrize("mode", MODES)
def test_where_keeps_passages_with_exactly_these_values(open_index, docs: Path, mode: SearchMode) -> None:
    (docs / "more.jsonl").write_text(
        '{"text":"tea for two","n":1,"ok":true,"a.b":"x"}\n{"text":"tea for one","n":2,"ok":false,"q\\"":"y"}\n'
    )
    index = open_index()
    index.refresh(docs)

    def texts(where: dict[str, object]) -> list[str]:
        return [result.matched_content for result in index.search("tea", SearchSettings(mode=mode, where=where))]

    assert texts({"n": 1}) == ["tea for two"]
    assert texts({"ok": False}) == ["tea for one"]
    assert texts({"a.b": "x", "n": 1}) == ["tea for two"]
    assert texts({'q"': "y"}) == ["tea for one"]
    assert texts({"n": 3}) == []
    assert texts({"n": True}) == []
    assert texts({"n": 1.0}) == ["tea for two"]


def test_the_same_search_gives_the_same_results(index) -> None:
    assert index.search("tea or mug") == index.search("tea or mug")
