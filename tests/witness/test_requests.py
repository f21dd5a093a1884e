"""What we send is what the vendors' own SDKs would send: their typed requests know every key and every value in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)
from pydantic import ValidationError
from tests.support.fake_server import FakeServer
from tests.support.vendor_types import VendorType
from tests.support.wires import WIRES, Said, answer, model_at

from seatrial.core.content import FileContent, ImageContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelRequest, Sampling, ToolSpec

Request = Callable[[AssistantMessage], ModelRequest]

PICTURE = ImageContent("aWNo", "image/png")
PDF = FileContent("cGRm", "application/pdf", "plan.pdf")
NOTES = FileContent("bm90ZXM=", "text/plain", "notes.txt")
CLOSED = {
    "type": "object",
    "properties": {"degrees": {"type": "integer"}},
    "required": ["degrees"],
    "additionalProperties": False,
}
OPEN = {"type": "object", "properties": {"degrees": {"type": "integer"}}}
TOOLS = (ToolSpec("look", "Looks.", OPEN), ToolSpec("get_weather", "The weather.", CLOSED))
CALLED = AssistantMessage((TextContent("I look."), ToolCall("c1", "look", {"a": 1}), ToolCall("c2", "look")))
CHAT = ("openai", "azure_openai", "openai_compatible")
TYPES: dict[tuple[str, bool], Any] = {
    **{(wire, False): CompletionCreateParamsNonStreaming for wire in CHAT},
    **{(wire, True): CompletionCreateParamsStreaming for wire in CHAT},
    ("openai-responses", False): ResponseCreateParamsNonStreaming,
    ("openai-responses", True): ResponseCreateParamsStreaming,
    ("anthropic", False): MessageCreateParamsNonStreaming,
    ("anthropic", True): MessageCreateParamsStreaming,
}


def asks(*messages: Message, **fields: Any) -> Request:
    """A request that says these things, whatever the model said before."""
    return lambda _: ModelRequest("Be kind.", messages, **fields)


def goes_on(first: AssistantMessage) -> ModelRequest:
    """A request with the model's own reply in it, its thoughts and calls included."""
    results = (gave(call.id) for call in first.tool_calls)
    return ModelRequest("Be kind.", (UserMessage("Hello?"), first, *results), TOOLS)


def gave(call_id: str, *blocks: Any, is_error: bool = False) -> ToolResultMessage:
    return ToolResultMessage(call_id, "look", blocks or (TextContent("seen"),), is_error=is_error)


REQUESTS: dict[str, Request] = {
    "text": asks(UserMessage("Hello?"), AssistantMessage((TextContent("Hi."),)), UserMessage("And?")),
    "without a system prompt": lambda _: ModelRequest("", (UserMessage("Hello?"),)),
    "tools": asks(UserMessage("Hello?"), tools=TOOLS),
    "parallel results": asks(UserMessage("Go."), CALLED, gave("c1"), gave("c2", is_error=True), tools=TOOLS),
    "empty results": asks(UserMessage("Go."), CALLED, gave("c1", TextContent("")), gave("c2"), tools=TOOLS),
    "pictures": asks(UserMessage((TextContent("See:"), PICTURE, PICTURE))),
    "documents": asks(UserMessage((TextContent("Read:"), PDF))),
    "pictures and documents in results": asks(
        UserMessage("Go."), CALLED, gave("c1", TextContent("see"), PICTURE, PDF), gave("c2", PICTURE, is_error=True)
    ),
    "an answer of a closed shape": asks(UserMessage("How warm?"), response_schema=CLOSED),
    "an answer of an open shape": asks(UserMessage("How warm?"), response_schema=OPEN),
    "sampling": asks(UserMessage("Hello?"), sampling=Sampling(temperature=0.5, top_p=0.9, max_tokens=50, seed=7)),
    "its own thoughts and calls": goes_on,
}
SAYS = Said("I look.", calls=(("c1", "look", '{"a": 1}'), ("c2", "look", "{}")), thought="Hm.")
WITHOUT_THOUGHT = Said("I look.", calls=SAYS.calls)


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("wire", [*CHAT, "openai-responses", "anthropic"])
@pytest.mark.parametrize("kind", REQUESTS)
async def test_the_vendors_types_take_what_is_sent(kind: str, wire: str, is_streamed: bool) -> None:
    compat = {"has_sampling": False} if wire == "anthropic" else {}  # today's SDK no longer knows the temperature
    body = await sent(wire, REQUESTS[kind], is_streamed=is_streamed, **compat)
    judge(wire, is_streamed=is_streamed).check(body)


@pytest.mark.parametrize(
    ("wire", "extra"),
    [
        ("openai", {"reasoning_effort": "high"}),
        ("openai-responses", {"reasoning": {"effort": "high", "summary": "auto"}}),
        ("anthropic", {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
    ],
)
async def test_the_vendors_types_take_a_wish_to_reason(wire: str, extra: dict[str, Any]) -> None:
    body = await sent(wire, goes_on, is_streamed=False, extra_body=extra)
    assert json.loads(body).items() >= extra.items()
    judge(wire).check(body)


async def test_thoughts_go_back_sealed_as_they_came() -> None:
    for wire in ("openai-responses", "anthropic"):
        assert b"c2VhbGVk" in await sent(wire, goes_on, is_streamed=False)


async def test_text_documents_go_to_anthropic_as_text() -> None:
    body = await sent("anthropic", asks(UserMessage((TextContent("Read:"), NOTES))), is_streamed=False)
    judge("anthropic").check(body)
    assert "notes" in json.loads(body)["messages"][0]["content"][1]["source"]["data"]


async def test_cache_marks_stand_where_anthropic_takes_them() -> None:
    body = await sent("anthropic", REQUESTS["parallel results"], is_streamed=False)
    judge("anthropic").check(body)
    told = json.loads(body)
    marked = [told["tools"][-1], told["system"][-1], told["messages"][-1]["content"][-1]]
    assert [part["cache_control"] for part in marked] == [{"type": "ephemeral"}] * 3
    assert body.count(b"cache_control") == 3


@pytest.mark.parametrize("wire", ["openai", "openai-responses", "anthropic"])
async def test_the_witness_does_not_let_everything_pass(wire: str) -> None:
    told = json.loads(await sent(wire, REQUESTS["pictures"], is_streamed=False))
    with pytest.raises(ValidationError):
        judge(wire).check(json.dumps({**told, "oddity": 1}).encode())
    said = told["input" if "input" in told else "messages"][-1]
    said["content"][0]["oddity"] = 1
    with pytest.raises(ValidationError):
        judge(wire).check(json.dumps(told).encode())


@cache
def judge(wire: str, *, is_streamed: bool = False) -> VendorType:
    return VendorType(TYPES[wire, is_streamed])


async def sent(wire: str, request: Request, *, is_streamed: bool, **compat: Any) -> bytes:
    """The body that goes over the wire, after a first reply of the model."""
    spoken = WIRES[wire]
    first = WITHOUT_THOUGHT if wire in CHAT else SAYS  # OpenAI shows its thoughts in responses alone
    async with FakeServer(*[answer(spoken, said, is_streamed=is_streamed) for said in (first, Said("Hi."))]) as server:
        model = model_at(spoken, server.url, **compat)
        on_notice = (lambda _: None) if is_streamed else None
        reply = await model.respond(ModelRequest("", (UserMessage("Hello?"),), TOOLS), on_notice=on_notice)
        await model.respond(request(reply), on_notice=on_notice)
        await model.close()
        return server.requests[1].raw
