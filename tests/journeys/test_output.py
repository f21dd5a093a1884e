"""Output that nobody reads to its end, or that nothing can hold, costs no result."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
GOOD = ("good", "it was shipped", "it was shipped")
BAD = ("bad", "no idea", "it was shipped")

Run = Callable[..., subprocess.CompletedProcess[str]]
WriteAgent = Callable[..., Path]


def start(folder: Path, *arguments: str, stdout: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "seatrial", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_without_reader(folder: Path, *arguments: str) -> tuple[int, str]:
    """The command with a pipe whose reader has gone before the first line."""
    reader, writer = os.pipe()
    os.close(reader)
    with start(folder, *arguments, stdout=writer) as process:
        os.close(writer)
        _, told = process.communicate(timeout=100)
    return process.returncode, told


def run_onto_full_disk(folder: Path, *arguments: str) -> tuple[int, str]:
    with Path("/dev/full").open("wb") as full, start(folder, *arguments, stdout=full.fileno()) as process:
        _, told = process.communicate(timeout=100)
    return process.returncode, told


@pytest.mark.parametrize(("cases", "code"), [([GOOD], 0), ([GOOD, BAD], 1)])
def test_a_reader_that_leaves_early_changes_neither_verdict_nor_run(
    write_agent: WriteAgent, seatrial: Run, cases: list[tuple[str, str, str]], code: int
) -> None:
    folder = write_agent(cases)
    assert run_without_reader(folder, "test") == (code, "")
    listed = seatrial("runs", "list").stdout
    assert "broken off" not in listed
    assert f"1/{len(cases)}" in listed


@pytest.mark.parametrize(
    "command", [["runs", "list"], ["runs", "show"], ["runs", "export"], ["runs", "show", "--json"]]
)
def test_a_reader_that_leaves_early_is_no_error_of_a_listing(
    write_agent: WriteAgent, seatrial: Run, command: list[str]
) -> None:
    folder = write_agent([GOOD])
    seatrial("test")
    assert run_without_reader(folder, *command) == (0, "")


@pytest.mark.parametrize(("cases", "code"), [([GOOD], 3), ([GOOD, BAD], 1)])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_full_disk_behind_the_output_is_told_in_one_line_and_the_results_are_kept(
    write_agent: WriteAgent, seatrial: Run, cases: list[tuple[str, str, str]], code: int, options: list[str]
) -> None:
    folder = write_agent(cases)
    ended, told = run_onto_full_disk(folder, "test", *options)
    assert told.splitlines()[-1] == "error: the output cannot be written: No space left on device"
    assert "Traceback" not in told
    assert ended == code
    assert f"1/{len(cases)}" in seatrial("runs", "list").stdout


def test_a_full_disk_behind_a_listing_is_told_in_one_line(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([GOOD])
    seatrial("test")
    told = "error: the output cannot be written: No space left on device\n"
    assert run_onto_full_disk(folder, "runs", "list") == (3, told)


SEARCHING = """\
name: shop
model: {provider: local, name: minilm-extractive}
instructions: Answer from the documents.
tools:
  - {name: search, type: vectorstore, source: docs, description: Opening hours of the shop.}
test_cases:
  - {input: When does the shop open?, expected_tools: [search]}
