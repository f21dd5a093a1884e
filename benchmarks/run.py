"""Runs the benchmarks and writes RESULTS.md: ``make bench``; ``python benchmarks/run.py "Vector store"`` runs some."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime

import chat
import compare
import core
import crash
import interval_coverage
import mcp_client
import metrics
import peers
import planted_facts
import replay
import retrieval
import runner
import startup
import suite
import vector_store
from measure import ROOT, machine

SECTIONS = {
    "Start-up": startup.rows,
    "Chat": chat.rows,
    "The core": core.rows,
    "The core beside other frameworks": peers.rows,
    "A suite": suite.rows,
    "The runner": runner.rows,
    "Killed runs": crash.rows,
    "A recorded suite": replay.rows,
    "Metrics": metrics.rows,
    "Comparison": compare.rows,
    "Intervals and tests": interval_coverage.rows,
    "MCP servers": mcp_client.rows,
    "Retrieval quality": retrieval.rows,
    "Planted facts": planted_facts.rows,
    "Vector store": vector_store.rows,
}
RESULTS = ROOT / "benchmarks" / "RESULTS.md"


def main(chosen: Iterable[str]) -> None:
    """Measures the chosen sections, one after the other; the others stay as they were measured last."""
    for title in chosen:
        lines = ["| what | figure | bar |", "| --- | --- | --- |"]
        for what, figure, bar in SECTIONS[title]():
            print(what, figure, bar, sep=" | ", flush=True)
            lines.append(f"| {what} | {figure} | {bar} |")
        lines += _busyness()
        # Each section is kept as soon as it is measured: the later ones take minutes.
        _write({**_measured_before(), title: "\n".join(lines)})


def _busyness() -> list[str]:
    """A word on how busy the machine was, where others worked on it too: a benchmark keeps two cores busy by itself."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load <= max(cores, 2) + 1:
        return []
    return ["", f"Measured at a load of {load:.0f} on {cores} cores: ratios count, times do not."]


def _measured_before() -> dict[str, str]:
    """The tables of the page as it is, by their titles."""
    page = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    parts = re.split(r"^## (.+)\n", page, flags=re.MULTILINE)[1:]
    return {title: table.strip() for title, table in zip(parts[::2], parts[1::2], strict=True)}


def _write(tables: dict[str, str]) -> None:
    head = f"# Results\n\n{datetime.now(UTC):%Y-%m-%d}, {machine()}, compiled bytecode. Medians.\n"
    known = [f"\n## {title}\n\n{tables[title]}\n" for title in SECTIONS if title in tables]
    RESULTS.write_text(head + "".join(known), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or SECTIONS)
