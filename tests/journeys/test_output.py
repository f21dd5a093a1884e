"""Output that nobody reads to its end, or that nothing can hold, costs no result."""

from __future__ import annotations

import os
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
