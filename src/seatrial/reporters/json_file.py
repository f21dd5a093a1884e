"""The whole run as one JSON document: strict JSON, texts exactly as they were."""

from __future__ import annotations

from typing import Any, BinaryIO

import msgspec

from seatrial.metrics.base import Score
from seatrial.reporters.repeats import Repeats
from seatrial.reporters.report import Rate, Report
from seatrial.runs.encoding import to_json
from seatrial.runs.records import TrialRecord

SCHEMA_VERSION = 1


def write_json(report: Report, out: BinaryIO) -> None:
    """Writes the document trial by trial: its size is not held in memory."""
    head = to_json({"schema_version": SCHEMA_VERSION, **run_summary(report)})
    out.write(head[:-1] + b',"tests":[')
    for number, trial in enumerate(report.trials(with_messages=True)):
        out.write(b",\n" if number else b"\n")
        out.write(to_json(test_entry(trial)))
    out.write(b"\n]}\n")


def write_jsonl(report: Report, out: BinaryIO) -> None:
    """Writes one line for the run and one for each trial."""
    out.write(to_json({"type": "run", "schema_version": SCHEMA_VERSION, **run_summary(report)}) + b"\n")
    for trial in report.trials(with_messages=True):
        out.write(to_json({"type": "test", **test_entry(trial)}) + b"\n")


def run_summary(report: Report) -> dict[str, Any]:
    """The run and what it comes to, without its trials."""
    run, tally = report.run, report.tally
    bare = msgspec.structs.replace(
        run, sources=tuple(msgspec.structs.replace(source, text="") for source in run.sources)
    )
    return {
        "run": msgspec.to_builtins(bare),
        "summary": {
            "exit_code": report.exit_code,
            "total": tally.total,
            "passed": tally.passed,
            "failed": tally.failed,
            "errored": tally.errored,
            "unchecked": tally.unchecked,
            "not_run": tally.not_run,
            **_rate(report.rate),
            "variants": [{"name": name, **_rate(rate)} for name, rate in report.rates_by_variant().items()],
            "repeats": report.repeats and _repeats(report.repeats),
            "input_tokens": tally.input_tokens,
            "output_tokens": tally.output_tokens,
            "cost_usd": None if tally.unknown_costs and not tally.cost_usd else tally.cost_usd,
            "trials_at_unknown_cost": tally.unknown_costs,
            "metrics": {each.metric: msgspec.structs.asdict(each) for each in report.metrics},
        },
    }


def _rate(rate: Rate | None) -> dict[str, Any]:
    if rate is None:
        return {"pass_rate": None, "pass_rate_interval_95": None}
    return {"pass_rate": rate.passed / rate.checked, "pass_rate_interval_95": rate.interval}


def _repeats(repeats: Repeats) -> dict[str, Any]:
    return {
        "k": repeats.k,
        "pass_at_k": repeats.pass_at_k,
        "pass_hat_k": repeats.pass_hat_k,
        "cases": repeats.cases,
        "cases_met": repeats.met,
        "flaky": [
            {"name": case.case, "variant": case.variant, "passed": case.passed, "tries": case.checked}
            for case in repeats.flaky
        ],
    }


def test_entry(trial: TrialRecord) -> dict[str, Any]:
    """One trial in full."""
    return {
        "name": trial.case,
        "index": trial.case_index,
        "variant": trial.variant,
        "repeat": trial.repeat,
        "file": trial.file,
        "line": trial.line,
        "tags": trial.tags,
        "outcome": trial.outcome,
        "reason": trial.reason,
        "input": trial.input,
        "ground_truth": trial.ground_truth,
        "output": trial.output,
        "error": trial.error,
        "metrics": [metric_entry(score) for score in trial.scores],
        "expected_tools": trial.expected_tools,
        "called_tools": trial.called_tools,
        "stop_reason": trial.stop_reason,
        "limit": trial.limit,
        "started_at": trial.started_at,
        "duration_s": trial.duration_s,
        "usage": msgspec.structs.asdict(trial.usage),
        "cost_usd": trial.cost_usd,
        "retries": trial.retries,
        "messages": trial.messages,
    }


def metric_entry(score: Score) -> dict[str, Any]:
    """One score in full."""
    return {
        "metric": score.metric,
        "outcome": score.outcome,
        "score": score.value,
        "threshold": score.threshold,
        "reason": score.reason,
        "details": score.details,
    }
