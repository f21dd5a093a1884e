"""How soon a chat is there, how soon a piece of an answer is shown, and what 500 turns cost in memory.

The chat runs in a real pseudo-terminal against a model on loopback. A piece is shown when the terminal has read it.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from measure import ROOT, compiled_environment, median_wall_s

sys.path.insert(0, str(ROOT))

from tests.support.streaming_model import StreamingModel, streaming_model
from tests.support.terminal import Terminal

FLOOR = "import click, pydantic, yaml, prompt_toolkit"
REPEATS = 15
PIECES = 60
TURNS = 500
AGENT = "name: bench\nmodel: {{provider: openai_compatible, name: m, endpoint: '{url}'}}\ninstructions: Hi.\n"
READY = "/help lists the commands"


def rows() -> list[tuple[str, str, str]]:
    """(what, figure, bar)."""
    floor_s = median_wall_s([sys.executable, "-c", FLOOR])
    with streaming_model() as model:
        prompt_s = statistics.median(_until_shown(model, ">") for _ in range(REPEATS))
        ready_s = statistics.median(_until_shown(model, READY) for _ in range(REPEATS))
        delays_ms = sorted(1000 * delay for delay in _delays(model))
        first_mb, last_mb = _memory(model)
    ratio = prompt_s / floor_s
    grown_kb = (last_mb - first_mb) * 1000 / (TURNS * 0.8)
    return [
        (f"`python -c '{FLOOR}'` (floor)", f"{floor_s * 1000:.0f} ms", ""),
        ("`seatrial chat`: prompt shown", f"{prompt_s * 1000:.0f} ms = {ratio:.2f}x the floor", "at most 1.3x"),
        ("`seatrial chat`: agent ready", f"{ready_s * 1000:.0f} ms", ""),
        (
            "a piece of the answer, from sent to shown",
            f"median {statistics.median(delays_ms):.1f} ms, 95th percentile {delays_ms[int(PIECES * 0.95)]:.1f} ms",
            "at most 30 ms",
        ),
        (
            f"resident memory after {TURNS // 5} and after {TURNS} turns",
            f"{first_mb:.0f} and {last_mb:.0f} MB: {grown_kb:.1f} kB a turn",
            "flat",
        ),
    ]


@contextmanager
def _chat(model: StreamingModel) -> Iterator[Terminal]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "agent.yaml").write_text(AGENT.format(url=model.url), encoding="utf-8")
        env = {**compiled_environment(), "TERM": "xterm-256color", "XDG_STATE_HOME": folder}
        command = [str(Path(sys.executable).with_name("seatrial")), "chat"]
        with Terminal(command, Path(folder), env, columns=101) as terminal:
            yield terminal


def _until_shown(model: StreamingModel, text: str) -> float:
    start = perf_counter()
    with _chat(model) as terminal:
        terminal.expect(text)
        return perf_counter() - start


def _delays(model: StreamingModel) -> Iterator[float]:
    """For each piece the seconds until the terminal had it."""
    with _chat(model) as terminal:
        terminal.expect(READY)
        terminal.enter("go")
        for number in range(PIECES):
            word = f"piece{number:04d}"  # ten characters with the blank: none is cut where the line ends
            sent = perf_counter()
            model.pieces.put(f" {word}")
            terminal.expect(word)
            yield perf_counter() - sent
        model.answer(".")
        terminal.expect("tokens")


def _memory(model: StreamingModel) -> tuple[float, float]:
    """Megabytes after a fifth of the turns, and after all."""
    first_mb = 0.0
    with _chat(model) as terminal:
        terminal.expect(READY)
        for turn in range(1, TURNS + 1):
            model.answer("An **answer** of one line.\n\n- and\n- a list\n")
            terminal.enter(f"message {turn}")
            terminal.expect("1,200 + 34 tokens")
            terminal.forget()
            if turn == TURNS // 5:
                first_mb = _resident_mb(terminal.pid)
        return first_mb, _resident_mb(terminal.pid)


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ")
