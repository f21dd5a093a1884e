from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from seatrial.core.content import TextContent
from seatrial.core.messages import AssistantMessage, UserMessage
from seatrial.core.usage import Usage, UsageTotal
from seatrial.metrics.base import Score
from seatrial.runs.records import RunRecord, Source, TrialRecord
from seatrial.runs.store import RunStore, open_store

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with open_store(tmp_path / ".seatrial" / "runs.db") as opened:
        yield opened


@pytest.fixture
def a_run() -> Callable[..., RunRecord]:
    def make(run_id: str = "20260503-120000-aaaa", **changes: Any) -> RunRecord:
        fields: dict[str, Any] = {
            "agent": "shop",
            "agent_file": "agent.yaml",
            "started_at": NOON,
            "planned": 3,
            "sources": (Source("agent.yaml", "ab" * 32, "name: shop\n"),),
        }
        return RunRecord(id=run_id, **(fields | changes))

    return make


@pytest.fixture
def a_trial() -> Callable[..., TrialRecord]:
    def make(index: int = 0, **changes: Any) -> TrialRecord:
        fields: dict[str, Any] = {
            "case": f"case-{index}",
            "case_index": index,
            "outcome": "passed",
            "started_at": NOON,
            "input": "Where is it?",
            "output": "On its way.",
            "scores": (Score("f1_score", "passed", 0.9, 0.5),),
            "usage": UsageTotal(input_tokens=10, output_tokens=4, requests=1),
            "messages": (
                UserMessage("Where is it?", NOON),
                AssistantMessage((TextContent("On its way."),), usage=Usage(10, 4), timestamp=NOON),
            ),
        }
        return TrialRecord(**(fields | changes))

    return make
