"""Edit distance between two texts, by rapidfuzz."""

from __future__ import annotations

import unicodedata

from seatrial.metrics.base import Measurement
from seatrial.metrics.text.extra import from_extra_metrics
from seatrial.metrics.text.pair import PairMetric

with from_extra_metrics("levenshtein"):
    from rapidfuzz.distance import Levenshtein as Edits


class Levenshtein(PairMetric):
    """Characters to insert, delete or replace (Levenshtein 1966), texts in Unicode form NFC; 0 is the same text."""

    name = "levenshtein"

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """0 and up."""
        return Measurement(float(Edits.distance(_nfc(answer), _nfc(ground_truth))))


class LevenshteinSimilarity(PairMetric):
    """1 minus the edit distance over the length of the longer text, both in Unicode form NFC."""

    name = "levenshtein_similarity"

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """0 to 1; details hold the distance."""
        given, wanted = _nfc(answer), _nfc(ground_truth)
        distance = Edits.distance(given, wanted)
        longer = max(len(given), len(wanted))
        value = 1 - distance / longer if longer else 1.0
        return Measurement(value, details={"distance": distance})


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
