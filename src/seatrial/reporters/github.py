"""What GitHub Actions shows of a run: annotations at the cases' lines, and the job's summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TextIO

from seatrial.reporters import words
from seatrial.reporters.comparison_markdown import comparison_markdown
from seatrial.reporters.markdown import write_markdown
from seatrial.reporters.plain import visible
from seatrial.reporters.report import Report
from seatrial.runs.compare import Comparison
from seatrial.runs.records import TrialRecord

MOST_ANNOTATIONS = 10  # GitHub shows no more of one kind for a step
_SUMMARY_LIMIT_BYTES = 1_000_000


def is_github(environ: Mapping[str, str]) -> bool:
    """Whether this process is a step of a workflow."""
    return environ.get("GITHUB_ACTIONS") == "true"


def tell_github(report: Report, stream: TextIO, environ: Mapping[str, str]) -> None:
    """Writes annotations to ``stream``, and adds the report to the job's summary if there is a place for it."""
    checkout = environ.get("GITHUB_WORKSPACE", "")
    for trial in islice(report.failures(), MOST_ANNOTATIONS):
        stream.write(_annotation(trial, report, checkout) + "\n")
    _add_to_summary(environ, lambda out: write_markdown(report, out))


def tell_github_of_comparison(
    found: Comparison, gate: Sequence[str], stream: TextIO, environ: Mapping[str, str]
) -> None:
    """As `tell_github`: each reason of a shut gate is an annotation, and the comparison goes into the summary."""
    for reason in gate[:MOST_ANNOTATIONS]:
        stream.write(f"::error title=compared with {_property(found.before.name)}::{_data(visible(reason))}\n")
    _add_to_summary(environ, lambda out: out.write(b"\n" + comparison_markdown(found, gate).encode()))


def _add_to_summary(environ: Mapping[str, str], write: Callable[[BinaryIO], object]) -> None:
    path = environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with Path(path).open("ab") as out:
            if out.tell() < _SUMMARY_LIMIT_BYTES:
                write(out)


def _annotation(trial: TrialRecord, report: Report, checkout: str) -> str:
    place, _, line = report.place_of(trial).rpartition(":")
    fields = {"file": _in_checkout(place, checkout), "line": line, "title": f"{trial.case}: {trial.outcome}"}
    told = ",".join(f"{name}={_property(value)}" for name, value in fields.items() if value)
    message = "\n".join(words.why(trial)) or trial.outcome
    return f"::error {told}::{_data(visible(message))}"


def _in_checkout(place: str, checkout: str) -> str:
    """GitHub takes paths from the top of the checkout, whatever folder the step runs in."""
    path = Path(place).absolute()
    if not place or not checkout or not path.is_relative_to(checkout):
        return place
    return path.relative_to(checkout).as_posix()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")
