"""What a case costs the runner itself: CPU above the provider call, memory up to 100,000 cases, and beside others.

Every run has `f1_score` (the others: whether the answer holds the text) and keeps each result on disk.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measure import ROOT, Measured, measure, server
from runner_peers import PEERS, RUNNERS
from suite import CASES, CONCURRENCY, SEATRIAL, bare_loop, write_agent

FEW, SOME, MANY = 200, 10_000, 100_000
ROUNDS = 3
REPORTS = ("--json-file", "r.json", "--junit", "r.xml", "--md", "r.md", "--html", "r.html")
Row = tuple[str, str, str]


def rows() -> Iterator[Row]:
    """(what, figure, bar)."""
    with server(ROOT / "benchmarks" / "instant_server.py") as base_url:
        yield own_cpu(base_url)
        yield from memory(base_url)
        yield from beside_others(base_url)


def ours(base_url: str, cases: int, *options: str) -> Measured:
    """The whole command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        agent = write_agent(folder, base_url, cases)
        done = measure([SEATRIAL, "test", agent, "--concurrency", str(CONCURRENCY), *options], folder=folder)
        shown = measure([SEATRIAL, "runs", "list", "--json"], folder=folder)
        (listed,) = json.loads(shown.stdout)
        assert listed["summary"]["passed"] == cases, done.stdout
        return done


def own_cpu(base_url: str) -> Row:
    """What a further case adds to the command's CPU time, less what a bare loop needs for the same request."""
    bare_ms, case_ms = [], []
    for _ in range(ROUNDS):
        start = time.process_time()
        asyncio.run(bare_loop(base_url))
        bare_ms.append((time.process_time() - start) / CASES * 1000)
        more = ours(base_url, FEW + CASES).cpu_s - ours(base_url, FEW).cpu_s
        case_ms.append(more / CASES * 1000)
    case, bare = statistics.median(case_ms), statistics.median(bare_ms)
    figure = f"{case - bare:.2f} ms ({case:.2f} ms with the call, {bare:.2f} ms of them a bare aiohttp loop's)"
    return "own CPU for a further case, above the provider call", figure, "at most 1.0 ms"


def memory(base_url: str) -> Iterator[Row]:
    """Peaks, and whether time grows with the number of cases and no faster."""
    small = ours(base_url, CASES)
    yield f"peak memory, {CASES:,} cases", f"{small.peak_mb:.0f} MB", "under 80 MB"
    some, large = ours(base_url, SOME, *REPORTS), ours(base_url, MANY, *REPORTS)
    yield f"peak memory, {MANY:,} cases, all reports written", f"{large.peak_mb:.0f} MB", "under 250 MB"
    each, at_first = large.cpu_s / MANY * 1000, some.cpu_s / SOME * 1000
    figure = f"{each:.2f} ms CPU for each, {large.wall_s:.0f} s in all; {at_first:.2f} ms for each of {SOME:,}"
    yield f"time, {MANY:,} cases, all reports written", figure, "linear"


def beside_others(base_url: str) -> Iterator[Row]:
    """Cases per CPU second of whole commands, start-up included, and of the cases alone."""
    found: dict[str, list[tuple[Measured, Measured]]] = {name: [] for name in ("seatrial", *RUNNERS)}
    for _ in range(ROUNDS):
        found["seatrial"].append((ours(base_url, FEW), ours(base_url, FEW + CASES)))
        for name in RUNNERS:
            found[name].append((_peer(name, base_url, FEW), _peer(name, base_url, FEW + CASES)))
    rates = {name: _rates(pairs) for name, pairs in found.items()}
    whole, alone = rates["seatrial"]
    peak_mb = max(large.peak_mb for _, large in found["seatrial"])
    yield "seatrial, cases per CPU second", f"{whole:.0f}; {alone:.0f} without the start; {peak_mb:.0f} MB", ""
    for name in RUNNERS:
        its_whole, its_alone = rates[name]
        peak_mb = max(large.peak_mb for _, large in found[name])
        figure = (
            f"{its_whole:.0f}, ours {whole / its_whole:.1f}x; {its_alone:.0f} without the start, "
            f"ours {alone / its_alone:.1f}x; {peak_mb:.0f} MB"
        )
        yield f"{name} {PEERS[name]}, the same {FEW + CASES:,} cases", figure, "ours at least 5x"


def _rates(pairs: list[tuple[Measured, Measured]]) -> tuple[float, float]:
    """Medians of cases per CPU second: of the whole command, and of the further cases of the larger one."""
    whole = statistics.median((FEW + CASES) / large.cpu_s for _, large in pairs)
    return whole, statistics.median(CASES / (large.cpu_s - small.cpu_s) for small, large in pairs)


def _peer(name: str, base_url: str, cases: int) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        return RUNNERS[name](Path(folder), base_url, cases, CONCURRENCY)


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ", flush=True)
