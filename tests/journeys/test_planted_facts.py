"""Facts planted in two hundred office files of ten kinds are found at their place."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.support.planted_facts import Fact, plant

from seatrial.retrieval.base import EmbedderOptions
from seatrial.retrieval.catalog import DEFAULT_EMBEDDER, EMBEDDERS
from seatrial.retrieval.index import Index


def test_planted_facts_are_found_in_the_top_five_with_file_and_place(tmp_path: Path) -> None:
    facts = plant(tmp_path / "docs", count=200)
    with closing(Index.open(tmp_path / "index", EMBEDDERS.load(DEFAULT_EMBEDDER)(EmbedderOptions()))) as index:
        report = index.refresh(tmp_path / "docs")
        assert (report.files, report.problems) == (200, ())
        missed = [fact for fact in facts if not _is_found(index, fact)]
    assert len(missed) <= 0.05 * len(facts), missed


def _is_found(index: Index, fact: Fact) -> bool:
    return any(
        result.metadata_dict["location"]["source"] == fact.file
        and fact.place in result.source_reference
        and fact.answer in result.matched_content + str(result.metadata_dict)
        for result in index.search(fact.question)
    )
