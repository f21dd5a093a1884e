"""The page about the agent file is the one that the models give, and its example is valid."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from seatrial.assembly.check import check
from seatrial.config.entity import entity_classes
from seatrial.config.loader import load_agent

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "agent-file.md").read_text(encoding="utf-8")


def test_the_page_is_up_to_date() -> None:
    script = ROOT / "scripts" / "make_agent_file_reference.py"
    done = subprocess.run([sys.executable, script, "--check"], check=False)
    assert done.returncode == 0, f"run {script}"


def test_every_key_of_every_block_is_on_the_page() -> None:
    for cls in entity_classes():
        for key in cls.model_fields:
            assert f"| `{key}`" in PAGE, f"{cls.__name__}.{key}"


def test_its_example_is_valid(tmp_path: Path) -> None:
    example = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]
    (tmp_path / "agent.yaml").write_text(example)
    (tmp_path / "instructions.md").write_text("You help.\n")
    (tmp_path / "tools.py").write_text("def order_status(order_id: str) -> str:\n    return order_id\n")
    for name in ("knowledge/returns.md", "cases/more.jsonl"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text('{"input": "Hello", "ground_truth": "Hi", "name": "hello"}\n')
    loaded = load_agent(tmp_path, environ={"OPENAI_API_KEY": "sk-12345678"})
    assert [finding.as_text() for finding in (*loaded.errors, *check(loaded)) if finding.severity == "error"] == []
