"""Expected tools against called ones, in a cell of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from seatrial.reporters.plain import one_line
from seatrial.runs.records import TrialRecord

EXPECTED_TOOLS = "expected_tools"  # the metric that this column tells of; it has no column of its own
BESIDES = "+ "


class Cell(NamedTuple):
    """A text, and the outcome that colours it (``dim`` for what is beside the point)."""

    text: str
    tone: str = ""


def tool_cells(trial: TrialRecord) -> list[Cell]:
    """What was called as expected, what was missing, what came besides, and which calls gave an error.

    Nothing is missing where the trial broke off before it could be judged.
    """
    failing = Counter(trial.failed_tools)
    called = Counter(trial.called_tools)
    broken = "unchecked" if trial.outcome == "passed" else "failed"  # an error may be just what the case wants to see
    if trial.expected_tools is None:
        return list(_of_calls(called, failing, Cell("", "dim"), broken))
    expected = Counter(_as_called(trial.expected_tools, called, trial.tool_aliases))
    score = next((score for score in trial.scores if score.metric == EXPECTED_TOOLS), None)
    is_failed = score is not None and score.outcome in ("failed", "error")
    missing = Counter[str]() if trial.error is not None else expected - called
    extra = called - expected
    cells = list(_of_calls(expected & called, failing, Cell("✓ ", "passed"), broken))
    cells += [Cell(f"✗ {_counted(name, count)} not called", "failed") for name, count in missing.items()]
    cells += _of_calls(extra, failing, Cell(BESIDES, "failed" if is_failed else "dim"), broken)
    if is_failed and not missing and not extra:
        cells.append(Cell("✗ not as expected", "failed"))
    return cells if cells or trial.error is not None else [Cell("✓ none", "dim")]


def _as_called(expected: Sequence[str], called: Counter[str], aliases: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The expected tools by the names under which they were called, where they were expected under others."""
    left = called.copy()
    others: list[str] = []
    for name in expected:
        if left[name] > 0:
            left[name] -= 1
            yield name
        else:
            others.append(name)
    for name in others:
        meant = next((tool for tool in aliases if left[tool] > 0 and name in aliases[tool]), name)
        left[meant] -= 1
        yield meant


def _of_calls(calls: Counter[str], failing: Counter[str], sign: Cell, broken: str) -> Iterator[Cell]:
    """The calls by name, those apart that gave an error: each is told once, and taken out of ``failing``."""
    for name, count in calls.items():
        failed = min(failing[name], count)
        failing[name] -= failed
        if count > failed:
            yield Cell(f"{sign.text}{_counted(name, count - failed)}", sign.tone)
        if failed:
            yield Cell(f"✗ {_counted(name, failed)}: error", broken)


def _counted(name: str, count: int) -> str:
    return one_line(name) if count == 1 else f"{one_line(name)} ×{count}"
