"""A user's function that has the last word on the passages which a search found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from seatrial.errors import RetrievalError
from seatrial.retrieval.base import SearchResult
from seatrial.tools.printed import Printed


class UserReranker:
    """Asks the function for new scores; ``name`` is how it is written in the agent file.

    The function gets the question and the list of search results. It gives a score from 0 to 1 for each, in their
    order, or search results of its own choice. It may block; what it prints goes nowhere.
    """

    def __init__(self, function: Callable[[str, list[SearchResult]], Any], name: str) -> None:
        self._function = function
        self._name = name

    def __call__(self, query: str, results: Sequence[SearchResult]) -> list[SearchResult]:
        """The results with their new scores; raises `RetrievalError` when the function fails or gives no scores."""
        try:
            with Printed().capture():
                given = list(self._function(query, list(results)))
        except (Exception, SystemExit) as error:
            raise self._failure(f"failed: {type(error).__name__}: {error}".rstrip(": ")) from error
        if all(isinstance(one, SearchResult) for one in given):
            ranked: list[SearchResult] = given
        elif len(given) == len(results):
            ranked = [replace(result, relevance_score=score) for result, score in zip(results, given, strict=True)]
        else:
            raise self._failure(f"gave {len(given)} scores for {len(results)} passages")
        for result in ranked:
            self._check(result.relevance_score)
        return ranked

    def _check(self, score: Any) -> None:
        try:
            is_score = 0.0 <= score <= 1.0
        except TypeError:
            is_score = False
        if not is_score:
            raise self._failure(f"gave {score!r} for a passage")

    def _failure(self, what: str) -> RetrievalError:
        return RetrievalError(
            f"the reranker {self._name} {what}",
            hint="it takes (query, results) and gives a number from 0 to 1 for each result, in their order",
        )
