"""``seatrial test`` and ``seatrial runs`` from end to end, with a model that follows a script."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
WriteAgent = Callable[..., Path]

GOOD = ("good", "it was shipped", "it was shipped")
BAD = ("bad", "no idea", "it was shipped")
BROKEN = ("broken", {"error": "401: wrong key"}, "x")
UNCHECKED = ("unchecked", "hello", None)


@pytest.mark.parametrize(
    ("cases", "code", "mark"),
    [
        ([GOOD], 0, "PASSED"),
        ([GOOD, UNCHECKED], 0, "PASSED"),
        ([GOOD, BAD, BROKEN], 1, "FAILED"),
        ([UNCHECKED], 2, "UNCHECKED"),
        ([GOOD, BROKEN], 3, "ERRORED"),
    ],
)
def test_e11_the_exit_code_says_what_came_of_it(
    write_agent: WriteAgent, seatrial: Run, cases: list[tuple[str, object, str | None]], code: int, mark: str
) -> None:
    write_agent(cases)
    done = seatrial("test")
    assert done.returncode == code, done.stdout + done.stderr
    assert f"\n{mark}  " in done.stdout


def test_e11_nothing_to_run_is_a_mistake_and_stores_nothing(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([GOOD])
    done = seatrial("test", "-k", "nothing like it")
    assert done.returncode == 2
    assert "nothing to run" in done.stderr
    assert not (folder / ".seatrial" / "runs.db").exists()


def test_a_mistake_in_the_file_is_told_with_its_place(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent([GOOD], more="modle: x\n")
    done = seatrial("test")
    assert done.returncode == 2
    assert "agent.yaml:14:1: error" in done.stderr
    assert "did you mean" in done.stderr
    assert "Traceback" not in done.stderr


def test_json_is_one_document_on_stdout_and_progress_goes_to_stderr(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent([GOOD, BAD])
    done = seatrial("test", "--json")
    found = json.loads(done.stdout)
    assert [test["outcome"] for test in found["tests"]] == ["passed", "failed"]
    assert found["summary"]["exit_code"] == done.returncode == 1
    assert "FAILED" in done.stderr


def test_what_is_written_to_a_file_is_what_is_stored(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([GOOD, BAD])
    seatrial("test", "--json-file", "results.json")
    written = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    stored = json.loads(seatrial("runs", "show", "--json").stdout)
    assert written == stored


def test_a_file_that_cannot_be_written_is_told_before_anything_is_paid(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([GOOD])
    done = seatrial("test", "--json-file", "missing/results.json")
    assert done.returncode == 2
    assert not (folder / ".seatrial").exists()


def test_cases_are_chosen_by_pattern_name_and_limit(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent([GOOD, BAD, ("goodbye", "x", "x")])
    for options, names in (
        (["-k", "good"], ["good", "goodbye"]),
        (["--case", "bad"], ["bad"]),
        (["--limit", "1"], ["good"]),
    ):
        found = json.loads(seatrial("test", "--json", *options).stdout)
        assert [test["name"] for test in found["tests"]] == names


def test_an_earlier_run_is_listed_and_shown_with_its_conversation(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent([GOOD, BAD])
    seatrial("test")
    listed = seatrial("runs", "list").stdout
    assert "failed" in listed
    assert "1/2" in listed
    assert "FAILED  1 of 2 passed" in seatrial("runs", "show").stdout
    case = seatrial("runs", "show", "last", "--case", "bad").stdout
    assert "user       ask bad." in case
    assert "assistant  no idea" in case
    assert "failed  f1_score" in case


def test_a_broken_off_run_is_resumed_and_only_what_is_missing_is_run(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([GOOD, BAD])
    seatrial("test")
    with sqlite3.connect(folder / ".seatrial" / "runs.db") as store:
        store.execute("DELETE FROM trials WHERE case_name = 'good'")
    store.close()
    done = seatrial("test", "--resume")
    assert "1 of 2 were done before" in done.stdout
    assert "FAILED  1 of 2 passed" in done.stdout
    again = seatrial("test", "--resume")
    assert again.returncode == 2
    assert "nothing is left to run" in again.stderr


def test_a_run_is_not_resumed_with_another_agent_unless_it_is_forced(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([GOOD, BAD])
    seatrial("test")
    with sqlite3.connect(folder / ".seatrial" / "runs.db") as store:
        store.execute("DELETE FROM trials WHERE case_name = 'good'")
    store.close()
    agent = folder / "agent.yaml"
    agent.write_text(agent.read_text(encoding="utf-8").replace("Answer briefly", "Answer at length"), encoding="utf-8")
    refused = seatrial("test", "--resume")
    assert refused.returncode == 2
    assert "agent.yaml changed" in refused.stderr
    forced = seatrial("test", "--resume", "--force")
    assert "+instructions: Answer at length." in forced.stdout
    assert "2 of 2" not in forced.stderr


def test_a_console_in_ascii_shows_everything_it_can(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent([("naïve 日本", "straße", "etwas anderes")])
    done = seatrial("test", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 1, done.stderr
    assert "na\\xefve" in done.stdout
    assert "95 % interval" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_reader_that_leaves_early_is_no_error(write_agent: WriteAgent, seatrial: Run, tmp_path: Path) -> None:
    write_agent([GOOD])
    seatrial("test")
    done = subprocess.run(
        ["sh", "-c", "python -m seatrial runs show --json | head -c 1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_h016_a_secret_of_the_agent_file_is_written_nowhere(write_agent: WriteAgent, seatrial: Run) -> None:
    canary = "canary-4711-secret"
    folder = write_agent([("leak", f"the key is {canary}", canary)])
    agent = folder / "agent.yaml"
    text = agent.read_text(encoding="utf-8").replace(
        "  name: script.json\n", f"  name: script.json\n  api_key: {canary}\n"
    )
    agent.write_text(text, encoding="utf-8")
    done = seatrial("test", "--json-file", "results.json")
    shown = seatrial("runs", "show", "--case", "leak")
    written = b"".join(file.read_bytes() for file in (folder / ".seatrial").iterdir() if file.is_file())
    everything = done.stdout + done.stderr + shown.stdout + (folder / "results.json").read_text(encoding="utf-8")
    assert canary not in everything
    assert canary.encode() not in written
    assert "[secret]" in shown.stdout
    with sqlite3.connect(folder / ".seatrial" / "runs.db") as store:
        import zlib

        kept = [zlib.decompress(content) for (content,) in store.execute("SELECT content FROM blobs")]
    store.close()
    assert kept
    assert not [content for content in kept if canary.encode() in content]


def test_a_conversation_of_several_turns_is_one_case(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([GOOD])
    (folder / "script.json").write_text(json.dumps(["hello", "it was shipped"]), encoding="utf-8")
    agent = folder / "agent.yaml"
    head = agent.read_text(encoding="utf-8").split("test_cases:")[0]
    turns = "test_cases:\n  - name: talk\n    turns:\n      - {input: hi, evaluations: []}\n"
    turns += "      - {input: where is it?, ground_truth: it was shipped}\n"
    agent.write_text(head + turns, encoding="utf-8")
    done = seatrial("test", "--json")
    (test,) = json.loads(done.stdout)["tests"]
    assert (test["outcome"], test["output"]) == ("passed", "it was shipped")
    assert [message["role"] for message in test["messages"]] == ["user", "assistant", "user", "assistant"]


def test_runs_are_exported_deleted_and_collected(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([GOOD, BAD])
    for _ in range(3):
        seatrial("test")
    assert seatrial("runs", "export", "--format", "csv").stdout.startswith("case,variant,repeat,outcome")
    seatrial("runs", "export", "--format", "junit", "-o", "results.xml")
    assert (folder / "results.xml").read_text(encoding="utf-8").startswith("<?xml")
    assert seatrial("runs", "delete", "last").returncode == 0
    assert len(json.loads(seatrial("runs", "list", "--json").stdout)) == 2
    seatrial("runs", "gc", "--keep", "1")
    assert len(json.loads(seatrial("runs", "list", "--json").stdout)) == 1


def test_only_what_failed_last_time_is_run_again(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent([GOOD, BAD, BROKEN])
    seatrial("test")
    again = json.loads(seatrial("test", "--failed", "--json").stdout)
    assert [test["name"] for test in again["tests"]] == ["bad", "broken"]
    write_agent([GOOD])
    seatrial("test")
    nothing = seatrial("test", "--failed")
    assert nothing.returncode == 2
    assert "every case passed" in nothing.stderr


def test_a_dry_run_shows_the_plan_and_runs_nothing(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([GOOD, BAD])
    first = seatrial("test", "--dry-run", "--repeat", "3")
    assert "6 trials: 2 cases, 1 variant" in first.stdout
    assert "good x3" in first.stdout
    assert "is unknown" in first.stdout
    assert not (folder / ".seatrial").exists()
    seatrial("test")
    assert "probably 4 requests" in seatrial("test", "--dry-run", "--repeat", "2").stdout
    assert len(json.loads(seatrial("runs", "list", "--json").stdout)) == 1


def test_runs_are_kept_where_the_command_line_says(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([GOOD])
    seatrial("test", "--store", "team.db")
    assert not (folder / ".seatrial").exists()
    assert "1/1" in seatrial("runs", "list", SEATRIAL_STORE="team.db").stdout
    unknown = seatrial("runs", "list", "--store", "mysql://x")
    assert unknown.returncode == 2
    assert "no run store named 'mysql'" in unknown.stderr


def test_the_frontmatter_of_the_instructions_is_kept_on_the_run(tmp_path: Path, seatrial: Run) -> None:
    (tmp_path / "prompt.md").write_text(
        "---\nversion: 1.10\nauthor: Ada\ntags: [a, b]\n---\nBe brief.\n", encoding="utf-8"
    )
    (tmp_path / "script.json").write_text('["fine"]', encoding="utf-8")
    (tmp_path / "agent.yaml").write_text(
        "name: x\nmodel: {provider: scripted, name: script.json}\ninstructions: {file: prompt.md}\n"
        "test_cases: [{input: hi, checks: [{contains: fine}]}]\n",
        encoding="utf-8",
    )
    report = json.loads(seatrial("test", "--json").stdout)
    assert report["run"]["instructions"] == {"version": "1.10", "author": "Ada", "tags": ["a", "b"]}


@pytest.mark.parametrize("name", ["tools.py", "data/shops.json"])
def test_a_run_is_not_resumed_with_another_tool_and_a_comparison_names_its_file(
    tmp_path: Path, seatrial: Run, name: str
) -> None:
    seatrial("init", "shop", "--yes")
    folder = next(path.parent for path in tmp_path.rglob("agent.yaml"))
    first = seatrial("test", str(folder))
    assert "PASSED" in first.stdout, first.stdout + first.stderr
    with sqlite3.connect(next(folder.rglob("runs.db"))) as store:
        store.execute("DELETE FROM trials WHERE case_index = 0")
    store.close()
    file = folder / name
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    refused = seatrial("test", str(folder), "--resume")
    assert refused.returncode == 2
    assert f"{name} changed" in refused.stderr
    forced = seatrial("test", str(folder), "--resume", "--force")
    assert f"{name} changed" in forced.stdout + forced.stderr
