"""A tool of the user's crashes: where, with what, and after what it printed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

AGENT = """\
name: shop
model: {provider: scripted, name: script.json}
instructions: Answer.
tools:
  - {name: price, type: function, description: The price of a visit., file: tools.py, function: price}
  - {name: refund, type: function, description: Gives money back., file: tools.py, function: refund}
test_cases:
  - name: children
    input: How much for ten?
    expected_tools: [{name: price, args: {visits: 10}}]
    forbidden_tools: [refund]
    checks: {contains: EUR}
"""
TOOLS = """\
def price(visits: int) -> str:
    print("looking up", visits)
    return {}[visits]


def refund() -> None:
    pass
"""
SCRIPT = {
    "conversations": [
        {
            "when": "How much for ten?",
            "replies": [{"calls": [{"name": "price", "arguments": {"visits": 4}}]}, "I do not know."],
        }
    ]
}


def test_a_crash_is_told_with_its_line_its_arguments_and_its_prints(
    tmp_path: Path, seatrial: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    (tmp_path / "agent.yaml").write_text(AGENT, encoding="utf-8")
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT), encoding="utf-8")
    told = seatrial("test").stdout
    assert "✗ price: error" in told
    assert "the tool price failed in tools.py:3: KeyError: 4" in told
    case = seatrial("runs", "show", "--case", "children").stdout
    assert "expected: price(visits: 10)" in case
    assert "forbidden: refund" in case
    assert "in tools.py:3" in case
    assert "printed    looking up 4" in case
    (test,) = json.loads(seatrial("runs", "show", "--json").stdout)["tests"]
    assert test["failed_tools"] == ["price"]
    assert test["expected_calls"] == [{"name": "price", "args": {"visits": 10}, "count": 1, "ok": False}]
    assert test["file"] == "agent.yaml"
