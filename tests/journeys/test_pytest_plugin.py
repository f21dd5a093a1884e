"""The cases of an agent file in pytest, run as users run it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

Pytest = Callable[..., subprocess.CompletedProcess[str]]

AGENT = """\
name: shop
model: {provider: scripted, name: script.json}
instructions: Answer briefly.
evaluations:
  metrics: [{metric: f1_score, threshold: 0.5}]
test_cases:
  - {name: tent price, input: ask tent, ground_truth: It costs 12 euros., tags: [prices]}
  - {name: boots, input: ask boots, ground_truth: They cost 90 euros., tags: [shoes]}
  - {name: later, input: ask later, ground_truth: x, skip: not ready}
  - {name: talk, input: ask talk, evaluations: [], checks: none}
"""
SCRIPT = """\
{"conversations": [
  {"when": "ask tent", "replies": ["It costs 12 euros."]},
  {"when": "ask boots", "replies": ["I do not know."]},
  {"when": "", "replies": ["Hello."]}
]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "agent.yaml").write_text(AGENT, encoding="utf-8")
    (tmp_path / "script.json").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Pytest:
    def run_pytest(*options: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "pytest", "-p", "no:randomly", "-p", "no:asyncio", *options],
            cwd=folder,
            env={**os.environ, "COLUMNS": "120", **env},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=100,
            check=False,
        )

    return run_pytest


def outcomes(done: subprocess.CompletedProcess[str]) -> str:
    """The last line that sums up, without its time."""
    return done.stdout.strip().splitlines()[-1].strip("= ").partition(" in ")[0]


def test_each_case_is_an_item_with_an_outcome(run: Pytest) -> None:
    done = run("--seatrial", "agent.yaml", "-v")
    assert done.returncode == 1, done.stderr
    assert outcomes(done) == "1 failed, 1 passed, 2 skipped"
    assert "agent.yaml::tent price PASSED" in done.stdout
    assert "agent.yaml::boots FAILED" in done.stdout
    assert "agent.yaml::later SKIPPED (not ready)" in done.stdout
    assert "agent.yaml::talk SKIPPED" in done.stdout


def test_a_failure_shows_the_reasons_of_the_report_and_no_traceback(run: Pytest) -> None:
    done = run("--seatrial", "agent.yaml", "-k", "boots")
    assert "f1_score: 0 < 0.5: no word in common" in done.stdout
    assert "asked     ask boots\nanswered  I do not know.\nexpected  They cost 90 euros." in done.stdout
    assert "Traceback" not in done.stdout
    assert "items.py" not in done.stdout


@pytest.mark.parametrize(("pattern", "count"), [("tent", 1), ("prices", 1), ("shoes or prices", 2), ("not boots", 3)])
def test_k_selects_by_names_and_tags(run: Pytest, pattern: str, count: int) -> None:
    done = run("--seatrial", "agent.yaml", "-k", pattern, "--collect-only", "-q")
    assert sum("agent.yaml::" in line for line in done.stdout.splitlines()) == count


def test_collecting_runs_nothing(run: Pytest, folder: Path) -> None:
    (folder / "script.json").write_text("[]", encoding="utf-8")
    done = run("--seatrial", ".", "--collect-only", "-q")
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[:4] == [f"agent.yaml::{name}" for name in ("tent price", "boots", "later", "talk")]


def test_x_stops_at_the_first_failure(run: Pytest) -> None:
    assert outcomes(run("--seatrial", "agent.yaml", "-x")) == "1 failed, 1 passed"


def test_workers_of_xdist_share_the_cases(run: Pytest) -> None:
    done = run("--seatrial", "agent.yaml", "-n", "2")
    assert done.returncode == 1, done.stdout + done.stderr
    assert outcomes(done) == "1 failed, 1 passed, 2 skipped"


def test_junit_has_the_reasons_and_the_scores(run: Pytest, folder: Path) -> None:
    run("--seatrial", "agent.yaml", "--junitxml", "junit.xml")
    cases = {case.get("name"): case for case in ElementTree.parse(folder / "junit.xml").iter("testcase")}
    failure = cases["boots"].find("failure")
    assert failure is not None
    assert "no word in common" in (failure.get("message") or "")
    assert cases["tent price"].find("properties/property[@name='f1_score']") is not None


def test_named_tests_are_run_beside_the_cases_and_unnamed_ones_are_not(run: Pytest, folder: Path) -> None:
    (folder / "test_own.py").write_text("def test_one() -> None:\n    pass\n", encoding="utf-8")
    assert outcomes(run("--seatrial", "agent.yaml", "-k", "tent or one")) == "1 passed, 3 deselected"
    assert outcomes(run("--seatrial", "agent.yaml", "-k", "tent or one", "test_own.py")) == "2 passed, 3 deselected"
    assert outcomes(run()) == "1 passed"


def test_a_mistake_in_the_agent_file_is_an_error_of_collection_with_its_place(run: Pytest, folder: Path) -> None:
    (folder / "agent.yaml").write_text(AGENT.replace("threshold: 0.5", "treshold: 0.5"), encoding="utf-8")
    done = run("--seatrial", "agent.yaml")
    assert done.returncode == 2
    assert "agent.yaml:5:32: error[" in done.stdout
    assert "did you mean `threshold`?" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--seatrial", "nothing.yaml"], "there is no agent file"),
        (["--seatrial", "agent.yaml", "--seatrial", "nowhere"], "there is no agent file"),
        (["--seatrial-replay", "rec"], "--seatrial-replay needs --seatrial AGENT"),
        (["--seatrial", "agent.yaml", "--seatrial-replay", "nope"], "there is no recording at nope: `seatrial test"),
        (["--seatrial", "agent.yaml", "--seatrial-replay", "agent.yaml"], "there is no recording at agent.yaml"),
    ],
)
def test_options_that_cannot_be_are_usage_errors(run: Pytest, options: list[str], told: str) -> None:
    done = run(*options)
    assert done.returncode == 4
    assert done.stderr.count("ERROR:") == done.stderr.count(told) == 1
    assert "collected" not in done.stdout


