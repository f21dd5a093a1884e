"""A text that the answer must be."""

from __future__ import annotations

from collections.abc import Sequence

from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.checks.answer import comparable, texts_of, verdict
from seatrial.metrics.text.equality import first_difference


class Equals:
    """The answer is the text, or one of several; white space at both ends does not count, Unicode form NFC.

    Only here, where the expected text is empty, is an empty answer right.
    """

    name = "equals"

    def __init__(self, *, value: str | Sequence[str], ignore_case: bool = False) -> None:
        self._texts = texts_of(value)
        if not self._texts or not all(isinstance(text, str) for text in self._texts):
            raise MetricError(f"equals takes a text or a list of texts, not {value!r}")
        self._ignore_case = ignore_case

    async def measure(self, evidence: Evidence) -> Measurement:
        """1 or 0; the reason says where the texts part."""
        given = self._plain(evidence.output)
        wanted = [self._plain(text) for text in self._texts]
        several = "" if len(wanted) == 1 else f"none of the {len(wanted)} texts; of the first it "
        return verdict(given in wanted, several + first_difference(given, wanted[0]))

    def _plain(self, text: str) -> str:
        return comparable(text, ignore_case=self._ignore_case).strip()
