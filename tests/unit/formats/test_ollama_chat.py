from __future__ import annotations

import json
from typing import Any

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, ToolResultMessage, UserMessage
from seatrial.core.model import ModelRequest, Sampling, ToolSpec
from seatrial.formats.encoded import EncodedMessages
from seatrial.formats.ollama_chat import encode_ollama_request, ollama_stream, to_ollama

CAT = ImageContent("aWNo", "image/png")


def body_of(request: ModelRequest, **extra: Any) -> Any:
    encoded = EncodedMessages(lambda message: ([to_ollama(message)], []))
    return json.loads(encode_ollama_request(request, model="m", encoded=encoded, stream=False, extra=extra))


def test_messages_are_plain_strings_with_images_beside() -> None:
    assert to_ollama(UserMessage((TextContent("See:"), CAT))) == {"role": "user", "content": "See:", "images": ["aWNo"]}
    assert "left out" in to_ollama(UserMessage((FileContent("eA==", "application/pdf", "a.pdf"),)))["content"]  # type: ignore[index]
    assert to_ollama(ToolResultMessage("c1", "look")) == {"role": "tool", "content": "(no output)", "tool_name": "look"}
    assert to_ollama(AssistantMessage((ReasoningContent("hm"),))) is None


def test_a_model_that_cannot_see_gets_one_word_per_run_of_images() -> None:
    shown = to_ollama(UserMessage((CAT, CAT, TextContent("x"))), has_images=False)
    assert shown is not None
    assert "images" not in shown
    assert shown["content"].count("image was left out") == 1


def test_calls_have_their_arguments_as_objects_and_thoughts_go_back_to_their_model() -> None:
    message = AssistantMessage((ReasoningContent("hm"), ToolCall("c1", "look", {"a": 1})), provider="ollama", model="m")
    assert to_ollama(message, "ollama/m") == {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "look", "arguments": {"a": 1}}}],
        "thinking": "hm",
    }
    assert "thinking" not in (to_ollama(message, "ollama/other") or {})


def test_settings_go_into_options_beside_those_of_the_user() -> None:
    request = ModelRequest(
        "Be kind.",
        (UserMessage("Hi."),),
        (ToolSpec("look", "Looks.", {"type": "object"}),),
        Sampling(0.1, None, 50, 7),
        {"type": "object"},
    )
    body = body_of(request, options={"num_ctx": 8192}, think=True)
    assert body["options"] == {"temperature": 0.1, "num_predict": 50, "seed": 7, "num_ctx": 8192}
    assert body["messages"][0] == {"role": "system", "content": "Be kind."}
    assert (body["think"], body["stream"], body["format"]) == (True, False, {"type": "object"})
    assert body["tools"][0]["function"]["name"] == "look"
    assert "options" not in body_of(ModelRequest("", ()))


def test_a_stream_that_stops_before_done_is_incomplete() -> None:
    stream = ollama_stream()
    stream.feed(b'{"message":{"role":"assistant","content":"Hel"},"done":false}\n{"mess')
    reply = stream.end()
    assert (reply.stop_reason, reply.text) == ("error", "Hel")
    assert reply.can_retry


def test_an_error_line_is_a_failure() -> None:
    stream = ollama_stream()
    stream.feed(b'{"error":"model \'nope\' not found"}\n')
    reply = stream.end()
    assert (reply.stop_reason, reply.error_message) == ("error", "model 'nope' not found")
