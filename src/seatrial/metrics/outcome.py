"""The outcome of a case, from the scores of its metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from seatrial.metrics.base import Score

CaseOutcome = Literal["passed", "failed", "errored", "unchecked", "not_run"]


def outcome_of(scores: Sequence[Score], *, answer: str | None = None) -> CaseOutcome:
    """What the scores of one finished trial make of it; never ``not_run``.

    One failed metric fails it; it passes when every metric with a threshold passed or was skipped, and one passed.
    An error in a metric with a threshold, a fatal one in any, and thresholds that were all skipped make it ``errored``;
    without any threshold it is ``unchecked``. Give ``answer`` when the trial ended with one: an empty answer never
    passes.
    """
    decided = [score for score in scores if score.threshold is not None]
    found = {score.outcome for score in decided}
    if "failed" in found:
        return "failed"
    if "error" in found or any(score.is_fatal for score in scores):
        return "errored"
    if "passed" in found:
        return "passed" if answer is None or answer.strip() or _asks_for_nothing(decided) else "failed"
    if scores and all(score.outcome in ("skipped", "error") for score in scores):
        return "errored"
    return "errored" if decided else "unchecked"


def _asks_for_nothing(scores: Sequence[Score]) -> bool:
    """Whether a metric that compared the answer's text with an expected one found the empty text right."""
    return any(score.metric in ("equals", "equality") and score.outcome == "passed" for score in scores)
