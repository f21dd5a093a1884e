"""50 random `kill -9` during runs of 500 cases, each gone on with by ``--resume``: nothing is lost, nothing paid twice.

    python benchmarks/crash.py [--kills N] [--cases N] [--seed N] [--record]

A kill comes while the command starts or while it works. After each one the store must be sound, with every case that
was finished before, each once; none of those is asked for again, and at the end the totals are those of the rows.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock, Thread

from instant_server import ITEM, LABELS, USAGE, next_message

from seatrial.errors import RunError
from seatrial.runs.names import store_file
from seatrial.runs.store import open_store

SEATRIAL = [sys.executable, "-m", "seatrial"]
CONCURRENCY = 4
REPLY_S = 0.03
AT_WORK_S = 0.2
STARTING_S = 0.4
PATIENCE_S = 120.0
Row = tuple[str, str, str]


class Provider(ThreadingHTTPServer):
    """A model that takes its time; counts how often each item was asked for."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Reply)
        self.asked: Counter[int] = Counter()
        self.was_asked = Event()
        self._lock = Lock()

    def count(self, body: bytes) -> None:
        """Notes a request."""
        with self._lock:
            self.asked[int(ITEM.findall(body)[-1])] += 1
        self.was_asked.set()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed does not read its answer."""


class _Reply(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Provider

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.count(body)
        time.sleep(REPLY_S)
        choice = {"index": 0, "finish_reason": "stop", "message": next_message(body)}
        payload = json.dumps({**LABELS, "object": "chat.completion", "choices": [choice], "usage": USAGE}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@dataclass
class Tested:
    """What came of it."""

    kills: int = 0
    runs: int = 0
    cases: int = 0
    asked: int = 0
    sizes: list[int] = field(default_factory=list)


def crash(kills: int, cases: int, seed: int, *, is_recording: bool = False) -> Tested:
    """Kills runs, as many as it takes, and checks what is left of them; an AssertionError says what is wrong."""
    chance, tested = random.Random(seed), Tested()  # noqa: S311 - no secret
    while tested.kills < kills:
        with tempfile.TemporaryDirectory() as name, _provider() as provider:
            folder = Path(name)
            _write_agent(folder, provider.server_port, cases)
            _one_run(folder, provider, cases, kills, chance, tested, ["--record", "tapes"] if is_recording else [])
            tested.runs += 1
            tested.cases += cases
            tested.asked += provider.asked.total()
            if is_recording:
                _replay(folder, provider, cases)
    return tested


def _one_run(
    folder: Path, provider: Provider, cases: int, kills: int, chance: random.Random, tested: Tested, options: list[str]
) -> None:
    """One run from its start to its end, killed on the way."""
    finished: set[str] = set()
    is_begun = False
    while len(finished) < cases:
        before = Counter(provider.asked)
        command = [*SEATRIAL, "test", "--concurrency", str(CONCURRENCY), *options, *(["--resume"] if is_begun else [])]
        was_killed = _run(command, folder, provider, chance if tested.kills < kills else None)
        tested.kills += was_killed
        again = [item for item, asked in provider.asked.items() if asked > before[item] and f"item {item}" in finished]
        assert not again, f"asked again, though finished: {again}"
        finished, is_begun = _checked(folder, finished)
        tested.sizes.append(len(finished))
    _compare_totals(folder, cases)


def _run(command: list[str], folder: Path, provider: Provider, chance: random.Random | None) -> bool:
    """Runs the command, to its end without ``chance``; else whether it was killed before its end."""
    provider.was_asked.clear()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        if chance is None:
            _, errors = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 0, errors
            return False
        if chance.random() < 0.2:
            time.sleep(chance.uniform(0, STARTING_S))
        else:
            provider.was_asked.wait(PATIENCE_S)
            time.sleep(chance.uniform(0, AT_WORK_S))
        process.kill()
        return process.wait(PATIENCE_S) < 0


def _checked(folder: Path, before: set[str]) -> tuple[set[str], bool]:
    """The cases that the store has as finished, and whether it has the run at all."""
    if not store_file(folder).exists():
        assert not before
        return set(), False
    with sqlite3.connect(store_file(folder)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    try:
        with open_store(store_file(folder), create=False) as store:
            runs = store.runs()
            assert len(runs) <= 1, "a resumed run became another one"
            names = [trial.case for run in runs for trial in store.trials(run.id) if trial.outcome != "not_run"]
            assert len(names) == len(set(names)), "a case is there twice"
            assert all(store.tally(run.id).checked == len(names) for run in runs)
    except RunError:
        names, runs = [], []
    lost = before - set(names)
    assert not lost, f"finished before the kill, and gone: {sorted(lost)}"
    return set(names), bool(runs)


def _compare_totals(folder: Path, cases: int) -> None:
    """The totals of a whole run against its rows."""
    shown = subprocess.run(
        [*SEATRIAL, "runs", "show", "--json"], cwd=folder, capture_output=True, text=True, check=False
    )
    run = json.loads(shown.stdout)
    summary, tests = run["summary"], run["tests"]
    assert summary["passed"] == summary["total"] == len(tests) == cases, summary
    for kind in ("input_tokens", "output_tokens"):
        assert summary[kind] == sum(test["usage"][kind] for test in tests) == cases * _TOKENS[kind]


_TOKENS = {"input_tokens": USAGE["prompt_tokens"], "output_tokens": USAGE["completion_tokens"]}


def _replay(folder: Path, provider: Provider, cases: int) -> None:
    """What was recorded in all those parts answers the whole suite, without a single request."""
    before = provider.asked.total()
    command = [*SEATRIAL, "test", "--replay", "tapes", "--store", "replayed.db", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["summary"]["passed"] == cases
    assert provider.asked.total() == before


@contextmanager
def _provider() -> Iterator[Provider]:
    with Provider() as provider:
        thread = Thread(target=provider.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            provider.shutdown()


def _write_agent(folder: Path, port: int, cases: int) -> None:
    (folder / "agent.yaml").write_text(
        f"""\
name: crash
model: {{provider: openai_compatible, name: instant, endpoint: "http://127.0.0.1:{port}/v1"}}
instructions: Answer.
test_cases_file: cases.jsonl
evaluations: [{{metric: f1_score, threshold: 0.5}}]
""",
        encoding="utf-8",
    )
    with (folder / "cases.jsonl").open("w", encoding="utf-8") as file:
        for item in range(cases):
            case = {"name": f"item {item}", "input": f"What is item {item}?", "ground_truth": f"The answer is {item}."}
            file.write(json.dumps(case) + "\n")


def rows() -> list[Row]:
    """(what, figure, bar)."""
    plain, taped = crash(50, 500, seed=1), crash(15, 200, seed=2, is_recording=True)
    bar = "every finished case once, totals equal the rows"
    return [
        ("`kill -9` at random moments during a run of 500 cases, then `--resume`", _told(plain), bar),
        ("the same with `--record`, 200 cases, then `--replay` of all", _told(taped), "nothing lost"),
    ]


def _told(tested: Tested) -> str:
    more = tested.asked - tested.cases
    return (
        f"{tested.kills} kills in {tested.runs} runs: {tested.cases} of {tested.cases} cases there once; "
        f"{more} requests under way when killed were sent again"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    tested = crash(asked.kills, asked.cases, asked.seed, is_recording=asked.record)
    print(_told(tested), tested.sizes)


if __name__ == "__main__":
    main()
