"""Sides of a comparison, made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.stored_trials import NOON

from seatrial.runs.sides import CaseSide, MetricFacts, Side

F1 = {"f1": MetricFacts(0.5, scale=(0.0, 1.0))}


def case(name: str, passed: int = 1, checked: int = 1, input_id: str = "ab", **more: Any) -> CaseSide:
    return CaseSide(case=name, passed=passed, checked=checked, input_id=input_id, **more)


def side(name: str, cases: Sequence[CaseSide], metrics: Mapping[str, MetricFacts] = F1, **more: Any) -> Side:
    fields = {"run": name, "agent": "shop", "started_at": NOON, "metrics": metrics}
    return Side(name=name, cases={each.id: each for each in cases}, **(fields | more))


def outcomes(name: str, marks: str, **more: Any) -> Side:
    """A side of single tries: ``+`` passed, ``-`` did not, a blank is a case that is not there."""
    cases = [case(f"case {number}", int(mark == "+")) for number, mark in enumerate(marks) if mark != " "]
    return side(name, cases, **more)


def scores(name: str, values: Sequence[float], metric: str = "f1", **more: Any) -> Side:
    return side(name, [case(f"case {n}", scores={metric: value}) for n, value in enumerate(values)], **more)
