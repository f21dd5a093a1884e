"""The same bytes read by us and by the vendors' own clients say the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI, LengthFinishReasonError
from tests.support.fake_server import FakeServer
from tests.support.wires import KEY, WIRES, Said, answer, model_at

from seatrial.core.messages import AssistantMessage, UserMessage
from seatrial.core.model import ModelRequest, ToolSpec

CALLS = (("call_a", "look", '{"city": "東京", "n": 1}'), ("call_b", "look", "{}"))
SAID = {
    "text": Said("Grüße aus 東京 😀\nund mehr."),
    "parallel calls": Said(calls=CALLS),
    "text and calls": Said("I look.", calls=CALLS),
    "thoughts": Said("Four.", thought="Two and two… 🤔"),
    "thoughts and calls": Said(calls=CALLS, thought="Look it up."),
    "a cut answer": Said("Once upon a", is_cut=True),
    "a refusal": Said(refusal="I will not help with that."),
}
LOOK = ToolSpec("look", "Looks.", {"type": "object"})
STOP_REASONS = {
    "stop": "stop",
    "completed": "stop",
    "end_turn": "stop",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "length": "length",
    "max_output_tokens": "length",
    "max_tokens": "length",
    "refusal": "refusal",
}


class Heard(msgspec.Struct, frozen=True):
    """What a reply says, whoever read it."""

    id: str
    text: str
    thought: str
    refusal: str
    calls: list[tuple[str, str, dict[str, Any]]]
    stop_reason: str
    tokens: tuple[int | None, int | None, int | None]


async def ask_chat(url: str, is_streamed: bool) -> Heard:
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0) as client:
        asked: Any = {"model": "some-model", "messages": [{"role": "user", "content": "Hello?"}]}
        if is_streamed:
            async with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
                try:
                    reply: Any = await stream.get_final_completion()
                except LengthFinishReasonError as cut:
                    reply = cut.completion
        else:
            reply = await client.chat.completions.create(**asked)
    choice = reply.choices[0]
    said = choice.message
    calls = [(call.id, call.function.name, _decoded(call.function.arguments)) for call in said.tool_calls or ()]
    usage = reply.usage
    return Heard(
        id=reply.id,
        text=said.content or "",
        thought=getattr(said, "reasoning_content", None) or "",
        refusal=said.refusal or "",
        calls=calls,
        stop_reason="refusal" if said.refusal else STOP_REASONS[choice.finish_reason],
        tokens=(usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details.cached_tokens),
    )


async def ask_responses(url: str, is_streamed: bool) -> Heard:
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0) as client:
        reply: Any = None
        if is_streamed:
            async for event in await client.responses.create(model="some-model", input="Hello?", stream=True):
                if event.type in ("response.completed", "response.incomplete"):
                    reply = event.response
        else:
            reply = await client.responses.create(model="some-model", input="Hello?")
    parts = [part for item in reply.output if item.type == "message" for part in item.content]
    thoughts = [part.text for item in reply.output if item.type == "reasoning" for part in item.summary]
    calls = [
        (item.call_id, item.name, _decoded(item.arguments)) for item in reply.output if item.type == "function_call"
    ]
    refusal = "".join(part.refusal for part in parts if part.type == "refusal")
    word = reply.incomplete_details.reason if reply.incomplete_details else reply.status
    usage = reply.usage
    return Heard(
        id=reply.id,
        text=reply.output_text,
        thought="".join(thoughts),
        refusal=refusal,
        calls=calls,
        stop_reason="refusal" if refusal else "tool_calls" if calls else STOP_REASONS[word],
        tokens=(usage.input_tokens, usage.output_tokens, usage.input_tokens_details.cached_tokens),
    )


async def ask_anthropic(url: str, is_streamed: bool) -> Heard:
    async with AsyncAnthropic(base_url=url, api_key=KEY, max_retries=0) as client:
        asked: Any = {"model": "some-model", "max_tokens": 50, "messages": [{"role": "user", "content": "Hello?"}]}
        if is_streamed:
            async with client.messages.stream(**asked) as stream:
                reply: Any = await stream.get_final_message()
        else:
            reply = await client.messages.create(**asked)
    text = "".join(block.text for block in reply.content if block.type == "text")
    is_refusal = reply.stop_reason == "refusal"
    usage = reply.usage
    cached = usage.cache_read_input_tokens
    return Heard(
        id=reply.id,
        text=text,
        thought="".join(block.thinking for block in reply.content if block.type == "thinking"),
        refusal=text if is_refusal else "",
        calls=[(block.id, block.name, block.input) for block in reply.content if block.type == "tool_use"],
        stop_reason=STOP_REASONS[reply.stop_reason],
        tokens=(usage.input_tokens + cached, usage.output_tokens, cached),
    )


ASKED: dict[str, Callable[[str, bool], Awaitable[Heard]]] = {
    "openai": ask_chat,
    "openai-responses": ask_responses,
    "anthropic": ask_anthropic,
}


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("wire", ASKED)
@pytest.mark.parametrize("kind", SAID)
async def test_the_vendors_client_hears_what_we_hear(kind: str, wire: str, is_streamed: bool) -> None:
    spoken, said = WIRES[wire], SAID[kind]
    async with FakeServer(*[answer(spoken, said, is_streamed=is_streamed)] * 2) as server:
        model = model_at(spoken, server.url)
        request = ModelRequest("", (UserMessage("Hello?"),), (LOOK,))
        ours = await model.respond(request, on_notice=(lambda _: None) if is_streamed else None)
        await model.close()
        theirs = await ASKED[wire](server.url, is_streamed)
    assert heard(ours) == theirs


def heard(message: AssistantMessage) -> Heard:
    usage = message.usage
    return Heard(
        id=message.response_id,
        text=message.text,
        thought="".join(block.text for block in message.reasoning),
        refusal=message.error_message or "" if message.stop_reason == "refusal" else "",
        calls=[(call.id, call.name, call.arguments) for call in message.tool_calls],
        stop_reason=message.stop_reason,
        tokens=(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens),
    )


def _decoded(arguments: str) -> dict[str, Any]:
    return msgspec.json.decode(arguments, type=dict[str, Any])
