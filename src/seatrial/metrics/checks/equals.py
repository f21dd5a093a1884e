"""A text, or a JSON value, that the answer must be."""

from __future__ import annotations

from typing import Any

from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.checks.answer import EMPTY, comparable, excerpt, verdict
from seatrial.metrics.json_values import read_answer, same_value
from seatrial.metrics.text.equality import first_difference


class Equals:
    """The answer is the text; white space at both ends does not count, Unicode form NFC.

    A value that is no text (a number, a list, a map) must be what the answer is when read as JSON. Only where the
    expected text is empty is an empty answer right.
    """

    name = "equals"

    def __init__(self, *, value: Any, ignore_case: bool = False) -> None:
        self._value = value
        self._ignore_case = ignore_case

    async def measure(self, evidence: Evidence) -> Measurement:
        """1 or 0; the reason says where the texts part."""
        if isinstance(self._value, str):
            given, wanted = self._plain(evidence.output), self._plain(self._value)
            return verdict(given == wanted, first_difference(given, wanted))
        if evidence.is_answer_empty:
            return EMPTY
        try:
            value = read_answer(evidence.output)
        except MetricError as error:
            return Measurement(0.0, f"{error.message}: {excerpt(evidence)}")
        return verdict(same_value(self._value, value), f"{value!r:.80} instead of {self._value!r:.80}")

    def _plain(self, text: str) -> str:
        return comparable(text, ignore_case=self._ignore_case).strip()
