"""A value against a threshold, decided in one place."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seatrial.metrics import catalog
from seatrial.metrics.base import Measurement
from seatrial.metrics.verdict import decide, shown_pair

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("value", "threshold", "outcome"),
    [
        (0.30000000000000004, 0.3, "passed"),
        (0.7999999999999999, 0.8, "passed"),
        (0.6999999999999998, 0.7, "passed"),
        (0.7966, 0.8, "failed"),
        (2.9999, 3, "failed"),
        (0.0, 0, "passed"),
        (0.0, 0.0001, "failed"),
        (3, 3, "passed"),
        (True, 1, "passed"),
        (5, None, "scored"),
        (None, 3, "error"),
        (math.nan, 3, "error"),
        (math.inf, 3, "error"),
        (math.nan, None, "error"),
        (0.5, math.nan, "error"),
    ],
)
def test_p014_score_against_threshold_decides_with_a_float_tolerance(
    value: float | None, threshold: float | None, outcome: str
) -> None:
    score = decide("m", value, threshold)
    assert score.outcome == outcome
    assert (score.value is None) is (outcome == "error")


@pytest.mark.parametrize("value", [-0.1, 1.1, 5.0])
def test_p014_a_value_off_the_scale_is_an_error_and_never_clamped(value: float) -> None:
    score = decide("rouge", value, 0.5, catalog.info("rouge"))
    assert (score.outcome, score.value) == ("error", None)
    assert "off the scale 0 to 1" in score.reason
    assert score.details == {"raw_value": value}


def test_float_noise_at_the_end_of_the_scale_is_no_error() -> None:
    score = decide("bleu", 1.0000000000000002, 1.0, catalog.info("bleu"))
    assert (score.outcome, score.value) == ("passed", 1.0)


def test_h011_where_lower_is_better_a_value_at_or_below_the_threshold_passes() -> None:
    ter = catalog.info("ter")
    assert decide("ter", 0.4, 0.4, ter).outcome == "passed"
    assert decide("ter", 0.39, 0.4, ter).outcome == "passed"
    failed = decide("ter", 1.7, 0.4, ter)
    assert (failed.outcome, failed.reason) == ("failed", "1.7 > 0.4")


def test_p014_a_near_miss_is_shown_with_enough_digits() -> None:
    assert decide("m", 0.7966, 0.8).reason == "0.7966 < 0.8"
    assert decide("m", 0.79999999, 0.8).reason == "0.79999999 < 0.8"
    assert decide("m", Measurement(0.2, "two words"), 0.5).reason == "0.2 < 0.5: two words"


def test_p016_a_measurement_without_value_is_skipped_only_with_a_reason() -> None:
    assert decide("m", Measurement(None, "no claims"), 0.5).outcome == "skipped"
    assert decide("m", Measurement(None), 0.5).outcome == "error"


@given(value=FINITE, threshold=FINITE)
def test_what_is_shown_of_a_failed_metric_always_differs_from_its_threshold(value: float, threshold: float) -> None:
    assume(decide("m", value, threshold).outcome == "failed")
    shown = shown_pair(value, threshold)
    assert shown[0] != shown[1]


@given(value=FINITE, threshold=FINITE)
def test_a_higher_value_never_turns_a_pass_into_a_failure(value: float, threshold: float) -> None:
    if decide("m", value, threshold).outcome == "passed":
        assert decide("m", value + abs(value) * 0.5 + 1, threshold).outcome in ("passed", "error")
