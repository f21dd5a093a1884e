from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from seatrial.errors import ConfigError, ProviderError, RetrievalError
from seatrial.providers.base import ProviderOptions
from seatrial.retrieval.base import Embedder, EmbedderOptions
from seatrial.retrieval.catalog import EMBEDDERS

Answer = tuple[int, Any]


@dataclass
class Server:
    """A server on the loopback: ``answer`` is asked with each body; the requests are kept."""

    url: str = ""
    answer: Callable[[dict[str, Any]], Answer] = lambda _body: (500, {})
    requests: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            server.requests.append((self.path, headers, body))
            status, reply = server.answer(body)
            data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_arguments: object) -> None:
            return

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    http.shutdown()
    thread.join()
    http.server_close()


def build(provider: str, server: Server, **options: Any) -> Embedder:
    dimensions = options.pop("dimensions", None)
    connection = ProviderOptions(**{"name": "m", "endpoint": server.url, "api_key": "secret-key", **options})
    return EMBEDDERS.load(provider)(EmbedderOptions(connection, dimensions))


def openai_style(body: dict[str, Any]) -> Answer:
    """Vectors that tell the length of their text, in reversed order as the wire allows."""
    items = [{"index": i, "embedding": [float(len(text)), 0.0, 4.0]} for i, text in enumerate(body["input"])]
    return 200, {"data": items[::-1], "usage": {"prompt_tokens": 1}}


@pytest.mark.parametrize(
    ("provider", "path", "header"),
    [
        ("openai", "/embeddings", ("authorization", "Bearer secret-key")),
        ("openai_compatible", "/embeddings", ("authorization", "Bearer secret-key")),
        ("azure_openai", "/openai/deployments/m/embeddings?api-version=2024-10-21", ("api-key", "secret-key")),
    ],
)
def test_vectors_come_in_the_order_of_the_texts_and_have_length_1(
    server: Server, provider: str, path: str, header: tuple[str, str]
) -> None:
    server.answer = openai_style
    vectors = build(provider, server).embed(["abc", "   "])
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [[0.6, 0, 0.8], [1 / 17**0.5, 0, 4 / 17**0.5]])
    (asked_path, headers, body) = server.requests[0]
    assert asked_path == path
    assert headers[header[0]] == header[1]
    assert body == {"model": "m", "input": ["abc", " "], "encoding_format": "float"}


def test_ollama_is_asked_over_its_own_wire(server: Server) -> None:
    server.answer = lambda body: (200, {"embeddings": [[0.0, 2.0] for _ in body["input"]]})
    vectors = build("ollama", server, api_key=None, endpoint=server.url + "/v1").embed(["a", "b"])
    assert vectors.tolist() == [[0.0, 1.0], [0.0, 1.0]]
    path, headers, body = server.requests[0]
    assert (path, body) == ("/api/embed", {"model": "m", "input": ["a", "b"], "truncate": True})
    assert "authorization" not in headers


def test_many_texts_go_in_batches(server: Server) -> None:
    server.answer = openai_style
    assert build("openai", server).embed(["x" * n for n in range(1, 151)]).shape == (150, 3)
    assert [len(body["input"]) for _, _, body in server.requests] == [64, 64, 22]


def test_the_length_of_vectors_can_be_chosen_and_is_part_of_the_id(server: Server) -> None:
    server.answer = openai_style
    short = build("openai", server, dimensions=256)
    short.embed(["a"])
    assert server.requests[0][2]["dimensions"] == 256
    assert short.id != build("openai", server).id


def test_ids_tell_models_and_servers_apart_and_hold_no_key(server: Server) -> None:
    ids = {
        build("openai_compatible", server, name=name, endpoint=f"http://{host}/v1").id for name in "ab" for host in "xy"
    }
    assert len(ids) == 4
    assert not any("secret" in one for one in ids)


def test_a_busy_server_is_asked_again(server: Server) -> None:
    answers = iter([(503, {}), (429, {}), None])

    def answer(body: dict[str, Any]) -> Answer:
        return next(answers) or openai_style(body)

    server.answer = answer
    assert build("openai", server).embed(["a"]).shape == (1, 3)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ((401, {"error": {"message": "bad key secret-key"}}), "HTTP 401"),
        ((200, {"data": []}), "0 vectors for 1 texts"),
        ((200, {"nothing": 1}), "holds no vectors"),
        ((200, b"<html>"), "holds no vectors"),
        ((200, {"data": [{"index": 0, "embedding": "no"}]}), "no lists of numbers|different lengths"),
    ],
)
def test_a_reply_without_vectors_is_an_error_without_the_key(server: Server, reply: Answer, said: str) -> None:
    server.answer = lambda _body: reply
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


def test_tokens_are_guessed_with_care(server: Server) -> None:
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
