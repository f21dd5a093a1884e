"""The page on knowledge names what there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from seatrial.documents.catalog import type_of
from seatrial.retrieval.base import SearchMode
from seatrial.retrieval.catalog import EMBEDDERS, STORES

PAGE = (Path(__file__).parents[2] / "docs" / "knowledge.md").read_text(encoding="utf-8")


def test_every_suffix_of_the_page_has_a_reader() -> None:
    table = PAGE.split("## What is read")[1].split("## Passages")[0]
    suffixes = [suffix for cell in re.findall(r"`(\.[a-z. ]+)`", table) for suffix in cell.split()]
    assert len(suffixes) >= 25
    assert [suffix for suffix in suffixes if type_of(Path(f"file{suffix}")) is None] == []


def test_modes_embedders_and_stores_are_all_named() -> None:
    for name in (*get_args(SearchMode), *EMBEDDERS.builtins, *STORES.builtins):
        assert re.search(rf"\b{name}\b", PAGE), name
