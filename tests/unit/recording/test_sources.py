"""Servers of tools and embedders on tape."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.bag_of_words import BagOfWords
from tests.support.simple_tools import tool
from tests.support.tapes import CASE, Taped, never

from seatrial.core.agent import Agent
from seatrial.core.events import AgentEvent
from seatrial.core.threads import in_thread
from seatrial.core.tool import Tool, ToolContext
from seatrial.errors import ProviderError, RetrievalError
from seatrial.providers.scripted import calls, scripted
from seatrial.recording.deck import Deck
from seatrial.retrieval.vector_text import text_of_vectors, vectors_of_text


class Server:
    """A server that lists another tool after its first answer."""

    name = "shop"

    def __init__(self, *lists: Sequence[Tool] | Exception) -> None:
        self._lists = list(lists)
        self.times_asked = 0

    async def current_tools(self) -> Sequence[Tool]:
        listed = self._lists[min(self.times_asked, len(self._lists) - 1)]
        self.times_asked += 1
        if isinstance(listed, Exception):
            raise listed
        return listed


class Unreachable:
    name = "shop"

    async def current_tools(self) -> Sequence[Tool]:
        raise AssertionError("a replay asked the server")


async def run(deck: Deck, build: Any, source: Any) -> Taped:
    model = deck.model(build, provider="scripted", name="scripted")
    agent = Agent(model, tool_sources=[deck.source(source)])
    events: list[AgentEvent] = []
    with deck.trial(CASE, "", 1) as tape:
        result = await agent.run("hi", sink=events.append)
    return Taped(events, result, tape.missing, tape.unused)


def lists() -> tuple[list[Tool], list[Tool]]:
    first = tool("look", timeout_s=5.0)
    return [first], [first, tool("buy", execution_mode="sequential")]


async def test_the_tools_of_a_server_are_offered_in_the_replay_as_they_were_then(tmp_path: Path) -> None:
    before, after = lists()
    script = scripted(calls("look"), calls("buy"), "done")
    first = await run(Deck(tmp_path, [CASE], is_recording=True), lambda: script, Server(before, before, after))
    assert [len(request.tools) for request in script.requests] == [1, 1, 2]
    second = await run(Deck(tmp_path, [CASE], is_replaying=True), never, Unreachable())
    assert second.missing is None
    assert second.story == first.story


async def test_a_server_that_could_not_be_asked_is_warned_of_again(tmp_path: Path) -> None:
    down = ConnectionError("it is down")
    first = await run(Deck(tmp_path, [CASE], is_recording=True), lambda: scripted("ok"), Server(down))
    second = await run(Deck(tmp_path, [CASE], is_replaying=True), never, Unreachable())
    assert second.story == first.story
    assert any(event["type"] == "WarningRaised" for event in second.story)


async def test_a_server_that_was_not_recorded_is_a_miss(tmp_path: Path) -> None:
    deck = Deck(tmp_path, [CASE], is_recording=True)
    with deck.trial(CASE, "", 1):
        await Agent(deck.model(lambda: scripted("ok"), provider="scripted", name="scripted")).run("hi")
    second = await run(Deck(tmp_path, [CASE], is_replaying=True), never, Unreachable())
    assert second.missing == "what shop offers is not in the recording"


async def test_only_the_missing_call_goes_to_the_server(tmp_path: Path) -> None:
    before, _ = lists()
    await run(Deck(tmp_path, [CASE], is_recording=True), lambda: scripted("ok"), Server(before))
    server = Server(before)
    deck = Deck(tmp_path, [CASE], is_recording=True, is_replaying=True)
    with deck.trial(CASE, "", 1) as tape:
        source = deck.source(server)
        assert [each.spec.name for each in await source.current_tools()] == ["look"]
        assert server.times_asked == 0
        output = await (await source.current_tools())[0].run({}, ToolContext())
    assert output.content
    assert server.times_asked == 1
    assert tape.missing is None


async def test_vectors_come_back_to_the_last_bit(tmp_path: Path) -> None:
    async def embed(deck: Deck, embedder: BagOfWords) -> Any:
        with deck.trial(CASE, "", 1) as tape:
            taped = deck.embedder(embedder)
            vectors = await in_thread(taped.embed, ["one two", "three"])
        assert tape.missing is None
        return vectors

    first = await embed(Deck(tmp_path, [CASE], is_recording=True), BagOfWords())
    unused = BagOfWords()
    second = await embed(Deck(tmp_path, [CASE], is_replaying=True), unused)
    assert unused.texts == []
    assert second.dtype == np.float32
    assert np.array_equal(first, second)


async def test_other_texts_are_a_miss_that_says_which(tmp_path: Path) -> None:
    deck = Deck(tmp_path, [CASE], is_recording=True)
    with deck.trial(CASE, "", 1):
        deck.embedder(BagOfWords()).embed(["one"])
    deck = Deck(tmp_path, [CASE], is_replaying=True)
    with deck.trial(CASE, "", 1) as tape, pytest.raises(RetrievalError, match="not in the recording"):
        deck.embedder(BagOfWords()).embed(["two"])
    assert tape.missing is not None
    assert '- texts[0]: "one"\n+ texts[0]: "two"' in tape.missing


async def test_an_embedder_that_failed_fails_again(tmp_path: Path) -> None:
    class Failing(BagOfWords):
        def embed(self, texts: Sequence[str]) -> Any:
            raise ProviderError(f"no vectors for {len(texts)} texts", code="quota")

    for deck in (Deck(tmp_path, [CASE], is_recording=True), Deck(tmp_path, [CASE], is_replaying=True)):
        with deck.trial(CASE, "", 1), pytest.raises(ProviderError, match="no vectors for 1 texts"):
            deck.embedder(Failing()).embed(["one"])


async def test_outside_of_trials_everything_is_live(tmp_path: Path) -> None:
    embedder = BagOfWords()
    deck = Deck(tmp_path, [CASE], is_recording=True)
    deck.embedder(embedder).embed(["one"])
    assert embedder.texts == ["one"]
    assert (await Agent(deck.model(lambda: scripted("live"), provider="s", name="s")).run("hi")).text == "live"
    await asyncio.sleep(0)
    assert not any(tmp_path.iterdir())  # noqa: ASYNC240


@pytest.mark.parametrize("shape", [(0, 0), (1, 3), (4, 256)])
def test_vectors_as_text_are_the_same_vectors(shape: tuple[int, int]) -> None:
    vectors = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    back = vectors_of_text(text_of_vectors(vectors))
    assert np.array_equal(vectors, back)
    assert back.flags.writeable


@pytest.mark.parametrize("text", ["", "1x2", "1x2 AAAA", "axb AAAA", "2x2 ????"])
def test_text_that_holds_no_vectors_is_refused(text: str) -> None:
    with pytest.raises(RetrievalError, match="no vectors"):
        vectors_of_text(text)
