"""How long the first screen takes, against a floor measured in the same run."""

from __future__ import annotations

import sys
from pathlib import Path

from measure import median_wall_s

SEATRIAL = Path(sys.executable).with_name("seatrial")


def rows() -> list[tuple[str, str, str]]:
    """(what, figure, bar)."""
    floor_s = median_wall_s([sys.executable, "-c", "import click"])
    bare_s = median_wall_s([sys.executable, "-c", "pass"])
    help_s = median_wall_s([SEATRIAL, "--help"])
    version_s = median_wall_s([SEATRIAL, "--version"])
    return [
        ("`python -c pass`", f"{bare_s * 1000:.0f} ms", ""),
        ("`python -c 'import click'` (floor)", f"{floor_s * 1000:.0f} ms", ""),
        ("`seatrial --help`", f"{help_s * 1000:.0f} ms = {help_s / floor_s:.2f}x the floor", "at most 1.3x"),
        ("`seatrial --version`", f"{version_s * 1000:.0f} ms = {version_s / floor_s:.2f}x the floor", "at most 1.3x"),
    ]


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ")