"""


def test_what_was_indexed_is_told_in_one_line_and_nothing_when_nothing_changed(tmp_path: Path, seatrial: Run) -> None:
    (tmp_path / "agent.yaml").write_text(SEARCHING, encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "hours.md").write_text("The shop opens at nine.\n", encoding="utf-8")
    told = [line for line in seatrial("test").stdout.splitlines() if "index" in line]
    assert told == ["indexed for search: 1 file, 1 passage (1 read, 1 passage embedded)"]
    assert "index" not in seatrial("test").stdout


def test_an_empty_folder_of_documents_is_the_users_input(tmp_path: Path, seatrial: Run) -> None:
    (tmp_path / "agent.yaml").write_text(SEARCHING, encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "hours.xyz").write_text("The shop opens at nine.\n", encoding="utf-8")
    done = seatrial("test")
    assert done.returncode == 2
    assert "docs holds nothing to search" in done.stderr
    assert ".md" in done.stderr


TOOLS = "tools: [{name: refund, type: function, description: Pays back., file: shop.py, function: refund}]\n"


@pytest.fixture
def worse(write_agent: WriteAgent, seatrial: Run) -> Path:
    """A folder of two runs, the second worse; its agent has a tool that fails, a case that fails, and no judge."""
    write_agent([GOOD, ("other", "it was shipped", "it was shipped")])
    assert seatrial("test").returncode == 0
    folder = write_agent([GOOD, ("other", "no idea", "it was shipped")], more=TOOLS)
    code = 'def refund() -> str:\n    """Pays back."""\n    raise OSError("no")\n'
    (folder / "shop.py").write_text(code, encoding="utf-8")
    assert seatrial("test", "--record", "recording").returncode == 1
    (folder / "labels.csv").write_text("output,relevance\nyes,9\n", encoding="utf-8")
    return folder


FAILING = {
    "compare": (["compare", "--fail-on", "any-regression"], 1),
    "compare --json": (["compare", "--json", "--fail-on", "any-regression"], 1),
    "compare --format markdown": (["compare", "--format", "markdown", "--fail-on", "any-regression"], 1),
    "test": (["test"], 1),
    "test --json": (["test", "--json"], 1),
    "test --replay": (["test", "--replay", "recording", "--update-baseline"], 1),
    "test --baseline": (["test", "--baseline", "last"], 1),
    "run": (["run", "--model", "openai:none", "hello"], 2),
    "tools call": (["tools", "call", "refund"], 1),
    "tools call, unknown": (["tools", "call", "nothing"], 2),
    "tools": (["tools", "nowhere"], 2),
    "calibrate": (["calibrate", ".", "labels.csv"], 2),
    "validate": (["validate", "labels.csv"], 2),
    "validate --json": (["validate", "labels.csv", "--json"], 2),
    "runs show": (["runs", "show", "nothing"], 2),
    "runs delete": (["runs", "delete", "nothing"], 2),
    "index": (["index", "nowhere"], 2),
    "init": (["init", "--yes"], 2),
    "import": (["import", "nothing"], 2),
    "an unknown command": (["tset"], 2),
    "an unknown option": (["compare", "--nothing"], 2),
    "no command": ([], 2),
}


@pytest.mark.parametrize("name", FAILING)
def test_y021_no_command_that_fails_ends_well_because_its_readers_have_left_or_never_were(
    worse: Path, name: str
) -> None:
    arguments, code = FAILING[name]
    quoted = shlex.join([sys.executable, "-m", "seatrial", *arguments])
    ways = {"": code, "| true": code, "2>&1 | true": code, ">&-": code, "2>&-": code, "<&- >&- 2>&-": code}
    ended = {way: _ended(worse, f"{quoted} {way}") for way in ways}
    assert {way: ended_as for way, (ended_as, _) in ended.items()} == ways
    assert not any("Traceback" in told for _, told in ended.values())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["--help"],
        ["validate"],
        ["schema"],
        ["test"],
        ["tools"],
        ["runs", "list"],
        ["compare"],
        ["doctor"],
    ],
)
def test_a_command_that_succeeds_does_so_with_streams_that_were_never_open(
    write_agent: WriteAgent, seatrial: Run, arguments: list[str]
) -> None:
    folder = write_agent([GOOD])
    seatrial("test")
    seatrial("test")
    quoted = shlex.join([sys.executable, "-m", "seatrial", *arguments])
    for way in ("| true", "2>&1 | true", ">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
        code, told = _ended(folder, f"{quoted} {way}")
        assert (way, code) == (way, 0)
        assert "Traceback" not in told


def _ended(folder: Path, line: str) -> tuple[int, str]:
    """The exit code of the first command of a line of bash, and what it said on stderr."""
    done = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "OPENAI_API_KEY": ""},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_document_reaches_a_reader_that_does_not_let_writers_wait(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([GOOD])
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with start(folder, "schema", stdout=writer) as process:
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as shown:
            text = shown.read()
        assert process.wait(timeout=100) == 0
    assert text == seatrial("schema").stdout
    assert len(text) > 65536
