"""The house plan holds: the contracts of pyproject.toml, run as a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_import_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_room_says_what_lives_in_it() -> None:
    rooms = [path for path in (ROOT / "src" / "seatrial").rglob("__init__.py") if path.parent.name != "seatrial"]
    assert len(rooms) > 10
    for card in rooms:
        lines = card.read_text(encoding="utf-8").strip()
        assert lines.startswith('"""'), card
        assert lines.endswith('"""'), f"{card} holds more than its docstring"


def test_no_room_is_empty() -> None:
    for card in (ROOT / "src" / "seatrial").rglob("__init__.py"):
        assert [path for path in card.parent.iterdir() if path.suffix == ".py" and path != card], card.parent
