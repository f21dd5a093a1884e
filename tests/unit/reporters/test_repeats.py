from __future__ import annotations

import pytest

from seatrial.reporters.repeats import repeats_of
from seatrial.runs.records import CaseTally


def test_one_try_of_each_case_says_nothing_more() -> None:
    assert repeats_of([CaseTally("a", "", 1, 1), CaseTally("b", "", 1, 0)]) is None
    assert repeats_of([]) is None


def test_the_chances_are_means_over_the_cases() -> None:
    found = repeats_of([CaseTally("a", "", 5, 3), CaseTally("b", "", 2, 2), CaseTally("c", "", 0, 0)])
    assert found is not None
    assert found.k == 2
    assert found.pass_at_k == pytest.approx((0.9 + 1.0) / 2)
    assert found.pass_hat_k == pytest.approx((0.3 + 1.0) / 2)
    assert [case.case for case in found.flaky] == ["a"]
    assert (found.met, found.cases) == (1, 2)


def test_a_case_that_requires_fewer_passes_than_tries_is_met_by_them() -> None:
    found = repeats_of([CaseTally("a", "", 3, 2, require=2)])
    assert found is not None
    assert found.met == 1
    assert found.flaky
