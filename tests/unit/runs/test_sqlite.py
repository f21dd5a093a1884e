from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from seatrial.core.content import ImageContent, TextContent
from seatrial.core.messages import ToolResultMessage, UserMessage
from seatrial.errors import RunError, StoreError
from seatrial.runs.records import RunRecord, TrialRecord
from seatrial.runs.sqlite_schema import STEPS
from seatrial.runs.store import RunStore, open_store

MakeRun = Callable[..., RunRecord]
MakeTrial = Callable[..., TrialRecord]


def test_a_picture_that_many_trials_show_is_kept_once(store: RunStore, a_run: MakeRun, a_trial: MakeTrial) -> None:
    store.begin_run(a_run("r"))
    picture = ImageContent("QUJD" * 50_000, "image/png")
    trials = [
        a_trial(
            index,
            messages=(
                UserMessage((TextContent("what is this?"), picture)),
                ToolResultMessage("c1", "look", (picture,)),
            ),
        )
        for index in range(20)
    ]
    store.add_trials("r", trials)
    assert list(store.trials("r", with_messages=True)) == trials
    path = Path(store.path)
    assert sum(file.stat().st_size for file in path.parent.iterdir()) < 300_000


def test_looking_for_runs_where_none_is_stored_says_so_and_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="does not exist"):
        open_store(tmp_path / ".seatrial" / "runs.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_and_loses_nothing_finished(store: RunStore, a_run: MakeRun, a_trial: MakeTrial) -> None:
    store.begin_run(a_run("r"))
    store.add_trials("r", [a_trial(0)])
    connection: sqlite3.Connection = store._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="disk is full"):
        store.add_trials("r", [a_trial(1, output=os.urandom(200_000).hex())])
    assert [trial.case for trial in store.trials("r")] == ["case-0"]


def test_a_store_that_cannot_be_made_is_told_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / ".seatrial").write_text("in the way")
    with pytest.raises(StoreError) as told:
        open_store(tmp_path / ".seatrial" / "runs.db")
    assert told.value.exit_code == 3
    assert told.value.hint


def test_a_file_that_is_no_store_is_told(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(b"not a database at all, but long enough to be read as one" * 100)
    with pytest.raises(StoreError, match="damaged or no run store"):
        open_store(path)


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    open_store(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    connection.close()
    with pytest.raises(StoreError, match="newer seatrial"):
        open_store(path)


def test_a_store_of_an_older_version_is_brought_up_to_date(
    tmp_path: Path, a_run: MakeRun, a_trial: MakeTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.db"
    monkeypatch.setattr("seatrial.runs.sqlite_schema.STEPS", STEPS[:1])
    open_store(path).close()
    monkeypatch.undo()
    with open_store(path) as store:
        store.begin_run(a_run("r"))
        store.add_trials("r", [a_trial(require=2)])
        assert store.case_tallies("r")[0].require == 2


def test_a_store_that_may_only_be_read_can_be_read(
    tmp_path: Path, a_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.db"
    with open_store(path) as store:
        store.begin_run(a_run("r"))
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    with open_store(path, create=False) as store:
        assert [run.id for run in store.runs()] == ["r"]
        with pytest.raises(StoreError, match="cannot be written"):
            store.begin_run(a_run("s"))


_WRITER = """
import sys
from datetime import UTC, datetime
from seatrial.runs.records import RunRecord, TrialRecord
from seatrial.runs.store import open_store
path, run_id, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
now = datetime.now(UTC)
with open_store(path) as store:
    store.begin_run(RunRecord(run_id, "a", "agent.yaml", now))
    for index in range(count):
        store.add_trials(run_id, [TrialRecord(f"case-{index}", index, "passed", now)])
        print(index, flush=True)
"""


def writer(path: Path, run_id: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path), run_id, str(count)], stdout=subprocess.PIPE, text=True
    )


def test_two_runs_at_once_write_to_one_store(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    both = [writer(path, name, 200) for name in ("one", "two")]
    for process in both:
        process.communicate(timeout=60)
    assert [process.returncode for process in both] == [0, 0]
    with open_store(path, create=False) as store:
        assert [store.tally(name).passed for name in ("one", "two")] == [200, 200]


def test_what_was_committed_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    process = writer(path, "r", 100_000)
    assert process.stdout is not None
    until = time.monotonic() + 30
    seen = -1
    for line in process.stdout:
        seen = int(line)
        if seen >= 50 or time.monotonic() > until:
            break
    os.kill(process.pid, signal.SIGKILL)
    process.wait(timeout=30)
    process.stdout.close()
    with open_store(path, create=False) as store:
        cases = [trial.case_index for trial in store.trials("r")]
    assert len(cases) >= seen
    assert cases == list(range(len(cases)))


def test_ten_thousand_trivial_trials_take_less_than_15_mb(tmp_path: Path, a_run: MakeRun, a_trial: MakeTrial) -> None:
    path = tmp_path / "runs.db"
    with open_store(path) as store:
        store.begin_run(a_run("r"))
        for first in range(0, 1000, 20):
            store.add_trials("r", [a_trial(number) for number in range(first, first + 20)])
    assert path.stat().st_size < 15e6 / 10
