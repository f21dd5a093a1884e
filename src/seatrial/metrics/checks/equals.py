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

    Of a list of texts it may be any one. A value that is no text (a number, a list, a map) must be what the answer is
    when read as JSON. Only where the expected text is empty is an empty answer right.
    """

    name = "equals"

    def __init__(self, *, value: Any, ignore_case: bool = False) -> None:
        self._value = value
        self._texts = _texts(value)
        self._ignore_case = ignore_case

    async def measure(self, evidence: Evidence) -> Measurement:
        """1 or 0; the reason says where the texts part."""
        given = self._plain(evidence.output)
        wanted = [self._plain(text) for text in self._texts]
        if given in wanted:
            return Measurement(1.0, is_empty_right=evidence.is_answer_empty)
        if isinstance(self._value, str):
            return Measurement(0.0, first_difference(given, wanted[0]))
        if evidence.is_answer_empty:
            return EMPTY
        if self._texts:
            return Measurement(0.0, f"{excerpt(evidence)} is none of {', '.join(map(repr, self._texts))}")
        try:
            value = read_answer(evidence.output)
        except MetricError as error:
            return Measurement(0.0, f"{error.message}: {excerpt(evidence)}")
        return verdict(same_value(self._value, value), f"{value!r:.80} instead of {self._value!r:.80}")

    def _plain(self, text: str) -> str:
        return comparable(text, ignore_case=self._ignore_case).strip()


def _texts(value: Any) -> list[str]:
    """The texts that the answer may be; none where JSON is asked for."""
    if isinstance(value, str):
        return [value]
    is_list_of_texts = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    return list(value) if is_list_of_texts else []
