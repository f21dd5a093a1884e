"""1,000 cases at concurrency 32 against a server that answers at once, next to a bare aiohttp loop.

Set SEATRIAL_FAKE_SERVER to another server script to measure against that one (it is started with ``--port 0
--print-port``). Each figure is the median of the repeats.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp
from measure import ROOT, Measured, measure, server

CASES = 1000
CONCURRENCY = 32
REPEATS = 5
SEATRIAL = Path(sys.executable).with_name("seatrial")


def write_agent(folder: Path, base_url: str, cases: int = CASES) -> Path:
    """An agent file with many cases that each have something to check."""
    (folder / "agent.yaml").write_text(
        f"""\
name: bench
model: {{provider: openai_compatible, name: fake-echo, endpoint: "{base_url}"}}
instructions: Answer.
test_cases_file: cases.jsonl
evaluations:
  metrics:
    - {{metric: f1_score, threshold: 0.1}}
""",
        encoding="utf-8",
    )
    with (folder / "cases.jsonl").open("w", encoding="utf-8") as file:
        for item in range(cases):
            case = {"input": f"What is the number of item {item}?", "ground_truth": f"The number of item {item}"}
            file.write(json.dumps(case) + "\n")
    return folder / "agent.yaml"


async def bare_loop(base_url: str) -> float:
    """Requests per second of a loop that only posts and parses."""
    waiting = list(range(CASES))

    async def work(session: aiohttp.ClientSession) -> None:
        while waiting:
            text = f"What is the number of item {waiting.pop()}?"
            messages = [{"role": "system", "content": "Answer."}, {"role": "user", "content": text}]
            body: dict[str, Any] = {"model": "fake-echo", "messages": messages}
            async with session.post(f"{base_url}/chat/completions", json=body) as response:
                json.loads(await response.read())["choices"][0]["message"]["content"]

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONCURRENCY)) as session:
        start = time.perf_counter()
        await asyncio.gather(*(work(session) for _ in range(CONCURRENCY)))
        return CASES / (time.perf_counter() - start)


def suite_once(base_url: str) -> tuple[float, Measured]:
    """Cases per second between the first trial's start and the last one's end, and the whole command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        agent = write_agent(folder, base_url)
        report = folder / "report.json"
        done = measure(
            [SEATRIAL, "test", agent, "--concurrency", str(CONCURRENCY), "--json-file", report], folder=folder
        )
        run = json.loads(report.read_text(encoding="utf-8"))
        assert len(run["tests"]) == CASES, len(run["tests"])
        return CASES / run["run"]["worked_s"], done


def rows() -> list[tuple[str, str, str]]:
    """(what, figure, bar)."""
    other = os.environ.get("SEATRIAL_FAKE_SERVER")
    script = Path(other) if other else ROOT / "benchmarks" / "instant_server.py"
    arguments = ("--port", "0", "--print-port") if other else ()
    with server(script, *arguments) as base_url:
        bare, ours = [], []
        for _ in range(REPEATS):
            bare.append(asyncio.run(bare_loop(base_url)))
            ours.append(suite_once(base_url))
    floor = statistics.median(bare)
    rate = statistics.median(rate for rate, _ in ours)
    whole_s = statistics.median(done.wall_s for _, done in ours)
    cpu_ms = statistics.median(done.cpu_s for _, done in ours) / CASES * 1000
    peak_mb = max(done.peak_mb for _, done in ours)
    return [
        (f"bare aiohttp loop, {CASES} requests, {CONCURRENCY} at once (floor)", f"{floor:.0f} requests/s", ""),
        (
            f"`seatrial test`, {CASES} cases, `f1_score`, each trial committed",
            f"{rate:.0f} cases/s = {rate / floor:.0%} of the floor",
            "at least 40 %",
        ),
        ("the whole command, start-up and table included", f"{whole_s:.2f} s, {cpu_ms:.2f} ms CPU per case", ""),
        ("peak memory", f"{peak_mb:.0f} MB", "under 150 MB"),
    ]


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ")
