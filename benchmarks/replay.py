"""1,000 recorded cases answered from their files: no network, no keys."""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path

from measure import ROOT, Measured, measure, server
from suite import CASES, CONCURRENCY, REPEATS, SEATRIAL, write_agent


def replayed_once(agent: Path, recording: Path) -> tuple[float, Measured]:
    """Cases per second between the first trial's start and the last one's end, and the whole command."""
    report = agent.with_name("report.json")
    done = measure([SEATRIAL, "test", agent, "--replay", recording, "--json-file", report], folder=agent.parent)
    run = json.loads(report.read_text(encoding="utf-8"))
    assert len(run["tests"]) == CASES, len(run["tests"])
    assert all(case["outcome"] == "passed" for case in run["tests"]), done.stdout[-2000:]
    return CASES / run["run"]["worked_s"], done


def rows() -> list[tuple[str, str, str]]:
    """(what, figure, bar)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with server(ROOT / "benchmarks" / "instant_server.py") as base_url:
            agent = write_agent(folder, base_url)
            command = [SEATRIAL, "test", agent, "--record", folder / "recording", "--concurrency", str(CONCURRENCY)]
            recorded = measure(command, folder=folder)
        runs = [replayed_once(agent, folder / "recording") for _ in range(REPEATS)]
    rate = statistics.median(rate for rate, _ in runs)
    whole_s = statistics.median(done.wall_s for _, done in runs)
    cpu_ms = statistics.median(done.cpu_s for _, done in runs) / CASES * 1000
    return [
        (f"`seatrial test --replay`, {CASES} cases, `f1_score`", f"{rate:.0f} cases/s", "at least 1,000 cases/s"),
        (
            "the whole command, start-up and table included",
            f"{whole_s:.2f} s = {CASES / whole_s:.0f} cases/s, {cpu_ms:.2f} ms CPU per case",
            "",
        ),
        ("recording them (`--record`)", f"{recorded.wall_s:.2f} s", ""),
    ]


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ")
