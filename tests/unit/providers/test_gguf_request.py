"""How a request is told to a model whose chat template knows tools, and to one whose template does not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.small_model import TOOL_TEMPLATE

from seatrial.core.content import ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, ToolResultMessage, UserMessage
from seatrial.core.model import ModelRequest, Sampling, ToolSpec
from seatrial.providers.gguf_request import Template, chat_body

CHATML = "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
PLAIN, KNOWING = Template(CHATML), Template(TOOL_TEMPLATE)
TOOL = ToolSpec("get_weather", "The weather.", {"type": "object", "properties": {"city": {"type": "string"}}})
CONVERSATION = (
    UserMessage("Paris and Rome?"),
    AssistantMessage(
        (
            ReasoningContent("Two cities."),
            TextContent("I look."),
            ToolCall("a", "get_weather", {"city": "Paris"}),
            ToolCall("b", "get_weather", {"city": "Rome"}),
        )
    ),
    ToolResultMessage("a", "get_weather", (TextContent("rainy"),)),
    ToolResultMessage("b", "get_weather", (TextContent("sunny"),)),
    UserMessage("And now?"),
)


def body(request: ModelRequest, template: Template, **extra: Any) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(chat_body(request, template, reader="gguf/m", extra=extra))
    return decoded


def test_a_template_that_knows_tools_is_given_the_tools_and_the_conversation_as_it_is() -> None:
    wire = body(ModelRequest("Be brief.", CONVERSATION, (TOOL,)), KNOWING)
    assert [message["role"] for message in wire["messages"]] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert wire["messages"][0]["content"] == "Be brief."
    (tool,) = wire["chat_template_kwargs"]["tools"]
    assert tool["function"] == {"name": "get_weather", "description": "The weather.", "parameters": TOOL.parameters}
    assert "tools" not in wire


def test_any_other_template_is_told_tools_calls_and_results_in_words() -> None:
    wire = body(ModelRequest("Be brief.", CONVERSATION, (TOOL,)), PLAIN)
    system, question, calls, results = wire["messages"]
    assert system["content"].startswith("Be brief.\n\nYou can use these tools:\n<tools>\n{")
    assert '"name":"get_weather"' in system["content"]
    assert question == {"role": "user", "content": "Paris and Rome?"}
    assert calls["role"] == "assistant"
    assert calls["content"] == (
        'I look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city":"Paris"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "get_weather", "arguments": {"city":"Rome"}}\n</tool_call>'
    )
    assert results["role"] == "user"
    assert results["content"] == (
        "<tool_response>\nrainy\n</tool_response>\n<tool_response>\nsunny\n</tool_response>\nAnd now?"
    )
    assert "chat_template_kwargs" not in wire


@pytest.mark.parametrize("template", [PLAIN, KNOWING])
def test_a_request_is_drawn_at_temperature_0_unless_it_says_otherwise(template: Template) -> None:
    wire = body(ModelRequest("", (UserMessage("Hi"),)), template)
    assert wire["temperature"] == 0
    assert wire.keys() & {"seed", "top_p", "max_tokens", "grammar"} == set()
    assert [message["role"] for message in wire["messages"]] == ["user"]
    sampling = Sampling(temperature=0.7, top_p=0.9, max_tokens=9, seed=3)
    wire = body(ModelRequest("", (UserMessage("Hi"),), sampling=sampling), template)
    assert [wire[key] for key in ("temperature", "top_p", "max_tokens", "seed")] == [0.7, 0.9, 9, 3]


def test_what_the_user_adds_stands_above_and_beside_what_is_sent() -> None:
    request = ModelRequest("", (UserMessage("Hi"),), (TOOL,))
    wire = body(request, KNOWING, top_k=1, temperature=0.2, chat_template_kwargs={"enable_thinking": False})
    assert (wire["top_k"], wire["temperature"]) == (1, 0.2)
    assert wire["chat_template_kwargs"].keys() == {"enable_thinking", "tools"}


def test_a_shape_is_told_to_the_model_too() -> None:
    wire = body(ModelRequest("Be brief.", (UserMessage("Hi"),), response_schema={"type": "object"}), PLAIN)
    assert wire["messages"][0]["content"] == (
        'Be brief.\n\nAnswer with JSON that fits this JSON Schema: {"type":"object"}'
    )


@pytest.mark.parametrize(
    ("template", "thinking", "tells_tools"),
    [
        (CHATML, "never", False),
        (TOOL_TEMPLATE, "never", True),
        (TOOL_TEMPLATE + "{% if thoughts %}<think>{{ thoughts }}</think>{% endif %}", "marked", True),
        ("{% if add_generation_prompt %}<|assistant|><think>\n{% endif %}", "begun", False),
        ("{% if add_generation_prompt %}{% if off %}<think>\n\n</think>\n\n{% endif %}{% endif %}", "marked", False),
        (TOOL_TEMPLATE + "<function=name>", "never", False),
        (TOOL_TEMPLATE + "<arg_key>", "never", False),
    ],
)
def test_a_template_shows_whether_the_model_reasons_and_how_it_calls(
    template: str, thinking: str, tells_tools: bool
) -> None:
    read = Template(template)
    assert (read.thinking, read.tells_tools) == (thinking, tells_tools)
