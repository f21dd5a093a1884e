"""Tools from the agent file to the run store: what they did is kept, and nothing runs before it should."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

AGENT = """\
name: shop
model: {provider: scripted, name: script.json}
instructions: Answer briefly.
tools:
  - {name: price, type: function, description: A price., file: shop.py, function: price}
  - {name: story, type: function, description: Tells., file: shop.py, function: story, max_output: 40}
  - {name: crash, type: function, description: Fails., file: shop.py, function: crash}
  - {name: slow, type: function, description: Waits., file: shop.py, function: slow, timeout_s: 0.05}
  - name: shorten
    type: prompt
    description: Shortens.
    template: "Shorten {{$text}}"
    parameters: {text: {type: str}}
    model: {provider: scripted, name: inner.json}
test_cases:
  - {name: all, input: go, checks: [{contains: done}]}
"""
CODE = """\
    import time
    def price(visits: int) -> dict:
        print("looking it up")
        return {"visits": visits}
    def story() -> str:
        print("telling")
        return "once upon a time " * 20
    def crash() -> str:
        raise LookupError("no such order")
    def slow() -> str:
        time.sleep(0.5)
        return "late"
"""
CALLS = [
    {"calls": [{"name": "price", "arguments": {"visits": "4"}}, {"name": "story"}, {"name": "crash"}]},
    {"calls": [{"name": "slow"}, {"name": "shorten", "arguments": {"text": "{braces} and {{more}}"}}]},
    {"calls": [{"name": "nothing"}, {"name": "price", "arguments": {}}]},
    "done",
]
INNER = [{"text": "short", "usage": {"input_tokens": 7, "output_tokens": 3}}]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "agent.yaml").write_text(AGENT, encoding="utf-8")
    (tmp_path / "shop.py").write_text(dedent(CODE), encoding="utf-8")
    (tmp_path / "script.json").write_text(json.dumps(CALLS), encoding="utf-8")
    (tmp_path / "inner.json").write_text(json.dumps(INNER), encoding="utf-8")
    return tmp_path


def test_the_run_store_keeps_arguments_result_time_error_and_what_was_cut(shop: Path, seatrial: Run) -> None:
    done = seatrial("test")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "looking it up" not in done.stdout
    (entry,) = json.loads(seatrial("runs", "show", "--case", "all", "--json").stdout)
    results: list[dict[str, Any]] = [message for message in entry["messages"] if message["role"] == "tool"]
    price, story, crash, slow, shorten, unknown, incomplete = results
    assert (price["arguments"], price["details"]) == (
        {"visits": 4},
        {"value": {"visits": 4}, "stdout": "looking it up\n"},
    )
    assert price["duration_s"] >= 0
    whole = "once upon a time " * 20
    assert story["left_out_chars"] == len(whole) - 40
    assert story["details"] == {"stdout": "telling\n", "text": whole}
    assert (crash["is_error"], crash["details"]["at"]) == (True, "shop.py:9")
    assert "timed out after 0.05 s" in slow["content"][0]["text"]
    assert 0.05 <= slow["duration_s"] < 5
    question, answer = shorten["details"]["transcript"]["messages"]
    assert (question["content"], answer["content"][0]["text"]) == ("Shorten {braces} and {{more}}", "short")
    assert shorten["usage"]["input_tokens"] == 7
    assert entry["usage"]["input_tokens"] == 7
    assert (unknown["was_executed"], incomplete["was_executed"]) == (False, False)
    assert "Missing required arguments: visits" in incomplete["content"][0]["text"]


def test_one_case_shows_what_its_tools_did(shop: Path, seatrial: Run) -> None:
    seatrial("test")
    shown = seatrial("runs", "show", "--case", "all").stdout
    for told in (
        'price(visits="4")', 'ran with   {"visits":4}', "printed    looking it up", "300 characters that the model",
        "LookupError: no such order  in shop.py:9", "asked      Shorten {braces} and {{more}}",
        "answered   short  (scripted inner.json, 7 + 3 tokens, cost unknown)",
    ):  # fmt: skip
        assert told in shown


def test_a_step_by_step_trace_has_the_inner_request(shop: Path, seatrial: Run) -> None:
    told = seatrial("run", "go", "--trace").stderr
    assert "asks scripted inner.json: Shorten {braces} and {{more}}" in told
    assert "used    7 + 3 tokens" in told


MARK = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"
HOSTILE = """\
name: shop
model: {provider: scripted, name: script.json}
instructions: Answer briefly.
tools:
  - {name: price, type: function, description: A price., file: evil.py, function: price}
  - {name: typed, type: function, description: A price., file: evil.py, function: price, parameters: {sku: {type: str}}}
  - {name: docs, type: vectorstore, description: Searches., source: docs, reranker: "evil.py:rerank"}
hooks: {before_tool_call: "evil.py:hook", after_tool_call: "evil.py:hook"}
evaluations:
  metrics: [{type: code, grader: "evil.py:grade"}]
test_cases:
  - {name: one, input: go, ground_truth: done, expected_tools: [price], checks: [{python: "evil.py:check"}]}
"""
FUNCTIONS = "\n".join(f"def {name}(*_): return 1" for name in ("price", "rerank", "hook", "grade", "check"))


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    (tmp_path / "agent.yaml").write_text(HOSTILE, encoding="utf-8")
    (tmp_path / "evil.py").write_text(MARK + FUNCTIONS, encoding="utf-8")
    (tmp_path / "script.json").write_text(json.dumps(["done"]), encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ["validate"],
        ["validate", "--strict"],
        ["validate", "--json"],
        ["validate", "--show-effective"],
        ["validate", "--format", "github"],
        ["schema"],
        ["runs", "list"],
        ["index", "--stats"],
        ["index"],
        ["--help"],
    ],
    ids=" ".join,
)
def test_no_code_of_the_user_runs_where_nothing_is_tried(hostile: Path, seatrial: Run, command: list[str]) -> None:
    seatrial(*command)
    assert not (hostile / "ran").exists()


@pytest.mark.parametrize("command", [["tools"], ["run", "go"], ["test"]], ids=" ".join)
def test_the_same_code_runs_where_the_agent_is_tried(hostile: Path, seatrial: Run, command: list[str]) -> None:
    seatrial(*command)
    assert (hostile / "ran").exists()


def test_a_mistake_in_the_file_is_told_before_any_code_runs(hostile: Path, seatrial: Run) -> None:
    text = HOSTILE.replace("function: price}", "function: prices}")
    (hostile / "agent.yaml").write_text(text, encoding="utf-8")
    for command in (["tools"], ["tools", "call", "price"], ["run", "go"], ["test"]):
        assert seatrial(*command).returncode == 2
    assert not (hostile / "ran").exists()
