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
from seatrial.core.usage import UsageTotal
from seatrial.errors import RunError, StoreError
from seatrial.metrics.base import Score
from seatrial.runs.records import CaseTally, RunRecord, Tally, TrialError, TrialKey, TrialRecord
from seatrial.runs.sqlite_schema import STEPS
from seatrial.runs.store import RunStore, open_store, resolve_run

MakeRun = Callable[..., RunRecord]
MakeTrial = Callable[..., TrialRecord]


def test_a_trial_comes_back_as_it_was_stored(store: RunStore, a_run: MakeRun, a_trial: MakeTrial) -> None:
    store.begin_run(a_run("r"))
    trial = a_trial(1, variant="small", repeat=2, cost_usd=0.25)
    store.add_trials("r", [trial])
    assert list(store.trials("r", with_messages=True)) == [trial]


def test_the_transcript_is_read_only_when_asked_for(store: RunStore, a_run: MakeRun, a_trial: MakeTrial) -> None:
    store.begin_run(a_run("r"))
    store.add_trials("r", [a_trial()])
    (without,) = store.trials("r")
    assert without.messages == ()
    assert without.scores == a_trial().scores


def test_trials_come_in_the_order_of_the_file_whatever_finished_first(
    store: RunStore, a_run: MakeRun, a_trial: MakeTrial
) -> None:
    store.begin_run(a_run("r"))
    for index, variant, repeat in [(2, 0, 1), (0, 1, 1), (0, 0, 2), (1, 0, 1), (0, 0, 1)]:
        trial = a_trial(index, variant="ab"[variant], variant_index=variant, repeat=repeat)
        store.add_trials("r", [trial])
    found = [(trial.case_index, trial.variant, trial.repeat) for trial in store.trials("r")]
    assert found == [(0, "a", 1), (0, "a", 2), (0, "b", 1), (1, "a", 1), (2, "a", 1)]


def test_a_trial_that_is_run_again_replaces_the_earlier_one(
    store: RunStore, a_run: MakeRun, a_trial: MakeTrial
) -> None:
    store.begin_run(a_run("r"))
    store.add_trials("r", [a_trial(outcome="not_run")])
    assert store.done("r") == set()
    store.add_trials("r", [a_trial(outcome="failed")])
    assert store.done("r") == {TrialKey("case-0", "", 1)}
    assert store.tally("r").total == 1


def test_the_tally_counts_every_outcome_and_keeps_unknown_cost_apart(
    store: RunStore, a_run: MakeRun, a_trial: MakeTrial
) -> None:
    store.begin_run(a_run("r"))
    store.add_trials(
        "r",
        [
            a_trial(0, cost_usd=0.5),
            a_trial(1, outcome="failed", cost_usd=0.25, scores=(Score("m", "error", reason="no"),)),
            a_trial(2, outcome="errored", cost_usd=None, error=TrialError("provider", "gone")),
            a_trial(3, outcome="unchecked", cost_usd=0.0),
            a_trial(4, outcome="not_run", usage=UsageTotal()),
        ],
    )
    assert store.tally("r") == Tally(
        passed=1,
        failed=1,
        errored=1,
        unchecked=1,
        not_run=1,
        provider_errors=1,
        metric_errors=1,
        input_tokens=40,
        output_tokens=16,
        cost_usd=0.75,
        unknown_costs=1,
    )


def test_tries_are_counted_by_case_and_variant(store: RunStore, a_run: MakeRun, a_trial: MakeTrial) -> None:
    store.begin_run(a_run("r"))
    outcomes = [(1, "passed"), (0, "passed"), (0, "failed"), (0, "errored"), (0, "not_run")]
    store.add_trials(
        "r",
        [
            a_trial(index, repeat=n, outcome=outcome, require=2 if index == 0 else None)
            for n, (index, outcome) in enumerate(outcomes)
        ],
    )
    assert store.case_tallies("r") == [CaseTally("case-0", "", 3, 1, 0, 2), CaseTally("case-1", "", 1, 1)]


def test_two_runs_of_one_store_do_not_mix(store: RunStore, a_run: MakeRun, a_trial: MakeTrial) -> None:
    for run_id in ("one", "two"):
        store.begin_run(a_run(run_id))
        store.add_trials(run_id, [a_trial(output=run_id)])
    assert [trial.output for trial in store.trials("one")] == ["one"]
    assert [run.id for run in store.runs()] == ["two", "one"]


def test_the_agent_file_is_kept_with_the_run(store: RunStore, a_run: MakeRun) -> None:
    store.begin_run(a_run("r"))
    assert store.run("r").sources == a_run().sources


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


def test_deleting_a_run_takes_its_trials_and_contents_but_no_others(
    store: RunStore, a_run: MakeRun, a_trial: MakeTrial
) -> None:
    picture = ImageContent("QUJD" * 1000, "image/png")
    for run_id in ("one", "two"):
        store.begin_run(a_run(run_id))
        store.add_trials(run_id, [a_trial(messages=(UserMessage((picture,)),))])
    store.delete_run("one")
    assert [run.id for run in store.runs()] == ["two"]
    (kept,) = store.trials("two", with_messages=True)
    assert kept.messages[0].content == (picture,)
    with pytest.raises(RunError):
        store.run("one")


def test_odd_characters_and_numbers_are_stored_as_strict_json(
    store: RunStore, a_run: MakeRun, a_trial: MakeTrial
) -> None:
    store.begin_run(a_run("r"))
    odd = a_trial(
        output="\x00 \x1b[31m \ud800 \ufffe 😀",
        scores=(Score("m", "scored", float("nan"), details={"set": {1}, 2: 2**80, "obj": object}),),
    )
    store.add_trials("r", [odd])
    (back,) = store.trials("r")
    assert back.output == "\x00 \x1b[31m \ufffd \ufffe 😀"
    assert back.scores[0].value is None


def test_a_run_is_found_by_the_start_or_end_of_its_id_or_as_the_last(store: RunStore, a_run: MakeRun) -> None:
    for run_id in ("20260503-120000-aaaa", "20260503-120001-bbbb"):
        store.begin_run(a_run(run_id))
    assert resolve_run(store, None).id.endswith("bbbb")
    assert resolve_run(store, "last").id.endswith("bbbb")
    assert resolve_run(store, "aaaa").id.endswith("aaaa")
    assert resolve_run(store, "20260503-120001").id.endswith("bbbb")
    with pytest.raises(RunError, match="could be any of"):
        resolve_run(store, "2026")
    with pytest.raises(RunError, match="no stored run 'zzzz'"):
        resolve_run(store, "zzzz")


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
