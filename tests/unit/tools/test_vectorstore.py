from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.bag_of_words import BagOfWords

from seatrial.core.abort import AbortSignal
from seatrial.core.content import TextContent
from seatrial.core.tool import ToolContext
from seatrial.errors import AbortedError, ConfigError, DocumentError
from seatrial.retrieval.index import Index
from seatrial.retrieval.report import IndexProgress
from seatrial.retrieval.search import SearchSettings
from seatrial.retrieval.settings import IndexSettings
from seatrial.tools.vectorstore import VectorstoreTool


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "faq.md").write_text("# Returns\n\nYou can send goods back within 30 days.\n")
    (folder / "prices.csv").write_text("sku,name,price\nA-1001,Blue ceramic mug,12.50\nA-0007,Green tea pot,29.00\n")
    return folder


@pytest.fixture
def make_tool(tmp_path: Path, docs: Path):
    tools: list[VectorstoreTool] = []

    def make(embedder: Any = None, source: Path = docs, **settings: Any) -> VectorstoreTool:
        tool = VectorstoreTool(
            name="shop_docs",
            description="What the shop's documents say.",
            open_index=lambda: Index.open(tmp_path / "index", embedder or BagOfWords(), IndexSettings("shop_docs")),
            source=source,
            settings=SearchSettings(**settings),
            examples=("may I send it back",),
        )
        tools.append(tool)
        return tool

    yield make
    for tool in tools:
        tool.close()


def text_of(output: Any) -> str:
    (block,) = output.content
    assert isinstance(block, TextContent)
    return block.text


async def test_h006_the_model_gets_passages_with_their_sources(make_tool) -> None:
    output = await make_tool(top_k=1).run({"query": "green tea pot"}, ToolContext())
    assert text_of(output) == "[1] prices.csv record 2\nGreen tea pot\nsku: A-0007; price: 29.00"
    assert not output.is_error


async def test_h017_details_hold_the_search_results_as_plain_dicts(make_tool) -> None:
    output = await make_tool(top_k=1).run({"query": "goods back"}, ToolContext())
    (result,) = output.details["results"]
    assert result["source_reference"] == "faq.md#returns"
    assert result["matched_content"].endswith("within 30 days.")
    assert result["metadata_dict"]["heading"] == "Returns"
    assert 0 < result["relevance_score"] <= 1


async def test_no_passage_is_an_answer_of_its_own(make_tool) -> None:
    output = await make_tool(min_score=0.99).run({"query": "zebra"}, ToolContext())
    assert text_of(output) == "No passage was found for this query."
    assert output.details == {"results": []}


def test_the_model_is_told_of_one_argument(make_tool) -> None:
    spec = make_tool().spec
    assert (spec.name, spec.examples) == ("shop_docs", ("may I send it back",))
    assert spec.parameters["required"] == ["query"]
    assert spec.parameters["properties"]["query"]["type"] == "string"


def test_a_query_that_is_missing_or_blank_is_told(make_tool) -> None:
    tool = make_tool()
    assert tool.check_arguments({}) == "Missing required arguments: query"
    assert "blank" in tool.check_arguments({"query": " "})
    assert tool.check_arguments({"query": "tea"}) is None


async def test_the_index_is_made_once_whoever_asks_first(make_tool) -> None:
    embedder = BagOfWords()
    tool = make_tool(embedder)
    await asyncio.gather(*(tool.run({"query": "tea"}, ToolContext()) for _ in range(8)), tool.prepare())
    assert sorted(embedder.texts.count(text) for text in set(embedder.texts)) == [1, 1, 1, 8]


async def test_prepare_tells_progress_and_what_was_done(make_tool) -> None:
    told: list[IndexProgress] = []
    tool = make_tool()
    report = await tool.prepare(told.append)
    assert (report.files, report.chunks) == (2, 3)
    assert told[-1].files_done == 2
    assert await tool.prepare(told.append) is report


async def test_the_event_loop_runs_on_while_the_index_is_made(make_tool) -> None:
    loop = asyncio.get_running_loop()
    has_turned = asyncio.Event()

    class Waiting(BagOfWords):
        def embed(self, texts: Sequence[str]) -> Any:
            asyncio.run_coroutine_threadsafe(self.turn(), loop).result(timeout=10)
            return super().embed(texts)

        async def turn(self) -> None:
            has_turned.set()

    await make_tool(Waiting()).prepare()
    assert has_turned.is_set()


async def test_a_source_without_documents_is_an_error_that_says_why(make_tool, tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "a.xyz").write_text("x")
    with pytest.raises(ConfigError, match="no file in it has a known type"):
        await make_tool(source=tmp_path / "odd").run({"query": "x"}, ToolContext())
    (tmp_path / "odd" / "b.json").write_text("{")
    with pytest.raises(ConfigError, match=r"b\.json:1:2"):
        await make_tool(source=tmp_path / "odd").run({"query": "x"}, ToolContext())
    with pytest.raises(DocumentError, match="does not exist"):
        await make_tool(source=tmp_path / "gone").run({"query": "x"}, ToolContext())


async def test_after_a_failure_the_next_call_tries_again(make_tool, docs: Path, tmp_path: Path) -> None:
    tool = make_tool(source=tmp_path / "later")
    with pytest.raises(DocumentError):
        await tool.prepare()
    (tmp_path / "later").symlink_to(docs)
    assert (await tool.prepare()).files == 2


async def test_y022_a_stop_ends_the_preparation(make_tool) -> None:
    signal = AbortSignal()
    signal.set("aborted")
    tool = make_tool()
    with pytest.raises(AbortedError):
        await tool.prepare(signal=signal)
    with pytest.raises(AbortedError):
        await tool.run({"query": "x"}, ToolContext(signal=signal))
    assert (await tool.prepare()).files == 2
