from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest

from seatrial.errors import RetrievalError
from seatrial.retrieval.base import SearchResult
from seatrial.tools.reranker import UserReranker

FOUND = [SearchResult("long text", {}, "a.md", 0.9), SearchResult("short", {}, "b.md", 0.2)]


def reranked(function: Any) -> list[SearchResult]:
    return UserReranker(function, "rank.py:rerank")("query", FOUND)


def test_numbers_are_the_new_scores_in_the_order_of_the_passages() -> None:
    ranked = reranked(lambda _query, _results: [0.1, 1])
    assert [(one.source_reference, one.relevance_score) for one in ranked] == [("a.md", 0.1), ("b.md", 1)]


def test_the_function_may_choose_among_the_passages() -> None:
    assert reranked(lambda _query, results: [replace(results[1], relevance_score=0.5)]) == [
        SearchResult("short", {}, "b.md", 0.5)
    ]
    assert reranked(lambda _query, _results: []) == []


def test_what_it_prints_does_not_reach_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    reranked(lambda _query, _results: [print("hello"), 0.5][1:] * 2)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda _query, _results: [0.1], "gave 1 scores for 2 passages"),
        (lambda _query, _results: [0.1, 7], "gave 7 for a passage"),
        (lambda _query, _results: [0.1, float("nan")], "gave nan for a passage"),
        (lambda _query, _results: ["a", "b"], "gave 'a' for a passage"),
        (lambda _query, results: [replace(results[0], relevance_score=2)], "gave 2 for a passage"),
        (lambda _query, _results: None, "failed: TypeError"),
        (lambda _query, _results: 1 / 0, "failed: ZeroDivisionError: division by zero"),
        (lambda _query, _results: sys.exit(), "failed: SystemExit"),
    ],
)
def test_a_function_that_fails_is_named_with_what_it_should_give(function: Any, said: str) -> None:
    with pytest.raises(RetrievalError, match=said) as caught:
        reranked(function)
    assert "rank.py:rerank" in caught.value.message
    assert "a number from 0 to 1" in (caught.value.hint or "")
