"""The run as CSV, a row per trial and a column per metric."""

from __future__ import annotations

import csv
import io
from typing import BinaryIO

from seatrial.reporters import words
from seatrial.reporters.report import Report
from seatrial.runs.records import TrialRecord

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write_csv(report: Report, out: BinaryIO) -> None:
    """A header, then the trials in the order of the file. No cell is taken for a formula by a spreadsheet."""
    metrics = list(dict.fromkeys(score.metric for trial in report.trials() for score in trial.scores))
    text = io.TextIOWrapper(out, encoding="utf-8", errors="replace", newline="", write_through=True)
    try:
        writer = csv.writer(text)
        writer.writerow([*_FIXED, *map(_safe, metrics)])
        for trial in report.trials():
            scores = {score.metric: score for score in trial.scores}
            values = [scores[name].value if name in scores else None for name in metrics]
            writer.writerow([*_cells(trial), *("" if value is None else value for value in values)])
    finally:
        text.detach()


_FIXED = (
    "case",
    "variant",
    "repeat",
    "outcome",
    "why",
    "input",
    "output",
    "ground_truth",
    "expected_tools",
    "called_tools",
    "duration_s",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "judges_input_tokens",
    "judges_output_tokens",
    "judges_cost_usd",
)


def _cells(trial: TrialRecord) -> list[object]:
    tools = None if trial.expected_tools is None else " ".join(trial.expected_tools)
    texts = [trial.case, trial.variant, trial.repeat, trial.outcome, "; ".join(words.why(trial)), trial.input]
    texts += [trial.output, trial.ground_truth, tools, " ".join(trial.called_tools)]
    numbers = [round(trial.duration_s, 6), trial.usage.input_tokens, trial.usage.output_tokens, trial.cost_usd]
    judges = trial.judges
    numbers += [judges.usage.input_tokens, judges.usage.output_tokens, judges.cost_usd]
    return [_safe(text) if isinstance(text, str) else text for text in texts] + numbers


def _safe(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
