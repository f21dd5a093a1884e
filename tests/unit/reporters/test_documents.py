"""JUnit, Markdown, HTML and GitHub: well-formed whatever the model said."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.stored_trials import a_few, trial

from seatrial.metrics.base import Score
from seatrial.reporters.base import DocumentWriter
from seatrial.reporters.csv_file import write_csv
from seatrial.reporters.github import is_github, tell_github
from seatrial.reporters.html import html_text, write_html
from seatrial.reporters.junit import write_junit, xml_text
from seatrial.reporters.markdown import md_text, write_markdown
from seatrial.reporters.report import Report

MakeReport = Callable[..., Report]

EVIL = "\x1b[31mred \x00 ]]> <script>alert(1)</script> | `tick` \n# head &amp; @team :smile: \ufffe \u202e \x9b"


def written(writer: DocumentWriter, report: Report) -> str:
    out = io.BytesIO()
    writer(report, out)
    return out.getvalue().decode("utf-8")


def evil_report(report_of: MakeReport) -> Report:
    score = Score(f"metric {EVIL}", "failed", 0.1, 0.2, EVIL)
    trials = [
        trial(
            n, "failed", case=f"{n} {EVIL}", input=EVIL, output=EVIL, ground_truth=EVIL, scores=(score,), tags=(EVIL,)
        )
        for n in range(3)
    ]
    return report_of(trials, agent_file="agent.yaml")


def test_junit_counts_and_explains(report_of: MakeReport) -> None:
    root = ET.fromstring(written(write_junit, report_of(a_few())))
    suite = root.find("testsuite")
    assert suite is not None
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")}
    assert counts == {"tests": "5", "failures": "1", "errors": "1", "skipped": "2", "time": "2.500"}
    cases = suite.findall("testcase")
    assert (cases[0].get("name"), cases[0].get("file"), cases[0].get("line")) == ("case 0", "agent.yaml", "10")
    failure = cases[1].find("failure")
    assert failure is not None
    assert failure.get("message") == "f1_score: 0.25 < 0.5: 1 of 4 words"
    assert failure.text is not None
    for part in ("expected: It arrives tomorrow.", "actual: On its way.", "called tools: search"):
        assert part in failure.text
    assert cases[2].find("error") is not None
    skipped = [case.find("skipped") for case in cases[3:]]
    assert [each is not None and each.get("message") for each in skipped] == [
        "unchecked: the case has nothing to check",
        "not_run: skipped: later",
    ]


def test_p017_junit_is_well_formed_whatever_was_said(report_of: MakeReport) -> None:
    root = ET.fromstring(written(write_junit, evil_report(report_of)))
    failure = root.find(".//failure")
    assert failure is not None
    assert "\\x1b[31mred \\x00 ]]> <script>" in (failure.text or "")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(categories=None)))
def test_p017_any_text_can_stand_in_xml(text: str) -> None:
    from xml.sax.saxutils import escape, quoteattr

    root = ET.fromstring(f"<a b={quoteattr(xml_text(text))}>{escape(xml_text(text))}</a>")
    assert root.tag == "a"


def test_markdown_has_verdict_table_and_reasons(report_of: MakeReport) -> None:
    text = written(write_markdown, report_of(a_few()))
    assert text.startswith("## FAILED: shop\n\n**1 of 3 passed (33 %")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 5
    assert "- why: f1\\_score: 0.25 &lt; 0.5: 1 of 4 words" in text


def test_p017_markdown_tables_keep_their_columns(report_of: MakeReport) -> None:
    text = written(write_markdown, evil_report(report_of))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 3
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
    assert "<script>" not in text
    assert "\x1b" not in text


@given(st.text())
def test_p017_text_in_markdown_is_one_line_without_markup(text: str) -> None:
    shown = md_text(text)
    assert not re.search(r"[\n\r<>]", shown)
    assert not re.search(r"(?<!\\)(\\\\)*[|`*@]", shown)


def test_html_runs_only_our_script_and_asks_for_nothing(report_of: MakeReport) -> None:
    text = written(write_html, report_of(a_few()))
    script = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(script) == 1
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert f"sha256-{digest}" in policy[1]
    assert "default-src &#x27;none&#x27;" in policy[1]
    assert not re.search(r"\b(src|href)=|@import|url\(", text)


def test_html_shows_every_case_with_its_conversation(report_of: MakeReport) -> None:
    text = written(write_html, report_of(a_few()))
    assert text.count('<tr class="case"') == 5
    assert "→ order_status({&quot;order_id&quot;:&quot;A-1&quot;})" in text
    assert "missing: order_status" in text
    assert "1 of 3 passed (33 %" in text


def test_p017_html_escapes_everything(report_of: MakeReport) -> None:
    text = written(write_html, evil_report(report_of))
    assert "alert(1)" in text
    assert "<script>alert" not in text
    assert "\x1b" not in text


@given(st.text())
def test_p017_text_in_html_is_never_markup(text: str) -> None:
    assert not re.search(r"[<>\"']", html_text(text))


def test_a_large_page_shows_what_did_not_pass(report_of: MakeReport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seatrial.reporters.html.MOST_ROWS", 10)
    text = written(write_html, report_of([trial(n, "failed" if n == 7 else "passed") for n in range(30)]))
    assert text.count('<tr class="case"') == 1
    assert "29 more without a row" in text


def test_github_gets_an_annotation_at_the_line_and_a_summary(report_of: MakeReport, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    out = io.StringIO()
    report = report_of(a_few(), agent_file="agents/shop.yaml")
    tell_github(report, out, {"GITHUB_STEP_SUMMARY": str(summary)})
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("::error file=agents/shop.yaml,line=11,title=case 1%3A failed::f1_score: 0.25 < 0.5")
    assert len(lines) == 2
    assert summary.read_text(encoding="utf-8").startswith("## FAILED: shop")


def test_an_answer_cannot_give_github_a_command(report_of: MakeReport) -> None:
    out = io.StringIO()
    evil = "x\n::set-output name=a::b\r\n::add-mask::c"
    trials = [trial(0, "failed", case=evil, scores=(Score("m", "failed", 0.1, 0.2, evil),))]
    tell_github(report_of(trials), out, {})
    assert len(out.getvalue().splitlines()) == 1


@pytest.mark.parametrize(
    ("environ", "expected"), [({"GITHUB_ACTIONS": "true"}, True), ({}, False), ({"CI": "1"}, False)]
)
def test_github_is_told_apart_from_other_places(environ: dict[str, Any], expected: bool) -> None:
    assert is_github(environ) is expected


def test_a_try_that_may_fail_does_no_harm_in_any_report(report_of: MakeReport) -> None:
    trials = [trial(0, "failed" if repeat == 2 else "passed", repeat=repeat, require=2) for repeat in (1, 2, 3)]
    report = report_of(trials, repeat=3)
    assert report.exit_code == 0
    suite = ET.fromstring(written(write_junit, report)).find("testsuite")
    assert suite is not None
    assert suite.get("failures") == "0"
    assert suite.find(".//failure") is None
    assert "are enough" in (suite.findtext("testcase[2]/system-out") or "")
    assert "| ✓ | case 0 | 2/3 passed |" in written(write_markdown, report)
    assert 'data-outcome="passed"' in written(write_html, report)


def test_csv_has_a_row_per_trial_and_a_column_per_metric(report_of: MakeReport) -> None:
    import csv

    rows = list(csv.DictReader(io.StringIO(written(write_csv, report_of(a_few())))))
    assert [row["outcome"] for row in rows] == ["passed", "failed", "errored", "unchecked", "not_run"]
    assert [row["f1_score"] for row in rows] == ["0.75", "0.25", "", "", ""]
    assert rows[0]["cost_usd"] == ""


def test_a_spreadsheet_takes_no_answer_for_a_formula(report_of: MakeReport) -> None:
    import csv

    text = written(write_csv, report_of([trial(output="=HYPERLINK(1)", input="@x", case="-1 \n \x1b")]))
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert (row["output"], row["input"], row["case"]) == ("'=HYPERLINK(1)", "'@x", "'-1 \n \x1b")


def test_p021_documents_tell_metrics_that_gave_no_score_beside_a_verdict(report_of: MakeReport) -> None:
    skipped = Score("recall", "skipped", None, 0.5, "the case has no ground_truth")
    report = report_of([trial(0, scores=(Score("f1_score", "passed", 1.0, 0.5), skipped))])
    assert "; 1 metric skipped**" in written(write_markdown, report)
    assert "recall was skipped in 1 trial: the case has no ground\\_truth" in written(write_markdown, report)
    told = {one.get("name"): one.get("value") for one in ET.fromstring(written(write_junit, report)).iter("property")}
    assert (told["verdict"] or "").endswith("; 1 metric skipped")
    assert told["metric skipped"] == "recall was skipped in 1 trial: the case has no ground_truth"
