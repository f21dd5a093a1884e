"""Runs the benchmarks and writes RESULTS.md: ``make bench``."""

from __future__ import annotations

from datetime import UTC, datetime

import core
import interval_coverage
import metrics
import planted_facts
import retrieval
import startup
import suite
import vector_store
from measure import ROOT, machine

SECTIONS = {
    "Start-up": startup.rows,
    "The core": core.rows,
    "A suite": suite.rows,
    "Metrics": metrics.rows,
    "Intervals and tests": interval_coverage.rows,
    "Retrieval quality": retrieval.rows,
    "Planted facts": planted_facts.rows,
    "Vector store": vector_store.rows,
}


def main() -> None:
    """Measures everything, one section after the other."""
    lines = ["# Results", "", f"{datetime.now(UTC):%Y-%m-%d}, {machine()}, compiled bytecode. Medians.", ""]
    for title, rows in SECTIONS.items():
        lines += [f"## {title}", "", "| what | figure | bar |", "| --- | --- | --- |"]
        for what, figure, bar in rows():
            print(what, figure, bar, sep=" | ", flush=True)
            lines.append(f"| {what} | {figure} | {bar} |")
        lines.append("")
        # Each section is kept as soon as it is measured: the later ones take minutes.
        (ROOT / "benchmarks" / "RESULTS.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