def test_an_agent_that_cannot_be_built_is_told_in_words(run: Pytest, folder: Path) -> None:
    model = "model: {provider: scripted, name: script.json}"
    (folder / "agent.yaml").write_text(AGENT.replace(model, "model: openai:gpt-5-mini"), encoding="utf-8")
    done = run("--seatrial", "agent.yaml", "-k", "tent", OPENAI_API_KEY="")
    assert done.returncode == 1
    assert "the variable OPENAI_API_KEY is not set" in done.stdout
    assert "Traceback" not in done.stdout
    assert "items.py" not in done.stdout


def test_a_recording_answers_and_what_it_lacks_fails_its_case(run: Pytest, folder: Path) -> None:
    command = [sys.executable, "-m", "seatrial", "test", "--record", "rec"]
    subprocess.run(command, cwd=folder, capture_output=True, timeout=100, check=False)
    (folder / "script.json").unlink()
    done = run("--seatrial", "agent.yaml", "--seatrial-replay", "rec")
    assert outcomes(done) == "1 failed, 1 passed, 2 skipped", done.stdout
    assert "no word in common" in done.stdout
    (folder / "agent.yaml").write_text(AGENT.replace("briefly", "at length"), encoding="utf-8")
    done = run("--seatrial", "agent.yaml", "--seatrial-replay", "rec", "-k", "tent")
    assert outcomes(done) == "1 failed, 3 deselected"
    assert "- Answer briefly." in done.stdout.replace('instructions: "', "").replace('"', "")
    assert done.returncode == 1


def test_a_recording_that_is_not_there_is_told_once_in_words(run: Pytest) -> None:
    done = run("--seatrial", "agent.yaml", "--seatrial-replay", "nowhere", "-k", "tent")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr.count("there is no recording at nowhere") == 1
    assert "Traceback" not in done.stdout + done.stderr


def test_tries_and_variants(run: Pytest, folder: Path) -> None:
    text = AGENT.replace(
        "ground_truth: They cost 90 euros.,", "ground_truth: They cost 90 euros., repeat: 3, require: 1,"
    )
    text += "variants:\n  - {name: kind, instructions: {inline: Be kind.}}\n"
    (folder / "agent.yaml").write_text(text, encoding="utf-8")
    done = run("--seatrial", "agent.yaml", "-k", "boots or tent", "-v")
    for name in ("tent price[base] PASSED", "tent price[kind] PASSED", "boots[base] FAILED", "boots[kind] FAILED"):
        assert f"agent.yaml::{name}" in done.stdout, done.stdout
    assert "try 3 of 3 failed" in done.stdout


def test_pytest_without_agents_loads_nothing_but_the_hooks(run: Pytest, folder: Path) -> None:
    code = (
        "import sys\n\n\ndef test_modules() -> None:\n"
        "    loaded = sorted(name for name in sys.modules if name.startswith('seatrial'))\n"
        "    assert loaded == ['seatrial', 'seatrial.pytest_plugin', 'seatrial.pytest_plugin.hooks'], loaded\n"
        "    assert not {'msgspec', 'pydantic', 'yaml', 'rich', 'aiohttp'} & set(sys.modules)\n"
    )
    (folder / "test_modules.py").write_text(code, encoding="utf-8")
    done = run("-p", "no:hypothesispytest", "-p", "no:anyio")
    assert done.returncode == 0, done.stdout


def test_servers_of_tools_are_not_started_unless_that_is_allowed(run: Pytest, folder: Path) -> None:
    server = Path(__file__).parents[1] / "support" / "mcp_servers" / "lists.py"
    entry = (
        f"tools:\n  - {{name: pages, type: mcp, description: d, command: {sys.executable}, args: [{server}, paged]}}\n"
    )
    (folder / "agent.yaml").write_text(AGENT + entry, encoding="utf-8")
    done = run("--seatrial", "agent.yaml", "-k", "tent")
    assert done.returncode == 1
    assert "nobody has allowed that yet" in done.stdout
    assert "SEATRIAL_ALLOW_MCP=1" in done.stdout
    assert "items.py" not in done.stdout
    assert len(done.stdout.splitlines()) < 20, done.stdout
    assert run("--seatrial", "agent.yaml", "-k", "tent", SEATRIAL_ALLOW_MCP="1").returncode == 0


def test_a_tool_cannot_end_pytest_as_if_all_were_well(run: Pytest, folder: Path) -> None:
    (folder / "tools.py").write_text("import os\n\ndef leave() -> str:\n    os._exit(0)\n", encoding="utf-8")
    (folder / "script.json").write_text('[{"calls": [{"name": "leave", "arguments": {}}]}, "done"]', encoding="utf-8")
    (folder / "agent.yaml").write_text(
        "name: a\nmodel: {provider: scripted, name: script.json}\ninstructions: x\n"
        "tools: [{name: leave, type: function, description: d, file: tools.py, function: leave}]\n"
        "test_cases: [{name: one, input: a, checks: [{contains: no}]}]\n",
        encoding="utf-8",
    )
    assert run("--seatrial", "agent.yaml").returncode == 1
