"""What every run store promises, whatever database is behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.stored_trials import NOON, trial

from seatrial.core.content import ImageContent
from seatrial.core.messages import UserMessage
from seatrial.core.usage import UsageTotal
from seatrial.errors import RunError, StoreError
from seatrial.metrics.base import Score
from seatrial.runs.records import CaseTally, RunRecord, Source, Tally, TrialError, TrialKey, TrialRecord
from seatrial.runs.store import RunStore, open_store, resolve_run
from seatrial.runs.writer import TrialWriter

MakeRun = Callable[..., RunRecord]
MakeTrial = Callable[..., TrialRecord]


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "runs.db")
    uri: str = request.getfixturevalue("postgres")
    import psycopg

    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS seatrial_runs CASCADE")
    return uri


@pytest.fixture
def store(place: str) -> Iterator[RunStore]:
    with open_store(place) as opened:
        yield opened


@pytest.fixture
def a_run() -> MakeRun:
    def make(run_id: str = "20260503-120000-aaaa", **changes: Any) -> RunRecord:
        fields: dict[str, Any] = {
            "agent": "shop",
            "agent_file": "agent.yaml",
            "started_at": NOON,
            "sources": (Source("agent.yaml", "ab" * 32, "name: shop\n"),),
        }
        return RunRecord(id=run_id, **(fields | changes))

    return make


@pytest.fixture
def a_trial() -> MakeTrial:
    def make(index: int = 0, **changes: Any) -> TrialRecord:
        return trial(index, **({"case": f"case-{index}"} | changes))

    return make


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


async def test_many_trials_are_written_from_an_event_loop(store: RunStore, a_run: MakeRun, a_trial: MakeTrial) -> None:
    store.begin_run(a_run("r"))
    async with TrialWriter(store, "r") as writer:
        for index in range(1200):
            await writer.add(a_trial(index), lambda _trial: None)
    assert [each.case_index for each in store.trials("r", with_messages=True)] == list(range(1200))


def test_a_store_is_opened_again_with_everything_in_it(
    store: RunStore, place: str, a_run: MakeRun, a_trial: MakeTrial
) -> None:
    store.begin_run(a_run("r"))
    store.add_trials("r", [a_trial()])
    with open_store(place, create=False) as second:
        assert second.tally("r").passed == 1
        second.delete_run("r")
        second.compact()
    assert store.runs() == []


def test_a_failing_transaction_leaves_nothing_behind(store: RunStore, a_run: MakeRun, a_trial: MakeTrial) -> None:
    store.begin_run(a_run("r"))
    with pytest.raises((StoreError, RunError)):
        store.add_trials("r", [a_trial(0), a_trial(1, outcome=None)])
    assert store.tally("r").total == 0
