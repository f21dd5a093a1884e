"""Texts that the answer must, or must not, hold."""

from __future__ import annotations

from collections.abc import Sequence

from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.checks.answer import EMPTY, comparable, excerpt, texts_of, verdict


class Contains:
    """The answer holds the text; of several, all, or with ``any_of`` at least one. Compared in Unicode form NFC."""

    name = "contains"

    def __init__(self, *, value: str | Sequence[str], ignore_case: bool = False, any_of: bool = False) -> None:
        self._texts = _checked(self.name, value)
        self._ignore_case = ignore_case
        self._any_of = any_of

    async def measure(self, evidence: Evidence) -> Measurement:
        """1 or 0; the reason names what is missing."""
        if evidence.is_answer_empty:
            return EMPTY
        missing = [text for text in self._texts if not _holds(evidence, text, ignore_case=self._ignore_case)]
        is_right = len(missing) < len(self._texts) if self._any_of else not missing
        return verdict(is_right, f"{_quoted(missing)} not in the answer {excerpt(evidence)}")


class NotContains:
    """The answer holds none of the texts. An empty answer holds nothing and is wrong all the same."""

    name = "not_contains"

    def __init__(self, *, value: str | Sequence[str], ignore_case: bool = False) -> None:
        self._texts = _checked(self.name, value)
        self._ignore_case = ignore_case

    async def measure(self, evidence: Evidence) -> Measurement:
        """1 or 0; the reason names what was found."""
        if evidence.is_answer_empty:
            return EMPTY
        found = [text for text in self._texts if _holds(evidence, text, ignore_case=self._ignore_case)]
        return verdict(not found, f"{_quoted(found)} is in the answer")


def _checked(check: str, value: str | Sequence[str]) -> tuple[str, ...]:
    texts = texts_of(value)
    if not texts or not all(isinstance(text, str) and text for text in texts):
        raise MetricError(f"{check} takes a text or a list of texts, none of them empty, not {value!r}")
    return texts


def _holds(evidence: Evidence, text: str, *, ignore_case: bool) -> bool:
    return comparable(text, ignore_case=ignore_case) in comparable(evidence.output, ignore_case=ignore_case)


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(repr(text) for text in texts)
