"""What several tries of each case say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from seatrial.runs.records import CaseTally
from seatrial.stats.repeats import pass_at_k, pass_hat_k


@dataclass(frozen=True, slots=True)
class Repeats:
    """Means over the cases of the chance that one of ``k`` tries passes, and that all of them do.

    ``flaky`` are the cases whose tries disagree; ``met`` of ``cases`` passed as often as they must.
    """

    k: int
    pass_at_k: float
    pass_hat_k: float
    flaky: tuple[CaseTally, ...]
    met: int
    cases: int


def repeats_of(cases: Sequence[CaseTally]) -> Repeats | None:
    """The summary for the largest ``k`` that every checked case was tried; None when none was tried twice."""
    checked = [case for case in cases if case.checked]
    if not any(case.checked > 1 for case in checked):
        return None
    k = min(case.checked for case in checked)
    return Repeats(
        k=k,
        pass_at_k=fmean(pass_at_k(case.checked, case.passed, k) for case in checked),
        pass_hat_k=fmean(pass_hat_k(case.checked, case.passed, k) for case in checked),
        flaky=tuple(case for case in checked if case.is_flaky),
        met=sum(case.is_met for case in checked),
        cases=len(checked),
    )
