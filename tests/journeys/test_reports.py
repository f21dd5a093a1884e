"""Reports stand where the command line put them, over nothing that the run reads, and stdout is one document."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
AGENT = """\
name: x
model: {provider: scripted, name: script.json}
instructions: {file: prompt.md}
tools:
  - {name: t, type: function, description: d, file: code.py, function: t}
  - {name: s, type: vectorstore, description: d, source: kb}
test_cases_file: cases.jsonl
test_cases:
  - {name: a, input: plain, files: [{path: note.txt, type: text}], checks: [{python: "check.py:check"}]}
"""
SCRIPT = """{"conversations": [{"when": "", "replies": [{"calls": [{"name": "t"}]}, "fine"]}]}"""
NOISY = """\
import os, subprocess, sys
def t():
    subprocess.run([sys.executable, "-c", "print('child')"])
    os.system("echo shell")
    os.write(1, b"raw\\n")
    os.chdir("/")
    return "ok"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "agent.yaml": AGENT,
        "script.json": SCRIPT,
        "code.py": NOISY,
        "check.py": "def check(output): return True\n",
        "prompt.md": "hi",
        "note.txt": "a note",
        "cases.jsonl": '{"input": "more", "checks": {"contains": "fine"}}\n',
        "helper.py": "",
    }
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "faq.md").write_text("# FAQ", encoding="utf-8")
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


READ = ["agent.yaml", "script.json", "code.py", "check.py", "prompt.md", "note.txt", "cases.jsonl", "helper.py"]


@pytest.mark.parametrize("option", ["--junit", "--md", "--html", "--json-file", "--jsonl"])
@pytest.mark.parametrize("name", [*READ, "kb/faq.md", "kb/new.md", "linked"])
def test_a_report_never_takes_the_place_of_what_the_run_reads(
    folder: Path, seatrial: Run, option: str, name: str
) -> None:
    (folder / "linked").symlink_to("cases.jsonl")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = seatrial("test", option, name)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "overwritten" in done.stderr or "which the agent reads" in done.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_two_reports_need_two_files_and_the_store_stays(folder: Path, seatrial: Run) -> None:
    done = seatrial("test", "--md", "out", "--html", "./out")
    assert (done.returncode, "named for two reports" in done.stderr) == (2, True)
    assert seatrial("test", "--case", "a").returncode == 0
    done = seatrial("test", "--json-file", ".seatrial/runs.db")
    assert (done.returncode, "store of the runs" in done.stderr) == (2, True)


def test_no_tool_moves_a_report_or_breaks_the_document_on_stdout(folder: Path, seatrial: Run) -> None:
    done = seatrial("test", "--json", "--case", "a", "--md", "out.md", "--junit", "out.xml")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tests"][0]["outcome"] == "passed"
    assert all(word in done.stderr for word in ("child", "shell", "raw"))
    assert (folder / "out.md").is_file()
    assert (folder / "out.xml").is_file()


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_the_answer_is_all_that_stands_on_stdout(folder: Path, seatrial: Run, options: tuple[str, ...]) -> None:
    del folder
    done = seatrial("run", "go", *options)
    assert done.returncode == 0, done.stderr
    assert "fine" in done.stdout
    assert "raw" not in done.stdout
    if options:
        json.loads(done.stdout)
