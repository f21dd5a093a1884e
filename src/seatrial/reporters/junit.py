"""The run as JUnit XML, the form that CI servers read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

from seatrial.reporters import words
from seatrial.reporters.report import Report
from seatrial.runs.records import TrialRecord

# What XML 1.0 cannot hold (section 2.2), and the controls that it only discourages.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def write_junit(report: Report, out: BinaryIO) -> None:
    """One suite with a test case for each trial.

    What is unchecked or was not run stands there as skipped: it never looks like a pass. A try that did not pass is no
    failure where enough others passed.
    """
    run = report.run
    found = Counter("passed" if report.is_tolerated(trial) else trial.outcome for trial in report.trials())
    counts = {
        "tests": found.total(),
        "failures": found["failed"],
        "errors": found["errored"],
        "skipped": found["unchecked"] + found["not_run"],
        "time": f"{run.worked_s:.3f}",
    }
    suite = {"name": run.agent, **counts, "timestamp": run.started_at.isoformat(timespec="seconds"), "id": run.id}
    _write(out, '<?xml version="1.0" encoding="UTF-8"?>')
    _write(out, f"<testsuites{_attributes({'name': 'seatrial', **counts})}>")
    _write(out, f"<testsuite{_attributes(suite)}>")
    _write(out, "<properties>" + "".join(_property(*fact) for fact in _facts(report)) + "</properties>")
    for trial in report.trials():
        _write(out, _test_case(trial, report))
    _write(out, "</testsuite>")
    _write(out, "</testsuites>")


def xml_text(text: str) -> str:
    r"""The text with what XML cannot hold written as escapes (``\x1b``), not yet quoted for markup."""
    return _FORBIDDEN.sub(_escaped, text.replace("\r\n", "\n"))


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    yield "run", report.run.id
    yield "verdict", words.verdict(report)
    for found, told in zip(report.unmeasured, words.unmeasured(report), strict=True):
        yield f"metric {found.outcome}", told
    for told in words.warnings(report):
        yield "warning", told
    for variant in report.run.variants:
        yield "model", f"{variant.provider} {variant.model}"
    if report.run.git is not None:
        yield "commit", report.run.git.commit


def _test_case(trial: TrialRecord, report: Report) -> str:
    name = trial.case if report.run.repeat == 1 and trial.repeat == 1 else f"{trial.case} (try {trial.repeat})"
    place, _, line = report.place_of(trial).rpartition(":")
    attributes: dict[str, object] = {
        "name": name,
        "classname": f"{report.run.agent}.{trial.variant}" if trial.variant else report.run.agent,
        "time": f"{trial.duration_s:.3f}",
    }
    if place:
        attributes |= {"file": place, "line": line}
    content = _tolerated(trial) if report.is_tolerated(trial) else _verdict(trial) + _answer(trial)
    return f"<testcase{_attributes(attributes)}>{content}</testcase>"


def _tolerated(trial: TrialRecord) -> str:
    told = [f"this try {trial.outcome}, and {trial.require} others that passed are enough", *words.why(trial)]
    return _element("system-out", "\n".join(told))


def _verdict(trial: TrialRecord) -> str:
    reasons = list(words.why(trial))
    first = reasons[0] if reasons else trial.outcome
    match trial.outcome:
        case "passed":
            return ""
        case "failed":
            return _element("failure", "\n".join([*reasons, *_comparison(trial)]), message=first, type="failed")
        case "errored":
            kind = trial.error.kind if trial.error is not None else "metric"
            return _element("error", "\n".join([*reasons, *_comparison(trial)]), message=first, type=kind)
        case _:
            return _element("skipped", "", message=f"{trial.outcome}: {first}")


def _comparison(trial: TrialRecord) -> Iterator[str]:
    yield f"input: {trial.input}"
    if trial.ground_truth is not None:
        yield f"expected: {trial.ground_truth}"
    yield f"actual: {trial.output}"
    if trial.expected_tools is not None:
        yield f"expected tools: {words.calls(trial) or 'none'}"
        yield f"called tools: {', '.join(trial.called_tools) or 'none'}"


def _answer(trial: TrialRecord) -> str:
    return _element("system-out", trial.output) if trial.outcome == "passed" and trial.output else ""


def _property(name: str, value: str) -> str:
    return f"<property{_attributes({'name': name, 'value': value})}/>"


def _element(tag: str, content: str, **attributes: object) -> str:
    opening = f"<{tag}{_attributes(attributes)}"
    return f"{opening}>{escape(xml_text(content), {chr(13): '&#13;'})}</{tag}>" if content else f"{opening}/>"


def _attributes(values: dict[str, object]) -> str:
    return "".join(f" {name}={quoteattr(xml_text(str(value)))}" for name, value in values.items())


def _escaped(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _write(out: BinaryIO, line: str) -> None:
    out.write(f"{line}\n".encode())
