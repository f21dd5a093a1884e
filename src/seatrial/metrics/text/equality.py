"""Equality of two texts."""

from __future__ import annotations

import string
import unicodedata

from seatrial.core.text import shows_nothing
from seatrial.errors import MetricError
from seatrial.metrics.base import Measurement
from seatrial.metrics.text.pair import PairMetric

_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


class Equality(PairMetric):
    """1 when answer and ground truth are the same text, else 0.

    Both are compared in Unicode form NFC, so that composed and decomposed accents are equal; case, white space and
    punctuation count unless switched off. ``strip_whitespace`` trims both ends, ``strip_punctuation`` drops ASCII
    punctuation everywhere, ``case_insensitive`` folds case.
    """

    name = "equality"

    def __init__(
        self, *, case_insensitive: bool = False, strip_whitespace: bool = False, strip_punctuation: bool = False
    ) -> None:
        self._case_insensitive = case_insensitive
        self._strip_whitespace = strip_whitespace
        self._strip_punctuation = strip_punctuation

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """1 or 0; the reason says where the texts part. Raises `MetricError` when nothing is left of two texts."""
        given, wanted = self._normalised(answer), self._normalised(ground_truth)
        is_empty = shows_nothing(answer)
        if is_empty and not shows_nothing(ground_truth):
            return Measurement(0.0, "the answer is empty")
        if given == wanted:
            if answer != ground_truth and not is_empty and shows_nothing(wanted):
                raise MetricError(
                    f"nothing is left to compare of {answer!r:.80} and {ground_truth!r:.80}: "
                    "punctuation and white space do not count here",
                    hint="leave strip_punctuation out for such a text",
                )
            return Measurement(1.0, is_empty_right=is_empty)
        return Measurement(0.0, first_difference(given, wanted))

    def _normalised(self, text: str) -> str:
        text = unicodedata.normalize("NFC", text)
        if self._strip_punctuation:
            text = text.translate(_WITHOUT_PUNCTUATION)
        if self._strip_whitespace:
            text = text.strip()
        return unicodedata.normalize("NFC", text.casefold()) if self._case_insensitive else text


def first_difference(given: str, wanted: str, around: int = 20) -> str:
    """Where two texts part, with a little text around it."""
    position = next(
        (i for i, (a, b) in enumerate(zip(given, wanted, strict=False)) if a != b), min(len(given), len(wanted))
    )
    start = max(position - around, 0)
    part = slice(start, position + around)
    return f"differs at character {position + 1}: {given[part]!r} instead of {wanted[part]!r}"
