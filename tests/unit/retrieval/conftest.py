from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.bag_of_words import BagOfWords

from seatrial.retrieval.index import Index
from seatrial.retrieval.settings import IndexSettings

OpenIndex = Callable[..., Index]


@pytest.fixture
def embedder() -> BagOfWords:
    return BagOfWords()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A small source folder."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "faq.md").write_text(
        "# Shop\n\n## Returns\n\nYou can send goods back within 30 days.\n\n"
        "## Shipping\n\nParcels leave the same day.\n"
    )
    (folder / "prices.csv").write_text("sku,name,price\nA-1001,Blue ceramic mug,12.50\nA-0007,Green tea pot,29.00\n")
    (folder / "about.txt").write_text("We are a family business by the sea.")
    return folder


@pytest.fixture
def open_index(tmp_path: Path, embedder: BagOfWords) -> Iterator[OpenIndex]:
    """Opens indexes in one folder and closes them in the end."""
    opened: list[Index] = []

    def open_one(name: str = "docs", using: BagOfWords = embedder, **settings: Any) -> Index:
        index = Index.open(tmp_path / "index", using, IndexSettings(name=name, **settings))
        opened.append(index)
        return index

    yield open_one
    for index in opened:
        index.close()
