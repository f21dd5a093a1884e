"""Every required behaviour has a test with its number: ``test_y004_...``, ``test_edge_98_...``, ``test_case_5_...``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PENDING = {"p020"}
ROWS = [
    row
    for kind, count in (("y", 25), ("h", 20), ("p", 22))
    for row in (f"{kind}{number:03}" for number in range(1, count + 1))
    if row not in PENDING
]
UNUSED = {7, 10, 14, 17, 33, 35, 41, 46, 53, 60, 62, 66, 72, 82, 85, 100, 102, 105, 112, 117}
EDGES = sorted(set(range(1, 129)) - UNUSED)


@pytest.fixture(scope="module")
def names() -> list[str]:
    files = (path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    return [name for text in files for name in re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE)]


@pytest.mark.parametrize("row", ROWS)
def test_a_row_that_is_built_has_a_test_named_after_it(names: list[str], row: str) -> None:
    assert any(f"_{row}_" in name for name in names)


@pytest.mark.parametrize("number", EDGES)
def test_an_edge_case_has_a_test_named_after_it(names: list[str], number: int) -> None:
    labels = (label for name in names for label in re.findall(r"_(?:edge|case)s?_((?:\d+_)+)", name))
    assert number in {int(part) for label in labels for part in label.split("_") if part}
