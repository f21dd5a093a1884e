from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.support.threaded_server import Asked, Reply, ThreadedServer, json_reply, threaded_server

from seatrial.errors import ConfigError, ProviderError, RetrievalError
from seatrial.providers.base import ProviderOptions
from seatrial.retrieval.base import Embedder, EmbedderOptions
from seatrial.retrieval.catalog import EMBEDDERS


@pytest.fixture
def server() -> Iterator[ThreadedServer]:
    with threaded_server() as server:
        yield server


def build(provider: str, server: ThreadedServer, **options: Any) -> Embedder:
    dimensions = options.pop("dimensions", None)
    connection = ProviderOptions(**{"name": "m", "endpoint": server.url, "api_key": "secret-key", **options})
    return EMBEDDERS.load(provider)(EmbedderOptions(connection, dimensions))


def openai_style(asked: Asked) -> Reply:
    """Vectors that tell the length of their text, in reversed order as the wire allows."""
    items = [{"index": i, "embedding": [float(len(text)), 0.0, 4.0]} for i, text in enumerate(asked.body["input"])]
    return json_reply({"data": items[::-1], "usage": {"prompt_tokens": 1}})


@pytest.mark.parametrize(
    ("provider", "path", "header"),
    [
        ("openai", "/embeddings", ("authorization", "Bearer secret-key")),
        ("openai_compatible", "/embeddings", ("authorization", "Bearer secret-key")),
        ("azure_openai", "/openai/deployments/m/embeddings?api-version=2024-10-21", ("api-key", "secret-key")),
    ],
)
def test_vectors_come_in_the_order_of_the_texts_and_have_length_1(
    server: ThreadedServer, provider: str, path: str, header: tuple[str, str]
) -> None:
    server.answer = openai_style
    vectors = build(provider, server).embed(["abc", "   "])
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [[0.6, 0, 0.8], [1 / 17**0.5, 0, 4 / 17**0.5]])
    (asked,) = server.requests
    assert asked.path == path
    assert asked.headers[header[0]] == header[1]
    assert asked.body == {"model": "m", "input": ["abc", " "], "encoding_format": "float"}


def test_ollama_is_asked_over_its_own_wire(server: ThreadedServer) -> None:
    server.answer = lambda asked: json_reply({"embeddings": [[0.0, 2.0] for _ in asked.body["input"]]})
    vectors = build("ollama", server, api_key=None, endpoint=server.url + "/v1").embed(["a", "b"])
    assert vectors.tolist() == [[0.0, 1.0], [0.0, 1.0]]
    (asked,) = server.requests
    assert (asked.path, asked.body) == ("/api/embed", {"model": "m", "input": ["a", "b"], "truncate": True})
    assert "authorization" not in asked.headers


def test_the_length_of_vectors_can_be_chosen_and_is_part_of_the_id(server: ThreadedServer) -> None:
    server.answer = openai_style
    short = build("openai", server, dimensions=256)
    short.embed(["a"])
    assert server.requests[0].body["dimensions"] == 256
    assert short.id != build("openai", server).id


def test_ids_tell_models_and_servers_apart_and_hold_no_key(server: ThreadedServer) -> None:
    ids = {
        build("openai_compatible", server, name=name, endpoint=f"http://{host}/v1").id for name in "ab" for host in "xy"
    }
    assert len(ids) == 4
    assert not any("secret" in one for one in ids)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (json_reply({"error": {"message": "bad key secret-key"}}, 401), "HTTP 401"),
        (json_reply({"data": []}), "0 vectors for 1 texts"),
        (json_reply({"nothing": 1}), "holds no vectors"),
        (Reply(b"<html>"), "holds no vectors"),
        (json_reply({"data": [{"index": 0, "embedding": "no"}]}), "no lists of numbers|different lengths"),
    ],
)
def test_a_reply_without_vectors_is_an_error_without_the_key(server: ThreadedServer, reply: Reply, said: str) -> None:
    server.answer = lambda _asked: reply
    with pytest.raises((ProviderError, RetrievalError), match=said) as caught:
        build("openai", server).embed(["a"])
    assert "secret-key" not in str(caught.value)


def test_missing_settings_are_told_before_any_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for provider, options, said in (
        ("openai", {}, "OPENAI_API_KEY"),
        ("openai_compatible", {"name": "m"}, "no endpoint"),
        ("openai_compatible", {"endpoint": "http://x/v1"}, "no name"),
        ("azure_openai", {"name": "m", "endpoint": None, "environ": {}}, "no endpoint|AZURE"),
        ("ollama", {}, "no name"),
    ):
        with pytest.raises(ConfigError, match=said):
            EMBEDDERS.load(provider)(EmbedderOptions(ProviderOptions(**{"name": "", **options})))


def test_tokens_are_guessed_with_care(server: ThreadedServer) -> None:
    embedder = build("openai", server)
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("twelve chars") == 3
    assert embedder.count_tokens("漢字仮名") == 4


def test_the_fast_embedder_is_close_where_words_are_close() -> None:
    fast = EMBEDDERS.load("fast")(EmbedderOptions())
    vectors = fast.embed(["a small dog", "a little puppy", "tax law", "", "\U0001f9ff"])
    assert vectors.shape == (5, 256)
    assert np.isfinite(vectors).all()
    assert np.allclose(np.linalg.norm(vectors[:3], axis=1), 1)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    assert fast.count_tokens("a small dog") == 3
    alone = fast.embed(["a little puppy"])[0]
    assert np.allclose(alone, vectors[1], atol=1e-6)
