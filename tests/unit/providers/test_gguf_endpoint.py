"""A real OpenAI-compatible server, llama.cpp's own on the loopback, behind `provider: openai_compatible`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
import xllamacpp
from tests.support.small_model import MODEL_FILE

from seatrial.core.abort import AbortSignal
from seatrial.core.messages import AssistantMessage, UserMessage
from seatrial.core.model import ModelNotice, ModelRequest, Sampling, TextDelta
from seatrial.providers.base import ProviderOptions
from seatrial.providers.openai_compatible import OpenAICompatibleModel

KEY = "the-key"
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 12}},
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    params = xllamacpp.CommonParams()
    params.model.path = str(MODEL_FILE)
    params.n_ctx = 1024
    params.cache_ram_mib = 0
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.verbosity = -1
    params.api_keys = [KEY]
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def request(text: str, *, max_tokens: int | None = 30, **more: Any) -> ModelRequest:
    return ModelRequest(
        "Be brief.", (UserMessage(text),), sampling=Sampling(temperature=0.0, max_tokens=max_tokens), **more
    )


async def ask(endpoint: str, asked: ModelRequest, *, key: str = KEY, **more: Any) -> AssistantMessage:
    options = ProviderOptions("tiny", endpoint=endpoint, api_key=key, compat={"preset": "llamacpp", "max_tries": 1})
    model = OpenAICompatibleModel(options)
    try:
        return await model.respond(asked, **more)
    finally:
        await model.close()


async def test_it_answers_whole_and_streamed_alike(endpoint: str) -> None:
    notices: list[ModelNotice] = []
    whole = await ask(endpoint, request("Say hello."))
    streamed = await ask(endpoint, request("Say hello."), on_notice=notices.append)
    assert whole.stop_reason == streamed.stop_reason == "stop"
    assert "hello" in whole.text.lower()
    assert whole.text == streamed.text
    assert "".join(notice.text for notice in notices if isinstance(notice, TextDelta)) == streamed.text
    assert whole.usage.input_tokens == streamed.usage.input_tokens == 20
    assert whole.usage.output_tokens == streamed.usage.output_tokens


async def test_an_answer_at_its_limit_of_tokens_says_so(endpoint: str) -> None:
    reply = await ask(endpoint, request("Tell me about ships.", max_tokens=5))
    assert (reply.stop_reason, reply.usage.output_tokens) == ("length", 5)


async def test_an_answer_takes_the_shape_that_is_asked_for(endpoint: str) -> None:
    reply = await ask(endpoint, request("Which city is the capital of France?", response_schema=CITY))
    assert json.loads(reply.text).keys() == {"city"}


async def test_a_prompt_beyond_the_window_is_told_as_such(endpoint: str) -> None:
    reply = await ask(endpoint, request("hello " * 1200))
    assert (reply.stop_reason, reply.error_code) == ("error", "context_overflow")


async def test_a_wrong_key_is_refused(endpoint: str) -> None:
    reply = await ask(endpoint, request("Say hello."), key="another")
    assert reply.stop_reason == "error"
    assert "HTTP 401" in (reply.error_message or "")


async def test_stop_ends_a_stream_and_the_server_is_free_again(endpoint: str) -> None:
    signal = AbortSignal()
    asyncio.get_running_loop().call_later(0.3, signal.set)
    story = request("Write a long story.", max_tokens=None)
    reply = await ask(endpoint, story, on_notice=lambda _notice: None, signal=signal)
    assert reply.stop_reason == "aborted"
    assert (await ask(endpoint, request("Say hello.", max_tokens=3))).stop_reason == "length"
