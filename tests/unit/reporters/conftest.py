from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.stored_trials import NOON

from seatrial.reporters.report import Report
from seatrial.runs.records import RunRecord, Source, TrialRecord, VariantRecord
from seatrial.runs.store import RunStore, open_store

MakeReport = Callable[..., Report]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with open_store(tmp_path / "runs.db") as opened:
        yield opened


@pytest.fixture
def report_of(store: RunStore) -> MakeReport:
    def make(trials: list[TrialRecord], **changes: Any) -> Report:
        fields: dict[str, Any] = {
            "agent": "shop",
            "agent_file": "agent.yaml",
            "started_at": NOON,
            "ended_at": NOON,
            "status": "finished",
            "worked_s": 2.5,
            "planned": len(trials),
            "concurrency": 4,
            "variants": (VariantRecord("", "openai", "gpt-x"),),
            "sources": (Source("agent.yaml", "ab" * 32, "name: shop\n"),),
        }
        run = RunRecord(**({"id": "20260503-120000-aaaa"} | fields | changes))
        store.begin_run(run)
        store.add_trials(run.id, trials)
        return Report.of(store, run)

    return make
