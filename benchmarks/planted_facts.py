"""Office files with one fact each, found at its place and answered: ``python benchmarks/planted_facts.py``."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.planted_facts import Fact, plant

from seatrial.core.agent import Agent
from seatrial.providers.base import ProviderOptions
from seatrial.providers.local import LocalModel
from seatrial.retrieval.base import EmbedderOptions
from seatrial.retrieval.catalog import DEFAULT_EMBEDDER, EMBEDDERS
from seatrial.retrieval.index import Index
from seatrial.retrieval.settings import IndexSettings
from seatrial.tools.vectorstore import VectorstoreTool

COUNT = 200
Row = tuple[str, str, str]


def rows() -> Iterator[Row]:
    """The figures for the results page."""
    with tempfile.TemporaryDirectory() as folder:
        facts = plant(Path(folder, "docs"), COUNT)
        found, answered = asyncio.run(_asked(Path(folder), facts))
    yield f"{COUNT} files of ten kinds: fact in the top 5 with file and place", f"{found:.1%}", "at least 95 %"
    yield "the embedded engine's answer names it", f"{answered:.1%}", ""


async def _asked(folder: Path, facts: Sequence[Fact]) -> tuple[float, float]:
    def open_index() -> Index:
        embedder = EMBEDDERS.load(DEFAULT_EMBEDDER)(EmbedderOptions())
        return Index.open(folder / "index", embedder, IndexSettings("people"))

    tool = VectorstoreTool(
        name="people",
        description="Who does what in which city: guards, chefs, clerks and other roles.",
        open_index=open_index,
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
        found += any(_is_right(passage, fact) for passage in passages)
    tool.close()
    return found / len(facts), answered / len(facts)


def _is_right(passage: dict[str, str], fact: Fact) -> bool:
    reference = passage["source_reference"]
    return reference.startswith(fact.file) and fact.place in reference


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ", flush=True)
