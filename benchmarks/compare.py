"""Two stored runs of 10,000 cases with six metrics each, compared by the command: from start to exit."""

from __future__ import annotations

import random
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from measure import Measured, measure

from seatrial.core.messages import AssistantMessage, UserMessage
from seatrial.core.usage import UsageTotal
from seatrial.metrics.base import Score
from seatrial.runs.names import store_file
from seatrial.runs.records import RunRecord, Source, TrialRecord, VariantRecord
from seatrial.runs.store import open_store

CASES = 10_000
METRICS = ("f1_score", "bleu", "rouge", "chrf", "gleu", "exact")
REPEATS = 5
SEATRIAL = Path(sys.executable).with_name("seatrial")
NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)


def write_run(folder: Path, name: str, pass_rate: float) -> None:
    """A finished run whose trials look like those of a real one."""
    draw = random.Random(name)  # noqa: S311 - made-up scores, no secret
    agent = f"name: shop\nmodel: {{provider: openai, name: gpt-{name}}}\ninstructions: Answer.\n"
    run = RunRecord(
        id=name,
        agent="shop",
        agent_file="agent.yaml",
        started_at=NOON,
        ended_at=NOON,
        status="finished",
        planned=CASES,
        variants=(VariantRecord("", "openai", f"gpt-{name}"),),
        sources=(Source("agent.yaml", name * 16, agent),),
    )
    with open_store(store_file(folder)) as store:
        store.begin_run(run)
        for start in range(0, CASES, 1_000):
            store.add_trials(name, [_trial(number, draw, pass_rate) for number in range(start, start + 1_000)])


def _trial(number: int, draw: random.Random, pass_rate: float) -> TrialRecord:
    is_good = draw.random() < pass_rate
    outcome = "passed" if is_good else "failed"
    scores = tuple(Score(name, outcome, draw.random(), 0.5, f"{name}: told here", {"words": 12}) for name in METRICS)
    said = f"What is the number of item {number}, and when does it arrive?"
    return TrialRecord(
        case=f"item {number}",
        case_index=number,
        outcome=outcome,
        started_at=NOON,
        input=said,
        output="It is on its way and arrives tomorrow before noon.",
        ground_truth="It arrives tomorrow.",
        scores=scores,
        usage=UsageTotal(900, 40, requests=2),
        cost_usd=0.001 + draw.random() / 1_000,
        duration_s=0.5 + draw.random(),
        messages=(UserMessage(said), AssistantMessage()),
    )


def rows() -> list[tuple[str, str, str]]:
    """(what, figure, bar)."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_run(folder, "aaaa", 0.90)
        write_run(folder, "bbbb", 0.91)
        found: list[Measured] = [
            measure([SEATRIAL, "compare", "aaaa", "bbbb", "--json"], folder=folder) for _ in range(REPEATS)
        ]
    what = f"compare, two runs of {CASES:,} cases with {len(METRICS)} metrics"
    return [
        (f"{what}: wall clock", f"{median(each.wall_s for each in found):.2f} s", "under 2 s"),
        (f"{what}: peak memory", f"{max(each.peak_mb for each in found):.0f} MB", ""),
    ]


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ")
