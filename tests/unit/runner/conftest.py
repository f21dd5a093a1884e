from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from seatrial.runs.store import RunStore, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with open_store(tmp_path / "runs.db") as opened:
        yield opened
