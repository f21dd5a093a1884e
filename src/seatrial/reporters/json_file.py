"""The whole run as one JSON document: strict JSON, texts exactly as they were."""

from __future__ import annotations

from pathlib import PurePath
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
        out.write(to_json(test_entry(trial, report)))
    out.write(b"\n]}\n")


def write_jsonl(report: Report, out: BinaryIO) -> None:
    """Writes one line for the run and one for each trial."""
    out.write(to_json({"type": "run", "schema_version": SCHEMA_VERSION, **run_summary(report)}) + b"\n")
    for trial in report.trials(with_messages=True):
        out.write(to_json({"type": "test", **test_entry(trial, report)}) + b"\n")


def run_summary(report: Report) -> dict[str, Any]:
    """The run and what it comes to, without its trials."""
    run, tally = report.run, report.tally
    bare = msgspec.structs.replace(
        run, sources=tuple(msgspec.structs.replace(source, text="") for source in run.sources)
    )
    return {
        "run": whole(bare),
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
            "judges": {
                "requests": report.judges.usage.requests,
                "input_tokens": report.judges.usage.input_tokens,
                "output_tokens": report.judges.usage.output_tokens,
                "cost_usd": report.judges.cost_usd,
            },
            "warnings": [{"text": text, "trials": count} for text, count in report.warned.most_common()],
            "totals": {each.group: whole(each) for each in report.totals},
            "metrics": {each.metric: whole(each) for each in report.metrics},
        },
    }


def whole(value: Any) -> Any:
    """A record with all its fields, those at their default too: what reads a document looks for a field by its name."""
    if isinstance(value, msgspec.Struct):
        return {name: whole(getattr(value, name)) for name in value.__struct_fields__}
    return [whole(item) for item in value] if isinstance(value, tuple) else value


def _rate(rate: Rate | None) -> dict[str, Any]:
    if rate is None:
        return {"pass_rate": None, "pass_rate_interval_95": None, "interval_cases": 0}
    return {
        "pass_rate": rate.passed / rate.checked,
        "pass_rate_interval_95": rate.interval,
        "interval_cases": rate.cases,
    }


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


def test_entry(trial: TrialRecord, report: Report) -> dict[str, Any]:
    """One trial in full. Its file is told from the agent's folder."""
    return {
        "name": trial.case,
        "index": trial.case_index,
        "variant": trial.variant,
        "repeat": trial.repeat,
        "file": trial.file or PurePath(report.run.agent_file).name,
        "line": trial.line,
        "tags": trial.tags,
        "outcome": trial.outcome,
        "reason": trial.reason,
        "input": trial.input,
        "ground_truth": trial.ground_truth,
        "output": trial.output,
        "error": whole(trial.error),
        "metrics": [metric_entry(score) for score in trial.scores],
        "expected_tools": trial.expected_tools,
        "expected_calls": whole(trial.expected_calls),
        "forbidden_tools": trial.forbidden_tools,
        "called_tools": trial.called_tools,
        "failed_tools": trial.failed_tools,
        "stop_reason": trial.stop_reason,
        "limit": trial.limit,
        "started_at": trial.started_at,
        "duration_s": trial.duration_s,
        "usage": whole(trial.usage),
        "cost_usd": trial.cost_usd,
        "judges": {"usage": whole(trial.judges.usage), "cost_usd": trial.judges.cost_usd},
        "retries": trial.retries,
        "warnings": trial.warnings,
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
        "weight": score.weight,
        "group": score.group,
        "usage": whole(score.usage),
        "cost_usd": score.cost_usd,
        "details": score.details,
    }
