"""The verdict: a measured value against a threshold, decided here and nowhere else."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from seatrial.metrics.base import Measurement, Score
from seatrial.metrics.catalog import MetricInfo

TOLERANCE = 1e-9
_NUMBERS = (int, float, Real)  # the plain ones first: asking an abstract class takes long
_ALL_OR_NOTHING = ("check", "trajectory")


def decide(
    name: str,
    measured: Measurement | float | None,
    threshold: float | None,
    info: MetricInfo | None = None,
) -> Score:
    """The score of ``measured``; equality up to 1e-9 passes.

    What is no finite number, or lies off the metric's scale by more than that, is ``error``, never clamped. A
    measurement without a value but with a reason is ``skipped``. Without a threshold a good value is ``scored``.
    Without ``info`` any finite value is on the scale and higher is better.
    """
    measurement = measured if isinstance(measured, Measurement) else Measurement(measured)
    if measurement.value is None and measurement.reason:
        return Score(name, "skipped", None, threshold, measurement.reason, measurement.details)
    fault = _fault(measurement.value, threshold, info)
    if fault is not None or measurement.value is None:
        reason = ": ".join(part for part in (fault, measurement.reason) if part)
        return Score(name, "error", None, threshold, reason, _with_raw_value(measurement))
    value = _without_noise(float(measurement.value), info)
    if threshold is None:
        return Score(name, "scored", value, None, measurement.reason, measurement.details)
    is_lower_better = info is not None and info.is_lower_better
    if is_good_enough(value, threshold, is_lower_better=is_lower_better):
        return Score(
            name,
            "passed",
            value,
            threshold,
            measurement.reason,
            measurement.details,
            is_empty_right=measurement.is_empty_right,
        )
    reason = _why_failed(value, threshold, measurement.reason, info)
    return Score(name, "failed", value, threshold, reason, measurement.details)


def _why_failed(value: float, threshold: float, reason: str, info: MetricInfo | None) -> str:
    """The measurement's reason behind the numbers; alone where a check or the tool calls are all right or not."""
    if reason and info is not None and info.kind in _ALL_OR_NOTHING and threshold == info.scale[1]:
        return reason
    shown_value, shown_threshold = shown_pair(value, threshold)
    is_lower_better = info is not None and info.is_lower_better
    comparison = f"{shown_value} {'>' if is_lower_better else '<'} {shown_threshold}"
    return f"{comparison}: {reason}" if reason else comparison


def is_good_enough(value: float, threshold: float, *, is_lower_better: bool = False) -> bool:
    """Whether ``value`` meets ``threshold``, float noise of 1e-9 forgiven."""
    if is_lower_better:
        return value <= threshold + TOLERANCE
    return value >= threshold - TOLERANCE


def shown_pair(value: float, threshold: float) -> tuple[str, str]:
    """Both numbers with as many digits as it takes to tell them apart, four decimals when that is enough."""
    for digits in range(4, 17):
        shown = shown_number(value, digits), shown_number(threshold, digits)
        if shown[0] != shown[1] and float(shown[1]) == threshold:
            return shown
    return repr(value), repr(threshold)


def shown_number(value: float, digits: int = 4) -> str:
    """The number with at most ``digits`` decimals, no trailing zeros; never a rounded-away 0 for a small value."""
    if value and abs(value) < 10**-digits:
        return f"{value:.{max(digits - 1, 1)}g}"
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return text or "0"


def _fault(value: object, threshold: float | None, info: MetricInfo | None) -> str | None:
    if value is None:
        return "the metric gave no value"
    if not isinstance(value, _NUMBERS):
        return f"the metric gave {value!r}, which is no number"
    number = float(value)
    if not math.isfinite(number):
        return f"the metric gave {value}, which is no finite number"
    if info is not None and not _is_between(number, *info.scale):
        return f"{shown_number(number)} is off the scale {info.shown_scale}"
    if threshold is not None and not math.isfinite(threshold):
        return f"the threshold {threshold} is no finite number"
    return None


def _without_noise(value: float, info: MetricInfo | None) -> float:
    """The end of the scale itself where float noise has carried the value over it."""
    return value if info is None else min(max(value, info.scale[0]), info.scale[1])


def _is_between(value: float, low: float, high: float) -> bool:
    return low - TOLERANCE <= value <= high + TOLERANCE


def _with_raw_value(measurement: Measurement) -> Any:
    if measurement.value is None:
        return measurement.details
    raw = measurement.value if _is_finite_number(measurement.value) else repr(measurement.value)
    return {"raw_value": raw} if measurement.details is None else {"raw_value": raw, "details": measurement.details}


def _is_finite_number(value: object) -> bool:
    return isinstance(value, Real) and math.isfinite(value)
