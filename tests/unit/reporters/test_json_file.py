from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.stored_trials import a_few, trial

from seatrial.core.usage import UsageTotal
from seatrial.errors import ConfigError
from seatrial.metrics.base import Score
from seatrial.reporters.base import check_target, write_document
from seatrial.reporters.catalog import DOCUMENTS
from seatrial.reporters.json_file import write_json, write_jsonl
from seatrial.reporters.report import Report
from seatrial.runs.records import ExpectedCall, RunRecord, Selection, TrialError

MakeReport = Callable[..., Report]


def refuse(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def document(report: Report) -> Any:
    out = io.BytesIO()
    write_json(report, out)
    return json.loads(out.getvalue().decode("utf-8"), parse_constant=refuse)


def test_every_trial_stands_there_in_full_and_in_order(report_of: MakeReport) -> None:
    found = document(report_of(a_few()))
    assert [test["outcome"] for test in found["tests"]] == ["passed", "failed", "errored", "unchecked", "not_run"]
    first = found["tests"][0]
    assert first["name"] == "case 0"
    assert first["line"] == 10
    assert first["metrics"][0] == {
        "metric": "f1_score",
        "outcome": "passed",
        "score": 0.75,
        "threshold": 0.5,
        "reason": "",
        "weight": 1.0,
        "group": "",
        "usage": None,
        "cost_usd": None,
        "details": None,
    }
    assert (first["expected_tools"], first["called_tools"]) == (["order_status"], ["order_status"])
    assert [message["role"] for message in first["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert found["tests"][2]["error"] == {"kind": "provider", "message": "401: wrong key", "hint": "set the key"}


def test_the_summary_holds_counts_rate_interval_and_exit_code(report_of: MakeReport) -> None:
    summary = document(report_of(a_few()))["summary"]
    assert (summary["passed"], summary["failed"], summary["total"], summary["exit_code"]) == (1, 1, 5, 1)
    low, high = summary["pass_rate_interval_95"]
    assert low < summary["pass_rate"] == 1 / 3 < high
    assert summary["cost_usd"] is None


def test_a_run_that_checked_nothing_has_no_rate(report_of: MakeReport) -> None:
    summary = document(report_of([trial(0, "unchecked")]))["summary"]
    assert (summary["pass_rate"], summary["pass_rate_interval_95"], summary["exit_code"]) == (None, None, 2)


def test_p017_texts_are_exact_and_numbers_are_json(report_of: MakeReport) -> None:
    odd = "\x1b[31m \x00 ]]> <script> 😀 \u2028 \ufffe"
    trials = [trial(output=odd, scores=(Score("m", "scored", float("inf"), details=float("nan")),))]
    test = document(report_of(trials))["tests"][0]
    assert test["output"] == odd
    assert test["metrics"][0]["score"] is None


def test_a_run_without_trials_is_still_a_document(report_of: MakeReport) -> None:
    assert document(report_of([]))["tests"] == []


def test_lines_can_be_read_one_by_one(report_of: MakeReport) -> None:
    out = io.BytesIO()
    write_jsonl(report_of(a_few()), out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["type"] for line in lines] == ["run", *["test"] * 5]


def test_a_document_is_put_in_its_place_whole_or_not_at_all(report_of: MakeReport, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text("earlier")

    def broken(_report: Report, out: Any) -> None:
        out.write(b"half")
        raise RuntimeError("oops")

    with pytest.raises(RuntimeError):
        write_document(broken, report_of(a_few()), path)
    assert path.read_text() == "earlier"
    write_document(write_json, report_of(a_few()), path)
    assert json.loads(path.read_text())["schema_version"] == 1
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".results")] == []


def test_a_place_that_cannot_be_written_is_refused_before_the_run(tmp_path: Path) -> None:
    check_target(tmp_path / "new.json")
    for bad in (tmp_path, tmp_path / "missing" / "new.json"):
        with pytest.raises(ConfigError):
            check_target(bad)


def test_every_document_of_the_catalogue_can_be_loaded() -> None:
    assert all(callable(DOCUMENTS.load(name)) for name in DOCUMENTS.names())


def test_no_field_vanishes_at_its_default(report_of: MakeReport) -> None:
    found = document(report_of([trial(0), trial(1, "errored", error=TrialError("file", "gone"))], concurrency=1))
    assert found["run"]["concurrency"] == 1
    assert set(found["run"]) == set(RunRecord.__struct_fields__)
    assert set(found["run"]["selection"]) == set(Selection.__struct_fields__)
    assert found["run"]["variants"] == [{"name": "", "provider": "openai", "model": "gpt-x"}]
    assert found["tests"][1]["error"]["hint"] is None
    assert found["tests"][0]["file"] == "agent.yaml"
    assert set(found["tests"][0]["usage"]) == set(UsageTotal.__struct_fields__)


def test_expected_calls_have_their_arguments(report_of: MakeReport) -> None:
    one = trial(expected_tools=("price",), expected_calls=(ExpectedCall("price", {"visits": 10}),))
    (test,) = document(report_of([one]))["tests"]
    assert test["expected_calls"] == [{"name": "price", "args": {"visits": 10}, "count": 1, "ok": False}]
    assert test["failed_tools"] == test["forbidden_tools"] == []
