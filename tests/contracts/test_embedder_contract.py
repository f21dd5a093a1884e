"""What every embedder in the catalogue promises, on this machine or behind HTTP."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.support.threaded_server import Asked, Reply, ThreadedServer, json_reply, threaded_server

from seatrial.errors import ProviderError
from seatrial.providers.base import ProviderOptions
from seatrial.retrieval.base import Embedder, EmbedderOptions
from seatrial.retrieval.catalog import EMBEDDERS

REMOTE = ("openai", "azure_openai", "openai_compatible", "ollama")
TEXTS = ["a small dog", "", "tax law", "naïve café 漢字 \U0001f9ff", "x" * 40, "a small dog"]


def answer(asked: Asked) -> Reply:
    """Any of the wires: vectors made of the text, so that a mixed up order shows."""
    rows = [[float(byte) for byte in hashlib.sha256(text.encode()).digest()] for text in asked.body["input"]]
    if asked.path == "/api/embed":
        return json_reply({"embeddings": rows})
    return json_reply({"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)][::-1]})


@pytest.fixture
def server() -> Iterator[ThreadedServer]:
    with threaded_server() as server:
        server.answer = answer
        yield server


def build(name: str, server: ThreadedServer) -> Embedder:
    connection = ProviderOptions(name="m", endpoint=server.url, api_key="hush") if name in REMOTE else None
    return EMBEDDERS.load(name)(EmbedderOptions(connection) if connection else EmbedderOptions())


@pytest.fixture(params=EMBEDDERS.builtins)
def embedder(request: pytest.FixtureRequest, server: ThreadedServer) -> Embedder:
    return build(request.param, server)


def test_the_suite_knows_every_embedder() -> None:
    assert set(EMBEDDERS.builtins) == {*REMOTE, "local", "fast"}


def test_vectors_are_rows_of_length_1_in_the_order_of_the_texts(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert (vectors.dtype, vectors.ndim, len(vectors)) == (np.float32, 2, len(TEXTS))
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.allclose(lengths[lengths > 0], 1, atol=1e-5)
    assert lengths[0] > 0
    assert np.isfinite(vectors).all()
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert np.allclose(embedder.embed([text])[0], vector, atol=2e-2)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert len(embedder.embed([])) == 0


def test_a_text_far_over_the_limit_is_cut_and_no_error(embedder: Embedder) -> None:
    long = "many words of text " * 2000
    assert embedder.count_tokens(long) > embedder.max_tokens > 0
    assert embedder.embed([long]).shape[0] == 1


def test_tokens_grow_with_the_text(embedder: Embedder) -> None:
    counts = [embedder.count_tokens(text) for text in ("", "one", "one two three", "one two three " * 9)]
    assert counts == sorted(counts)
    assert counts[1] >= 1


def test_the_id_is_the_same_for_the_same_model_and_holds_no_key(
    request: pytest.FixtureRequest, embedder: Embedder, server: ThreadedServer
) -> None:
    name = request.node.callspec.params["embedder"]
    assert embedder.id == build(name, server).id != ""
    assert "hush" not in embedder.id


def test_many_threads_may_ask_at_once(embedder: Embedder) -> None:
    alone = embedder.embed(["a small dog"])
    with ThreadPoolExecutor(4) as threads:
        for vectors in threads.map(embedder.embed, [["a small dog"]] * 12):
            assert np.allclose(vectors, alone, atol=1e-5)


@pytest.mark.parametrize("name", REMOTE)
def test_many_texts_go_in_batches_and_come_back_in_order(name: str, server: ThreadedServer) -> None:
    texts = [f"text {n}" for n in range(150)]
    embedder = build(name, server)
    vectors = embedder.embed(texts)
    assert [len(asked.body["input"]) for asked in server.requests] == [64, 64, 22]
    assert np.allclose(vectors[149], embedder.embed(["text 149"])[0])


@pytest.mark.parametrize("name", REMOTE)
def test_a_busy_server_is_asked_again_and_a_refusal_is_an_error_without_the_key(
    name: str, server: ThreadedServer
) -> None:
    replies = iter([json_reply({}, 503), json_reply({}, 429), None])
    server.answer = lambda asked: next(replies) or answer(asked)
    assert len(build(name, server).embed(["a"])) == 1
    assert len(server.requests) == 3
    server.answer = lambda _asked: json_reply({"error": {"message": "no such key: hush"}}, 401)
    with pytest.raises(ProviderError, match="401") as caught:
        build(name, server).embed(["a"])
    assert "hush" not in f"{caught.value.message} {caught.value.hint}"
