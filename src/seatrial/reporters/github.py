"""What GitHub Actions shows of a run: annotations at the cases' lines, and the job's summary."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import TextIO

from seatrial.reporters import words
from seatrial.reporters.markdown import write_markdown
from seatrial.reporters.plain import visible
from seatrial.reporters.report import Report
from seatrial.runs.records import TrialRecord

MOST_ANNOTATIONS = 10  # GitHub shows no more of one kind for a step
_SUMMARY_LIMIT_BYTES = 1_000_000


def is_github(environ: Mapping[str, str]) -> bool:
    """Whether this process is a step of a workflow."""
    return environ.get("GITHUB_ACTIONS") == "true"


def tell_github(report: Report, stream: TextIO, environ: Mapping[str, str]) -> None:
    """Writes annotations to ``stream``, and adds the report to the job's summary if there is a place for it."""
    for trial in islice(report.failures(), MOST_ANNOTATIONS):
        stream.write(_annotation(trial, report) + "\n")
    summary = environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("ab") as out:
            if out.tell() < _SUMMARY_LIMIT_BYTES:
                write_markdown(report, out)


def _annotation(trial: TrialRecord, report: Report) -> str:
    place, _, line = report.place_of(trial).rpartition(":")
    fields = {"file": place, "line": line, "title": f"{trial.case}: {trial.outcome}"}
    told = ",".join(f"{name}={_property(value)}" for name, value in fields.items() if value)
    message = "\n".join(words.why(trial)) or trial.outcome
    return f"::error {told}::{_data(visible(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")
