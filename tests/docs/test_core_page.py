"""The library guide: every example runs as it stands and prints what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "core.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
PROMISED = re.compile(r"print\(.*\)  # (.*)$", re.MULTILINE)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_example_runs_and_prints_what_it_says(example: str, tmp_path: Path) -> None:
    program = [sys.executable, "-W", "error", "-c", example]
    done = subprocess.run(program, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    for line in PROMISED.findall(example):
        assert line in done.stdout.splitlines()
