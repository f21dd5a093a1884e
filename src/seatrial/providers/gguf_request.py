"""A request as the engine takes it: a chat completion whose tools are told to the model in one of two ways.

Where the model's own chat template writes tools and calls as ``<tool_call>`` with JSON, the template tells them. Every
other model is told in words, and its calls and their results stand in the text of the messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from seatrial.core.model import ModelRequest, ToolSpec
from seatrial.formats.openai_chat import ChatDialect, system_to_openai, to_openai, tool_to_openai
from seatrial.formats.wire_json import encode
from seatrial.providers.gguf_grammar import (
    CALL_BEGIN,
    CALL_END,
    THOUGHT_BEGIN,
    THOUGHT_END,
    Thinking,
    grammar_of,
)

DIALECT = ChatDialect(blocks="none", has_images=False, has_files=False)
OTHER_CALL_STYLES = ("<function=", "<arg_key>")


class Template:
    """What matters of a model's chat template."""

    def __init__(self, text: str) -> None:
        self.thinking = _thinking(text)
        self.tells_tools = (
            "tools" in text and CALL_BEGIN in text and not any(style in text for style in OTHER_CALL_STYLES)
        )


def _thinking(text: str) -> Thinking:
    """A template may end the prompt with an open thought, that is, within what it writes last."""
    if THOUGHT_BEGIN not in text and THOUGHT_END not in text:
        return "never"
    ending = text.rpartition("add_generation_prompt")[2]
    return "begun" if ending.rfind(THOUGHT_BEGIN) > ending.rfind(THOUGHT_END) else "marked"


def chat_body(request: ModelRequest, template: Template, *, reader: str, extra: Mapping[str, Any]) -> bytes:
    """The body of a streamed chat completion. ``reader`` is the ``provider/model`` that will read it."""
    sampling = request.sampling
    wire = [to_openai(message, DIALECT, reader) for message in request.messages]
    messages = [message for message in wire if message is not None]
    body: dict[str, Any] = {
        "messages": messages if template.tells_tools else _in_words(messages),
        "temperature": sampling.temperature or 0.0,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "max_tokens": sampling.max_tokens,
        "grammar": grammar_of(request.tools, request.response_schema, thinking=template.thinking),
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,
    }
    body = {key: value for key, value in body.items() if value is not None} | dict(extra)
    if request.tools and template.tells_tools:
        tools = [tool_to_openai(tool) for tool in request.tools]
        body["chat_template_kwargs"] = {**body.get("chat_template_kwargs", {}), "tools": tools}
    system = _system_text(request, tells_tools=not template.tells_tools)
    if system:
        body["messages"] = [system_to_openai(system, DIALECT), *body["messages"]]
    return encode(body)


def _system_text(request: ModelRequest, *, tells_tools: bool) -> str:
    parts = [request.system_prompt] if request.system_prompt else []
    if request.tools and tells_tools:
        parts.append(_told(request.tools))
    if request.response_schema is not None:
        parts.append(f"Answer with JSON that fits this JSON Schema: {encode(request.response_schema).decode()}")
    return "\n\n".join(parts)


def _told(tools: Iterable[ToolSpec]) -> str:
    lines = "\n".join(encode(tool_to_openai(tool)).decode() for tool in tools)
    call = f'{CALL_BEGIN}\n{{"name": <name of the tool>, "arguments": <arguments as a JSON object>}}\n{CALL_END}'
    return (
        f"You can use these tools:\n<tools>\n{lines}\n</tools>\n\n"
        f"To use one, answer with nothing but a call:\n{call}\n\nIf no tool is needed, answer in plain words."
    )


def _in_words(messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages without calls and results as things of their own; neighbours of one role are one message."""
    told: list[dict[str, Any]] = []
    for message in messages:
        role, text = _as_text(message)
        if told and told[-1]["role"] == role:
            told[-1]["content"] += f"\n{text}"
        else:
            told.append({"role": role, "content": text})
    return told


def _as_text(message: Mapping[str, Any]) -> tuple[str, str]:
    text = message["content"] or ""
    if message["role"] == "tool":
        return "user", f"<tool_response>\n{text}\n</tool_response>"
    calls = [_call(call["function"]) for call in message.get("tool_calls", ())]
    return message["role"], "\n".join([text, *calls] if text else calls)


def _call(function: Mapping[str, str]) -> str:
    name = encode(function["name"]).decode()
    return f'{CALL_BEGIN}\n{{"name": {name}, "arguments": {function["arguments"]}}}\n{CALL_END}'
