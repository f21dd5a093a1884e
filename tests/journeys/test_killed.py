"""A run that is killed at random moments, as often as one likes, loses nothing that it finished."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("options", [[], ["--record"]])
def test_nothing_finished_is_lost_or_paid_for_twice_by_kills_at_random_moments(options: list[str]) -> None:
    command = [sys.executable, ROOT / "benchmarks" / "crash.py", "--kills", "3", "--cases", "40", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3 kills"), done.stdout
