from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parents[2] / "src"

AGENT = """\
name: shop
model:
  provider: scripted
  name: script.json
instructions: Answer briefly.
evaluations:
  metrics:
    - metric: f1_score
      threshold: 0.5
test_cases:
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def write_agent(tmp_path: Path) -> Callable[..., Path]:
    """Writes an agent whose model follows a script: cases as (name, what the model answers, ground truth)."""

    def write(cases: list[tuple[str, Any, str | None]], *, more: str = "") -> Path:
        conversations = [{"when": f"ask {name}.", "replies": [answer]} for name, answer, _ in cases]
        (tmp_path / "script.json").write_text(json.dumps({"conversations": conversations}), encoding="utf-8")
        text = AGENT
        for name, _, truth in cases:
            text += f"  - name: {json.dumps(name)}\n    input: {json.dumps(f'ask {name}.')}\n"
            text += "    evaluations: []\n" if truth is None else f"    ground_truth: {json.dumps(truth)}\n"
        (tmp_path / "agent.yaml").write_text(text + more, encoding="utf-8")
        return tmp_path

    return write


WITHOUT_EXTRAS = """\
import importlib.metadata, importlib.util, sys

GONE = ("numpy", "onnxruntime")
find_spec, version = importlib.util.find_spec, importlib.metadata.version


class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in GONE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def version_of(name):
    if name in GONE:
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)


sys.meta_path.insert(0, Gone())
importlib.util.find_spec = lambda name, *rest: None if name.partition(".")[0] in GONE else find_spec(name, *rest)
importlib.metadata.version = version_of
"""


@pytest.fixture
def path_without_extras(tmp_path: Path) -> str:
    """A ``PYTHONPATH`` with which the packages of the extra [local] are not there."""
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "sitecustomize.py").write_text(WITHOUT_EXTRAS, encoding="utf-8")
    return f"{tmp_path / 'hidden'}{os.pathsep}{SOURCE}"


@pytest.fixture
def seatrial(tmp_path: Path) -> Run:
    """Runs a command in the test's folder."""

    def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "seatrial", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(SOURCE), **env},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=100,
            check=False,
        )

    return run
