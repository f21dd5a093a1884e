from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from tests.support.stored_trials import NOON, trial

from seatrial.cli.runs_table import runs_table
from seatrial.reporters.plain import Glyphs
from seatrial.reporters.report import Report
from seatrial.runs.records import RunRecord, VariantRecord
from seatrial.runs.store import open_store


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_a_narrow_terminal_shows_fewer_columns_and_cuts_none(tmp_path: Path, width: int) -> None:
    variants = (VariantRecord("", "local", "minilm-extractive"),)
    run = RunRecord("20260503-120000-aaaa", "fell-and-fern", "agent.yaml", NOON, "finished", NOON, variants=variants)
    with open_store(tmp_path / "runs.db") as store:
        store.begin_run(run)
        store.add_trials(run.id, [trial(0)])
        out = io.StringIO()
        Console(file=out, width=width).print(runs_table([Report.of(store, run)], Glyphs("utf-8"), width))
    heading, row = (line.split() for line in out.getvalue().splitlines())
    assert {"run", "verdict", "passed"} <= set(heading)
    assert "20260503-120000-aaaa" in row
    assert {"passed", "1/1"} <= set(row)
    assert ("minilm-extractive" in row) == (width > 100)
    assert "…" not in out.getvalue()
