"""``seatrial compare`` and baselines, as commands."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
WriteAgent = Callable[..., Path]


def suite(broken: int, total: int = 12) -> list[tuple[str, object, str | None]]:
    return [(f"case {n}", "no" if n < broken else "red and blue", "red and blue") for n in range(total)]


@pytest.fixture
def two_runs(write_agent: WriteAgent, seatrial: Run) -> Path:
    write_agent(suite(0))
    assert seatrial("test").returncode == 0
    folder = write_agent(suite(7))
    text = (folder / "agent.yaml").read_text()
    (folder / "agent.yaml").write_text(text.replace("Answer briefly.", "Answer at length."))
    assert seatrial("test").returncode == 1
    return folder


@pytest.mark.usefixtures("two_runs")
def test_the_last_two_runs_are_compared_with_what_changed_between_them(seatrial: Run) -> None:
    done = seatrial("compare")
    assert done.returncode == 0, done.stderr
    assert "WORSE  " in done.stdout
    assert "7 cases worse, 0 better" in done.stdout
    assert "McNemar p = 0.0156" in done.stdout
    assert 'agent.yaml: instructions: "Answer briefly." → "Answer at length."' in done.stdout
    assert "case 0  yes → no  f1_score 1 → 0" in done.stdout
    assert seatrial("compare", "last", "last~1").stdout.count("BETTER") == 1


@pytest.mark.usefixtures("two_runs")
@pytest.mark.parametrize("fail_on", ["worse", "any-regression"])
def test_the_gate_is_an_exit_code(seatrial: Run, fail_on: str) -> None:
    done = seatrial("compare", "last~1", "last", "--fail-on", fail_on)
    assert done.returncode == 1
    assert f"(--fail-on {fail_on})" in done.stdout
    assert seatrial("compare", "last", "last~1", "--fail-on", fail_on).returncode == 0


def test_json_and_markdown_say_the_same(two_runs: Path, seatrial: Run) -> None:
    done = seatrial("compare", "--json", "--md", "diff.md", "--json-file", "diff.json")
    found = json.loads(done.stdout)
    assert found == json.loads((two_runs / "diff.json").read_text())
    assert (found["verdict"], len(found["cases"]), found["exit_code"]) == ("worse", 12, 0)
    assert found["pass_rate"]["test"] == "McNemar"
    assert found["changes"]["keys"][0]["key"] == "instructions"
    assert found["metrics"]["f1_score"]["p_adjusted"] == pytest.approx(2 / 2**7)
    page = (two_runs / "diff.md").read_text()
    assert page.startswith("## WORSE: shop\n")
    assert seatrial("compare", "--format", "markdown").stdout == page


def test_a_run_is_held_against_the_committed_baseline(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent(suite(1))
    assert seatrial("test", "--update-baseline").returncode == 1
    assert (folder / "baseline.json").is_file()
    same = seatrial("test", "--baseline", "baseline.json", "--fail-on", "any-regression")
    assert "NO EVIDENCE" in same.stdout
    assert "gate:" not in same.stdout
    write_agent(suite(2))
    worse = seatrial("test", "--baseline", "baseline.json", "--fail-on", "any-regression")
    assert worse.returncode == 1
    assert "gate: passed before and not now: case 1" in worse.stdout
    assert seatrial("compare", "baseline.json", "last", "--fail-on", "any-regression").returncode == 1


def test_a_gate_fails_a_run_whose_cases_all_passed(write_agent: WriteAgent, seatrial: Run) -> None:
    truth = "one two three four five six"
    write_agent([(f"case {n}", truth, truth) for n in range(8)])
    assert seatrial("test", "--update-baseline").returncode == 0
    write_agent([(f"case {n}", "one two three four", truth) for n in range(8)])
    assert seatrial("test").returncode == 0
    done = seatrial("test", "--baseline", "baseline.json")
    assert done.returncode == 1, done.stdout
    assert "the pass rate gives no evidence; f1_score does" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare"], "no run is stored here"),
        (["compare", "nothing.json", "last"], "no run is stored here"),
        (["test", "--baseline", "last"], "no run is stored here"),
        (["test", "--baseline", "nothing.json"], "nothing.json cannot be read"),
        (["test", "--update-baseline", "-k", "case"], "takes the whole suite"),
        (["test", "--fail-on", "worse"], "--fail-on compares with a baseline"),
        (["compare", "--fail-on", "wrose"], "wrose"),
        (["compare", "last~" + "9" * 4400, "last"], "no run is stored here"),
        (["compare", "x" * 5000, "last"], "no run is stored here"),
        (["compare", "--json", "--format", "markdown"], "leave one of them out"),
        (["validate", "--json", "--format", "github"], "leave one of them out"),
        (["compare", "--md", "agent.yaml"], "agent.yaml is the agent file and would be overwritten"),
        (
            ["compare", "kept.json", "last", "--json-file", "kept.json"],
            "kept.json is compared and would be overwritten",
        ),
        (["test", "--update-baseline", "--baseline", "folder.json"], "folder.json is a folder"),
        (["test", "--update-baseline", "--baseline", "no/where.json"], "there is no folder"),
        (["test", "--update-baseline", "--json-file", "baseline.json"], "baseline.json is where the baseline is kept"),
        (["compare", "--json-file", "script.json"], "script.json is read by the run and would be overwritten"),
        (["test", "--json-file", "/proc/x"], "/proc/x cannot be written: no such file"),
        (["test", "--md", "x" * 300], "cannot be written: file name too long"),
        (["test", "--junit", "no/where.xml"], "there is no folder"),
        (["test", "--baseline", "x" * 5000], "no run is stored here"),
        (["test", "--resume", "x" * 5000], "no run is stored here"),
        (["test", "--force"], "it needs --resume"),
        (["test", "--dry-run", "--json-file", "r.json"], "nothing for the report r.json"),
        (["test", "--dry-run", "--json"], "nothing for --json"),
        (["test", "--dry-run", "--update-baseline"], "nothing for --update-baseline"),
        (
            ["test", "--baseline", "kept.json", "--md", "kept.json"],
            "kept.json is the baseline and would be overwritten",
        ),
    ],
)
def test_mistakes_are_told_before_anything_runs(
    write_agent: WriteAgent, seatrial: Run, arguments: list[str], message: str
) -> None:
    folder = write_agent(suite(0))
    (folder / "folder.json").mkdir()
    (folder / "kept.json").write_text("{}")
    done = seatrial(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not (folder / ".seatrial" / "runs.db").exists()


def test_the_stored_runs_are_no_place_for_a_report(two_runs: Path, seatrial: Run) -> None:
    store = two_runs / ".seatrial" / "runs.db"
    for option, target in (("--md", ".seatrial/runs.db"), ("--json-file", str(store))):
        done = seatrial("compare", option, target)
        assert (done.returncode, done.stdout) == (2, "")
        assert "runs.db is the store of the runs and would be overwritten" in done.stderr
    assert seatrial("compare").returncode == 0


@pytest.mark.parametrize("option", ["--json-file", "--jsonl", "--junit", "--md", "--html"])
def test_a_report_that_finds_no_room_costs_no_result(write_agent: WriteAgent, seatrial: Run, option: str) -> None:
    write_agent(suite(0))
    done = seatrial("test", option, "/dev/full", "--md" if option != "--md" else "--html", "other")
    assert done.returncode == 3
    assert "/dev/full cannot be written: no space left on device" in done.stderr
    assert "internal error" not in done.stderr
    assert (Path(write_agent(suite(0))) / "other").stat().st_size > 0
    assert "12 of 12 passed" in seatrial("runs", "show").stdout


def test_names_that_play_tricks_are_only_shown(write_agent: WriteAgent, seatrial: Run) -> None:
    evil = "a|b`<script>"
    write_agent([(evil, "yes", "yes"), ("x", "yes", "yes")])
    seatrial("test")
    write_agent([(evil, "no", "yes"), ("x", "yes", "yes")])
    seatrial("test")
    page = seatrial("compare", "--format", "markdown").stdout
    assert r"a\|b\`&lt;script&gt;" in page
    assert "<script>" not in page


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ("checks: [{contains: nine}]", "checks: [{contains: ten}]", "contains looks for something else in opening"),
        (
            "checks: [{contains: ten}, {contains: nine}]",
            "checks: [{contains: ten}]",
            "contains looks for something else in opening",
        ),
        (
            "ground_truth: nine, evaluations: [{metric: equality, threshold: 1}]",
            "ground_truth: ten, evaluations: [{metric: equality, threshold: 1}]",
            "the ground_truth of opening is another one",
        ),
        ("checks: [{contains: ten}]", "checks: [{contains: ten}, {contains: te}]", None),
    ],
)
def test_a_case_that_looks_for_something_else_is_no_proof(
    tmp_path: Path, seatrial: Run, before: str, now: str, told: str | None
) -> None:
    agent = (
        "name: a\nmodel: {provider: scripted, name: script.json}\ninstructions: x\n"
        "test_cases:\n  - {name: opening, input: When?, %s}\n"
    )
    (tmp_path / "agent.yaml").write_text(agent % before)
    (tmp_path / "script.json").write_text(json.dumps(["nine" if "truth" in before else "nine, ten"]))
    assert seatrial("test", "--update-baseline").returncode == 0
    (tmp_path / "agent.yaml").write_text(agent % now)
    (tmp_path / "script.json").write_text('["ten"]')
    done = seatrial("test", "--baseline", "baseline.json", "--fail-on", "any-regression")
    assert done.returncode == (0 if told is None else 1), done.stdout + done.stderr
    assert told is None or told in done.stdout
