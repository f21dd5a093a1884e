"""The outcome of a case, from the scores of its metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from seatrial.core.text import shows_nothing
from seatrial.metrics.base import Score

CaseOutcome = Literal["passed", "failed", "errored", "unchecked", "not_run"]


def outcome_of(scores: Sequence[Score], *, answer: str | None = None) -> CaseOutcome:
    """What the scores of one finished trial make of it; never ``not_run``.

    One failed metric fails it; it passes when every metric with a threshold passed or was skipped, and one passed.
    An error in a metric with a threshold, a fatal one in any, and thresholds that were all skipped make it ``errored``;
    without any threshold it is ``unchecked``. Give ``answer`` when the trial ended with one: an empty answer never
    passes, unless a metric with a threshold asked for exactly that.
    """
    decided = [score for score in scores if score.threshold is not None]
    found = [score.outcome for score in decided]
    if "failed" in found:
        return "failed"
    if "error" in found or any(score.is_fatal for score in scores):
        return "errored"
    if "passed" in found:
        is_answered = answer is None or not shows_nothing(answer) or any(score.is_empty_right for score in decided)
        return "passed" if is_answered else "failed"
    if scores and all(score.outcome in ("skipped", "error") for score in scores):
        return "errored"
    return "errored" if decided else "unchecked"
