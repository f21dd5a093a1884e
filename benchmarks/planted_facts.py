"""Office files with one fact each, found at its place and answered: ``python benchmarks/planted_facts.py``."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import get_args

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.planted_facts import Fact, plant

from seatrial.core.agent import Agent
from seatrial.providers.base import ProviderOptions
from seatrial.providers.local import LocalModel
from seatrial.retrieval.base import EmbedderOptions, SearchMode
from seatrial.retrieval.catalog import DEFAULT_EMBEDDER, EMBEDDERS
from seatrial.retrieval.index import Index
from seatrial.retrieval.search import SearchSettings
from seatrial.retrieval.settings import IndexSettings
from seatrial.tools.vectorstore import VectorstoreTool

COUNT = 200
Row = tuple[str, str, str]


def rows() -> Iterator[Row]:
    """The figures for the results page."""
    with tempfile.TemporaryDirectory() as folder:
        facts = plant(Path(folder, "docs"), COUNT)
        found, answered = asyncio.run(_asked(Path(folder), facts))
        yield f"{COUNT} files of ten kinds, a RAG agent: fact in the top 5 with file and place", found, "at least 95 %"
        yield "the embedded engine's answer names it", answered, ""
        for mode, share in _searched(Path(folder), facts):
            yield f"by search alone, {mode}", share, ""


def _open_index(folder: Path) -> Index:
    return Index.open(folder / "index", EMBEDDERS.load(DEFAULT_EMBEDDER)(EmbedderOptions()), IndexSettings("people"))


def _searched(folder: Path, facts: Sequence[Fact]) -> Iterator[tuple[str, str]]:
    """Without the engine, which does not always call the tool."""
    with closing(_open_index(folder)) as index:
        for mode in get_args(SearchMode):
            hits = [
                any(
                    _is_right(one.source_reference, fact)
                    for one in index.search(fact.question, SearchSettings(mode=mode))
                )
                for fact in facts
            ]
            yield mode, f"{fmean(hits):.1%}"


async def _asked(folder: Path, facts: Sequence[Fact]) -> tuple[str, str]:
    tool = VectorstoreTool(
        name="people",
        description="Who does what in which city: guards, chefs, clerks and other roles.",
        open_index=lambda: _open_index(folder),
        source=folder / "docs",
    )
    agent = Agent(LocalModel(ProviderOptions(name="minilm-extractive")), tools=[tool])
    found = answered = 0
    for fact in facts:
        result = await agent.run(fact.question)
        answered += fact.answer in result.text
        passages = [
            one for message in result.transcript.tool_results for one in (message.details or {}).get("results", ())
        ]
        found += any(_is_right(passage["source_reference"], fact) for passage in passages)
    tool.close()
    return f"{found / len(facts):.1%}", f"{answered / len(facts):.1%}"


def _is_right(reference: str, fact: Fact) -> bool:
    return reference.startswith(fact.file) and fact.place in reference


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ", flush=True)
