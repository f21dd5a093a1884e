"""The embedded engine, with an embedder of words in place of the model, so that every score is exact."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.bag_of_words import BagOfWords

from seatrial.core.abort import AbortSignal
from seatrial.core.content import TextContent
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelNotice, ModelRequest, Sampling, TextDelta, ToolCallDelta, ToolSpec
from seatrial.errors import ConfigError, RetrievalError
from seatrial.providers.base import ProviderOptions
from seatrial.providers.local import LocalModel

ORDERS = ToolSpec(
    "order_status",
    "where is the order and when does it arrive",
    {
        "properties": {"order_id": {"type": "string", "description": "Order id such as A-1001"}},
        "required": ["order_id"],
    },
)
PAGES = ToolSpec(
    "search_pages",
    "return policy and shipping cost and where is the shop",
    {"properties": {"query": {"type": "string"}}, "required": ["query"]},
)


def engine() -> LocalModel:
    return LocalModel(ProviderOptions(name="minilm-extractive"), BagOfWords())


async def ask(
    *messages: Message | str, tools: Sequence[ToolSpec] = (ORDERS, PAGES), **changes: Any
) -> AssistantMessage:
    said = tuple(UserMessage(message) if isinstance(message, str) else message for message in messages)
    return await engine().respond(ModelRequest("Be kind.", said, tuple(tools), **changes))


def result(text: str, *, is_error: bool = False, name: str = "order_status") -> ToolResultMessage:
    return ToolResultMessage("call_1", name, (TextContent(text),), is_error=is_error)


async def test_it_calls_the_tool_that_the_message_is_for() -> None:
    reply = await ask("where is order A-1001")
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("order_status", {"order_id": "A-1001"})]
    assert reply.stop_reason == "tool_calls"
    assert (reply.provider, reply.api, reply.model) == ("local", "local", "minilm-extractive")


async def test_it_calls_once_for_each_code_that_is_built_alike() -> None:
    reply = await ask("when does order A-1001 and B-2040 arrive in 2 days")
    assert [call.arguments["order_id"] for call in reply.tool_calls] == ["A-1001", "B-2040"]
    assert [call.id for call in reply.tool_calls] == ["call_1", "call_2"]


async def test_a_search_gets_the_whole_message() -> None:
    reply = await ask("what is the return policy")
    assert reply.tool_calls[0].arguments == {"query": "what is the return policy"}


async def test_it_asks_for_what_it_needs_and_cannot_find() -> None:
    reply = await ask("when does the order arrive")
    assert reply.text == "To use order status I need: Order id such as A-1001."


async def test_a_tool_that_can_be_used_is_taken_before_one_almost_as_close_that_cannot() -> None:
    reply = await ask("where is the order shop")
    assert [call.name for call in reply.tool_calls] == ["search_pages"]


async def test_a_code_decides_between_tools_that_are_almost_as_close() -> None:
    reply = await ask("where is the shop A-1001")
    assert [call.name for call in reply.tool_calls] == ["order_status"]


async def test_examples_draw_a_message_to_their_tool() -> None:
    spec = ToolSpec(ORDERS.name, ORDERS.description, ORDERS.parameters, ("track my parcel",))
    assert (await ask("track parcel B-7")).tool_calls == []
    assert (await ask("track parcel B-7", tools=(spec, PAGES))).tool_calls[0].name == "order_status"


async def test_what_is_for_no_tool_gets_a_fixed_reply_that_names_the_tools() -> None:
    reply = await ask("hello")
    assert reply.text == "I can only answer with what my tools find: order status, search pages."
    assert "no tools" in (await ask("hello", tools=())).text


async def test_what_is_for_no_tool_is_warned_of_with_the_closest_tool() -> None:
    (warning,) = (await ask("hello")).warnings
    assert "the closest, order_status, has a cosine of 0.00, and 0.15 is needed" in warning
    assert "`examples:`" in warning
    assert (await ask("hello", tools=())).warnings == ()
    assert (await ask("where is order A-1001")).warnings == ()


def test_the_engine_has_no_other_name_than_its_own() -> None:
    with pytest.raises(ConfigError) as raised:
        LocalModel(ProviderOptions(name="gpt-4o"), BagOfWords())
    assert raised.value.hint == "its models: minilm-extractive"


async def test_it_answers_with_the_fields_of_a_result() -> None:
    reply = await ask("where is A-1001", result('{"status": "shipped", "items": ["tent", "stove"], "note": null}'))
    assert reply.text == "status: shipped. items: tent, stove."
    assert reply.stop_reason == "stop"


async def test_a_failed_tool_is_said_to_have_failed() -> None:
    reply = await ask("where is Z-1", result("Error: LookupError: no order Z-1", is_error=True))
    assert reply.text == "The tool order_status failed: LookupError: no order Z-1"


async def test_a_new_question_after_an_answer_is_a_new_turn() -> None:
    first = await ask("where is order A-1001")
    answer = AssistantMessage((TextContent("status: shipped."),))
    reply = await ask(
        "where is order A-1001", first, result('{"status": "shipped"}'), answer, "and where is order B-2040"
    )
    assert reply.tool_calls[0].arguments == {"order_id": "B-2040"}
    assert reply.tool_calls[0].id == "call_2"


async def test_the_same_request_gives_the_same_reply() -> None:
    replies = [await ask("where is order A-1001") for _ in range(3)]
    assert len({(reply.content[0].id, reply.content[0].arguments_text) for reply in replies}) == 1  # type: ignore[union-attr]


async def test_words_are_streamed_as_they_stand_in_the_answer() -> None:
    notices: list[ModelNotice] = []
    request = ModelRequest("", (UserMessage("where"), result('{"a": "one  two", "b": 3}')))
    reply = await engine().respond(request, on_notice=notices.append)
    pieces = [notice.text for notice in notices if isinstance(notice, TextDelta)]
    assert len(pieces) > 3
    assert "".join(pieces) == reply.text


async def test_calls_are_streamed_with_their_place() -> None:
    notices: list[ModelNotice] = []
    request = ModelRequest("", (UserMessage("where is order A-1001 and B-2040"),), (ORDERS,))
    await engine().respond(request, on_notice=notices.append)
    assert notices == [
        ToolCallDelta(0, "order_status", '{"order_id": "A-1001"}'),
        ToolCallDelta(1, "order_status", '{"order_id": "B-2040"}'),
    ]


async def test_usage_counts_everything_read_and_written_and_costs_nothing() -> None:
    short = await ask("hello", tools=())
    long = await ask("hello there good people", tools=())
    assert short.usage.input_tokens is not None
    assert long.usage.input_tokens == short.usage.input_tokens + 3
    assert long.usage.output_tokens == len(short.text.split())
    assert short.cost_usd == 0.0


async def test_a_limit_on_tokens_cuts_at_a_word_and_says_so() -> None:
    reply = await ask("where", result('{"status": "shipped with care"}'), sampling=Sampling(max_tokens=2))
    assert (reply.text, reply.stop_reason) == ("status: shipped", "length")


async def test_y022_a_set_signal_stops_it_before_it_begins() -> None:
    signal = AbortSignal()
    signal.set()
    reply = await engine().respond(ModelRequest("", (UserMessage("hi"),)), signal=signal)
    assert reply.stop_reason == "aborted"


async def test_y022_a_signal_stops_it_while_it_works_and_the_loop_goes_on_meanwhile() -> None:
    working, release = threading.Event(), threading.Event()

    class Slow(BagOfWords):
        def embed(self, texts: Sequence[str]) -> Any:
            working.set()
            release.wait(10)
            return super().embed(texts)

    signal = AbortSignal()
    model = LocalModel(ProviderOptions(name="minilm-extractive"), Slow())
    task = asyncio.ensure_future(model.respond(ModelRequest("", (UserMessage("hi"),), (PAGES,)), signal=signal))
    await asyncio.to_thread(working.wait, 10)
    signal.set()
    assert (await asyncio.wait_for(task, 5)).stop_reason == "aborted"
    release.set()


async def test_a_model_file_that_cannot_be_read_is_an_error_of_the_reply() -> None:
    class Broken(BagOfWords):
        def embed(self, texts: Sequence[str]) -> Any:  # noqa: ARG002
            raise RetrievalError("the model is damaged", hint="install it again")

    reply = await LocalModel(ProviderOptions(name="minilm-extractive"), Broken()).respond(
        ModelRequest("", (UserMessage("hi"),), (PAGES,))
    )
    assert reply.stop_reason == "error"
    assert reply.error_message == "the model is damaged. install it again"


@pytest.mark.parametrize(
    ("message", "tool", "arguments"),
    [
        ("Where is my order A-1001?", "order_status", {"order_id": "A-1001"}),
        ("What is your return policy?", "search_shop", {"query": "What is your return policy?"}),
        ("What is the weather in Paris right now?", "get_weather", {"city": "Paris"}),
        ("Will it rain in New York over the next 5 days?", "get_weather", {"city": "New York", "days": 5}),
    ],
)
async def test_with_the_real_model_the_documented_messages_reach_their_tools(
    message: str, tool: str, arguments: dict[str, Any]
) -> None:
    weather = ToolSpec(
        "get_weather",
        "Current weather and forecast for a city.",
        {
            "properties": {
                "city": {"type": "string", "description": "Name of the city"},
                "days": {"type": "integer", "description": "Number of days of forecast"},
            },
            "required": ["city"],
        },
    )
    orders = ToolSpec("order_status", "Tells where an order is: status, carrier and delivery date.", ORDERS.parameters)
    pages = ToolSpec("search_shop", "Searches the shop's policies: returns, shipping, payment.", PAGES.parameters)
    model = LocalModel(ProviderOptions(name="minilm-extractive"))
    reply = await model.respond(ModelRequest("", (UserMessage(message),), (orders, pages, weather)))
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [(tool, arguments)]
