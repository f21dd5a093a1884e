"""Puts what the example's suite really prints into README.md: ``python scripts/readme_demo.py``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(<!-- demo -->\n```text\n).*?(```\n<!-- /demo -->)", re.DOTALL)


def real_output() -> str:
    """What ``seatrial test examples/support`` prints, run on a copy, without colour, 100 columns wide."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "examples" / "support"
        shutil.copytree(ROOT / "examples" / "support", folder, ignore=shutil.ignore_patterns(".seatrial"))
        done = subprocess.run(
            [sys.executable, "-m", "seatrial", "test", "examples/support"],
            cwd=name,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    return done.stdout


def picture(output: str) -> str:
    """The table, the first failure in words, and the verdict."""
    blocks = [block for block in output.strip("\n").split("\n\n") if block.strip()]
    table = next(block for block in blocks if "outcome" in block)
    failure = next(block for block in blocks if block.startswith("✗ "))
    verdict = next(block for block in blocks if block.startswith(("FAILED", "PASSED")))
    return "\n\n".join([table.strip("\n"), failure, "...", verdict.split("\n")[0]]) + "\n"


def main() -> None:
    """Writes the README."""
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(BLOCK.sub(lambda found: found[1] + picture(real_output()) + found[2], text), encoding="utf-8")


if __name__ == "__main__":
    main()
