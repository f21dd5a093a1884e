"""Whatever stands in the files, what is wrong is told within five seconds of work."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from tests.unit.config.conftest import Load

from seatrial.config.constraints import MAX_ITEMS

PRICE = "{name: price, type: function, description: d, file: tools.py, function: prise}"
ROWS = range(10_000)
TEXTS = {
    "a long value": "limits: {max_turns: " + "a" * 200_000 + "}\n",
    "a long key": "'" + "a" * 900 + "': 3\n",
    "a long blank": "author: a" + " " * 1_000_000 + "b: c: d\n",
    "many keys": "".join(f"key_{row}: 1\n" for row in ROWS),
    "many unset variables": "author: " + " ".join(f"${{V{row}}}" for row in ROWS) + "\n",
    "nested defaults": "author: '" + "${A:-" * 50_000 + "}" * 50_000 + "'\n",
    "unclosed defaults": "author: '" + "${A:-" * 100_000 + "'\n",
    "many tools": f"tools:\n  - {PRICE}\n" + f"  - {PRICE}\n" * 20_000,
    "many words for tools": "tools: [" + "a," * 200_000 + "]\n",
    "many cases": "test_cases:\n" + "  - {inptu: a, evalautions: [x], expected_tool: [b]}\n" * 20_000,
    "many values": "author: [" + "a," * 400_000 + "]\n",
    "a key over and over": "author: a\n" * 30_000,
    "a huge file": "#" * 5_000_000,
    "a pattern over the whole disk": "test_cases_file: '/**/*.nothing'\n",
    "a deep pattern": "checks:\ntest_cases: [{input: a, checks: [{regex: '" + "(" * 50_000 + "'}]}]\n",
}
FILES = {
    "bad.jsonl": "".join(json.dumps({"inputt": f"q{row}", "expected_tools": [f"t{row}"]}) + "\n" for row in ROWS),
    "unchecked.jsonl": "".join(json.dumps({"input": f"q{row}"}) + "\n" for row in ROWS),
    "ragged.csv": "input,name\n" + "a\n" * len(ROWS),
    "twice.csv": "input,name,checks\n" + "a,n,none\n" * len(ROWS),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_an_agent_file_is_judged_in_time(load_more: Load, text: str) -> None:
    started = time.process_time()
    loaded = load_more(text)
    told = [finding.as_text() for finding in loaded.diagnostics]
    assert time.process_time() - started < 5
    assert told or "defaults" in text or "${A" in text


@pytest.mark.parametrize("name", FILES)
def test_files_of_ten_thousand_cases_are_judged_in_time(load_more: Load, project: Path, name: str) -> None:
    (project / name).write_text(FILES[name])
    started = time.process_time()
    loaded = load_more(f"test_cases_file: {name}\n")
    assert time.process_time() - started < 5
    assert len(loaded.diagnostics) >= min(len(ROWS) - 1, MAX_ITEMS)


def test_ten_thousand_good_cases_load_in_two_seconds(load_more: Load, project: Path) -> None:
    row = {"input": "Where is my order?", "ground_truth": "It was shipped.", "expected_tools": [], "tags": ["a", "b"]}
    (project / "good.jsonl").write_text((json.dumps(row) + "\n") * len(ROWS))
    started = time.process_time()
    loaded = load_more("test_cases_file: good.jsonl\n")
    assert time.process_time() - started < 2
    assert len(loaded.require().test_cases) == len(ROWS)


def test_a_long_line_is_kept_only_around_the_place(load_more: Load) -> None:
    error = load_more("author: a" + " x" * 100_000 + ": b\n").errors[0]
    assert len(error.snippet or "") <= 400
    assert "^" in error.as_text()
