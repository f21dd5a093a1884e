"""A comparison as one JSON document: all numbers, unrounded, and every case."""

from __future__ import annotations

from typing import Any

from seatrial.reporters.json_file import whole
from seatrial.runs.compare import CaseDifference, Comparison
from seatrial.runs.gate import FailOn, exit_code, reasons_to_fail
from seatrial.runs.sides import CaseSide, Side

SCHEMA_VERSION = 1


def comparison_entry(found: Comparison, fail_on: FailOn | None) -> dict[str, Any]:
    """The document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "verdict": found.verdict,
        "fail_on": fail_on,
        "gate": [] if fail_on is None else reasons_to_fail(found, fail_on),
        "exit_code": exit_code(found, fail_on),
        "before": _side(found.before),
        "after": _side(found.after),
        "pass_rate": {
            **whole(found.rate.found),
            "cases_only_before": found.rate.only_before,
            "cases_only_after": found.rate.only_after,
        },
        "metrics": {
            metric.metric: {**whole(metric.facts), **whole(metric.found), "unpaired": metric.unpaired}
            for metric in found.metrics
        },
        "taken": {each.what: whole(each) for each in found.taken},
        "not_compared": {
            "only_before": found.only_before,
            "only_after": found.only_after,
            "other_input": found.other_input,
            "lost": found.lost,
            "spoiled": found.spoiled,
            "gained": found.gained,
            "metrics_lost": found.metrics_lost,
        },
        "eased": found.eased,
        "changes": whole(found.changes),
        "cases": [_case(case) for case in found.cases],
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "name": side.name,
        "run": side.run,
        "agent": side.agent,
        "started_at": side.started_at,
        "models": side.models,
        "git": whole(side.git),
        "missing_trials": side.missing,
        "is_baseline": side.is_baseline,
    }


def _case(case: CaseDifference) -> dict[str, Any]:
    return {
        "name": case.case,
        "variant": case.variant,
        "verdict": case.verdict,
        "p": case.p,
        "before": _tries(case.before),
        "after": _tries(case.after),
    }


def _tries(side: CaseSide) -> dict[str, Any]:
    return {"passed": side.passed, "tries": side.checked, "scores": side.scores, **whole(side.means)}
