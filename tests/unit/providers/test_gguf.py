"""A real GGUF file as a model: answers, calls, shapes, stopping, and what is said when it cannot be used."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from shutil import copyfile
from typing import Any

import msgspec
import pytest
from tests.support.small_model import MODEL_FILE, TOOL_TEMPLATE
from tests.unit.providers.test_gguf_file import gguf

from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.core.content import ImageContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelNotice, ModelRequest, Preparable, Sampling, TextDelta, ToolSpec
from seatrial.core.tool import SimpleTool, ToolContext
from seatrial.errors import ConfigError, MissingExtraError, ProviderError
from seatrial.installed import install_command
from seatrial.providers import gguf_engine
from seatrial.providers.base import ProviderOptions
from seatrial.providers.gguf import GgufModel

WEATHER = ToolSpec(
    "get_weather",
    "The weather of a city.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
ORDER = ToolSpec(
    "order_status",
    "Where an order is.",
    {"type": "object", "properties": {"id": {"type": "string", "pattern": "^[A-Z]-[0-9]{4}$"}}, "required": ["id"]},
)


SMALL = {"n_ctx": 4096}


def model(file: Path = MODEL_FILE, *, timeout_s: float | None = None, **settings: Any) -> GgufModel:
    return GgufModel(ProviderOptions(str(file), timeout_s=timeout_s, compat=SMALL | settings))


def asks(text: str, *, max_tokens: int | None = 40, **more: Any) -> ModelRequest:
    sampling = Sampling(max_tokens=max_tokens, **more)
    return ModelRequest("Be brief.", (UserMessage(text),), sampling=sampling)


def asks_for_weather(max_tokens: int = 60) -> ModelRequest:
    """A conversation whose pattern even a very small model goes on with."""
    messages: list[Message] = []
    for city in ("London", "Rome"):
        messages.append(UserMessage(f"What is the weather in {city}?"))
        messages.append(AssistantMessage((ToolCall(f"call_{city}", "get_weather", {"city": city}),)))
    messages.append(UserMessage("What is the weather in Paris?"))
    return ModelRequest("Use the tools.", tuple(messages), (WEATHER, ORDER), Sampling(max_tokens=max_tokens))


def earlier() -> tuple[Message, ...]:
    messages: list[Message] = []
    for city, weather in (("London", "foggy"), ("Rome", "sunny")):
        messages.append(UserMessage(f"What is the weather in {city}?"))
        messages.append(AssistantMessage((ToolCall(f"call_{city}", "get_weather", {"city": city}),)))
        messages.append(ToolResultMessage(f"call_{city}", "get_weather", (TextContent(weather),)))
        messages.append(AssistantMessage((TextContent(f"It is {weather} in {city}."),)))
    return tuple(messages)


def weather_agent(max_tokens: int) -> tuple[Agent, list[dict[str, Any]]]:
    """An agent with one tool, and the arguments with which the tool is run."""
    asked: list[dict[str, Any]] = []

    def tell(arguments: dict[str, Any], _context: ToolContext) -> str:
        asked.append(arguments)
        return "rainy"

    tools = [SimpleTool(WEATHER, tell)]
    return Agent(model(), system_prompt="Use the tools.", tools=tools, sampling=Sampling(max_tokens=max_tokens)), asked


EARLIER = earlier()
STORY = asks("Write a long story about a kingdom.", max_tokens=None)


async def test_it_answers_in_the_models_own_chat_format_and_counts_tokens() -> None:
    reply = await model().respond(asks("Say hello."))
    assert reply.stop_reason == "stop"
    assert "hello" in reply.text.lower()
    assert "<|im_" not in reply.text
    assert reply.usage.input_tokens == 20
    assert 3 < (reply.usage.output_tokens or 0) <= 40
    assert reply.cost_usd == 0.0
    assert (reply.provider, reply.model) == ("gguf", str(MODEL_FILE))
    assert reply.warnings == ()


async def test_text_is_told_as_it_is_written() -> None:
    notices: list[ModelNotice] = []
    reply = await model().respond(asks("Say hello."), on_notice=notices.append)
    assert len(notices) > 5
    assert "".join(notice.text for notice in notices if isinstance(notice, TextDelta)) == reply.text


async def test_the_same_request_gives_the_same_reply() -> None:
    replies = [await model().respond(asks("Tell me about ships.", max_tokens=20)) for _ in range(2)]
    assert replies[0].text == replies[1].text


async def test_a_seed_fixes_what_a_higher_temperature_draws() -> None:
    seeded = [
        await model().respond(asks("Tell me of ships.", max_tokens=12, temperature=1.5, seed=7)) for _ in range(2)
    ]
    free = [await model().respond(asks("Tell me of ships.", max_tokens=12, temperature=1.5)) for _ in range(3)]
    assert seeded[0].text == seeded[1].text
    assert len({reply.text for reply in free}) > 1


async def test_an_answer_at_its_limit_of_tokens_says_so() -> None:
    reply = await model().respond(asks("Tell me about ships.", max_tokens=5))
    assert reply.stop_reason == "length"
    assert reply.usage.output_tokens == 5


async def test_a_call_of_an_offered_tool_is_a_call_and_not_text() -> None:
    notices: list[ModelNotice] = []
    reply = await model().respond(asks_for_weather(), on_notice=notices.append)
    assert reply.stop_reason == "tool_calls"
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("get_weather", {"city": "Paris"})]
    assert reply.text == ""
    assert not any(isinstance(notice, TextDelta) for notice in notices)


async def test_a_template_that_knows_tools_tells_them_itself(tmp_path: Path) -> None:
    (tmp_path / "tools.jinja").write_text(TOOL_TEMPLATE, encoding="utf-8")
    reply = await model(n_ctx=1024, chat_template_file=str(tmp_path / "tools.jinja")).respond(asks_for_weather())
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("get_weather", {"city": "Paris"})]
    assert reply.warnings == ()


async def test_results_go_back_to_the_model() -> None:
    request = asks_for_weather()
    call = ToolCall("call_Paris", "get_weather", {"city": "Paris"})
    result = ToolResultMessage("call_Paris", "get_weather", (TextContent("rainy"),))
    after = msgspec.structs.replace(request, messages=(*request.messages, AssistantMessage((call,)), result))
    reply = await model().respond(after)
    assert "rain" in reply.text
    assert reply.usage.input_tokens is not None
    assert reply.usage.input_tokens > 300


async def test_an_agent_runs_the_tool_that_the_model_calls() -> None:
    agent, asked = weather_agent(max_tokens=40)
    result = await agent.run("What is the weather in Paris?", history=EARLIER)
    assert asked == [{"city": "Paris"}]
    assert "rain" in result.text


async def test_a_call_that_is_cut_off_is_never_run() -> None:
    agent, asked = weather_agent(max_tokens=20)
    result = await agent.run("What is the weather in Paris?", history=EARLIER)
    assert result.stop_reason == "length"
    assert result.transcript.tool_calls[-1].arguments_error
    assert asked == []


async def test_an_answer_takes_the_shape_that_is_asked_for() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    request = asks("Which city is the capital of France?")
    reply = await model().respond(msgspec.structs.replace(request, response_schema=schema))
    assert reply.stop_reason == "stop"
    assert json.loads(reply.text).keys() == {"city"}


async def test_reasoning_comes_apart_from_the_answer(tmp_path: Path) -> None:
    template = tmp_path / "reasoning.jinja"
    template.write_text(TOOL_TEMPLATE + "{# reasoning stands between <think> and </think> #}", encoding="utf-8")
    schema = {"type": "object", "properties": {"greeting": {"type": "string"}}, "required": ["greeting"]}
    request = msgspec.structs.replace(asks("Say hello."), response_schema=schema)
    reply = await model(n_ctx=1024, chat_template_file=str(template)).respond(request)
    assert json.loads(reply.text).keys() == {"greeting"}
    assert "think>" not in "".join(block.text for block in reply.reasoning)


async def test_a_picture_is_left_out_with_a_word_about_it() -> None:
    request = ModelRequest("", (UserMessage((ImageContent("aGk=", "image/png"), TextContent("What is it?"))),))
    reply = await model().respond(msgspec.structs.replace(request, sampling=Sampling(max_tokens=3)))
    assert reply.stop_reason == "length"


async def test_stop_is_heard_within_a_tenth_of_a_second_and_keeps_what_is_there() -> None:
    delays = [await stop_a_story() for _ in range(3)]
    assert min(delays) < 0.1


async def stop_a_story() -> float:
    """Stops a story at its tenth piece; the seconds until the reply was there."""
    signal, notices = AbortSignal(), list[ModelNotice]()
    stopped_at = 0.0

    def on_notice(notice: ModelNotice) -> None:
        nonlocal stopped_at
        notices.append(notice)
        if len(notices) == 10:
            stopped_at = time.monotonic()
            signal.set()

    reply = await model().respond(STORY, on_notice=on_notice, signal=signal)
    delay_s = time.monotonic() - stopped_at
    told = len(notices)
    assert reply.stop_reason == "aborted"
    assert reply.text.startswith("".join(notice.text for notice in notices[:10] if isinstance(notice, TextDelta)))
    assert (await model().respond(asks("Say hello.", max_tokens=3))).stop_reason == "length"
    assert len(notices) == told
    return delay_s


async def test_a_long_prompt_can_be_stopped_while_it_is_read() -> None:
    tiny = model()
    await tiny.prepare()
    signal = AbortSignal()
    asyncio.get_running_loop().call_later(0.2, signal.set)
    begun = time.monotonic()
    reply = await tiny.respond(asks("river stone " * 1900), signal=signal)
    assert (reply.stop_reason, reply.content) == ("aborted", ())
    assert (await tiny.respond(asks("Say hello.", max_tokens=3))).stop_reason == "length"
    reading_it_all_s = 3800 / 250
    assert time.monotonic() - begun < reading_it_all_s / 2


async def test_requests_take_turns_and_one_that_waits_can_be_stopped() -> None:
    tiny, first, second = model(), AbortSignal(), AbortSignal()
    await tiny.prepare()
    story = asyncio.ensure_future(tiny.respond(asks("river stone " * 1900), signal=first))
    waiting = asyncio.ensure_future(tiny.respond(asks("Say hello."), signal=second))
    third = asyncio.ensure_future(tiny.respond(asks("Say hello.")))
    await asyncio.sleep(0)
    second.set()
    assert (await waiting).stop_reason == "aborted"
    assert not third.done()
    first.set()
    assert (await story).stop_reason == "aborted"
    assert (await third).stop_reason == "stop"


async def test_a_request_has_no_more_time_than_it_is_given() -> None:
    reply = await model(timeout_s=0.4).respond(STORY)
    assert reply.stop_reason == "error"
    assert "no whole reply within 0.4 s" in (reply.error_message or "")


async def test_a_prompt_beyond_the_window_is_told_as_such() -> None:
    tiny = model(n_ctx=512)
    assert tiny.info.context_window == 512
    reply = await tiny.respond(asks("hello " * 900))
    assert (reply.stop_reason, reply.error_code) == ("error", "context_overflow")
    assert "exceeds the available context size (512 tokens)" in (reply.error_message or "")


async def test_a_request_that_the_engine_refuses_is_an_error_reply() -> None:
    reply = await model(extra_body={"tools": 3}).respond(asks("Say hello."))
    assert reply.stop_reason == "error"
    assert (reply.error_message or "").startswith("the model cannot take this request")


async def test_a_file_is_loaded_once_for_all_its_models(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[Any] = []
    server = gguf_engine.xllamacpp.Server
    monkeypatch.setattr(gguf_engine.xllamacpp, "Server", lambda params: loads.append(params) or server(params))
    one, other = model(n_ctx=256), model(n_ctx=256)
    assert isinstance(one, Preparable)
    await asyncio.gather(one.prepare(), other.prepare(), one.prepare())
    await one.close()
    assert (await other.respond(asks("Say hello.", max_tokens=2))).stop_reason == "length"
    assert len(loads) == 1


async def test_a_path_is_relative_to_the_agent_file(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tiny.gguf").symlink_to(MODEL_FILE)
    tiny = GgufModel(ProviderOptions("models/tiny.gguf", folder=str(tmp_path), compat=SMALL))
    assert (await tiny.respond(asks("Say hello.", max_tokens=2))).model == "models/tiny.gguf"
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        GgufModel(ProviderOptions("models/other.gguf", folder=str(tmp_path)))


async def test_a_file_that_the_engine_cannot_load_is_told(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(gguf())
    broken = model(file)
    with pytest.raises(ProviderError, match="cannot be loaded") as caught:
        await broken.prepare()
    assert "its architecture (llama) may be newer" in (caught.value.hint or "")
    reply = await broken.respond(asks("Say hello."))
    assert (reply.stop_reason, reply.can_retry) == ("error", False)
    assert "cannot be loaded" in (reply.error_message or "")


async def test_a_file_without_a_chat_template_is_used_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    copyfile(MODEL_FILE, file)
    with file.open("r+b") as opened:
        opened.seek(opened.read(4_000_000).index(b"tokenizer.chat_template"))
        opened.write(b"tokenizer.chat_nothings")
    reply = await model(file, n_ctx=256).respond(asks("Say hello.", max_tokens=3))
    assert reply.text.startswith("Hello")
    assert reply.warnings == (f"{file} has no chat template of its own; it is spoken to in ChatML",)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_thread": 2}, "`compat` of `provider: gguf` has no setting 'n_thread'"),
        ({"n_threads": 0}, "`compat`: .*n_threads"),
        ({"chat_template_file": "nowhere.jinja"}, "the chat template .*nowhere.jinja cannot be read"),
    ],
)
def test_settings_that_cannot_be_used_are_told(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        model(**settings)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    monkeypatch.delitem(sys.modules, "seatrial.providers.gguf_engine")
    with pytest.raises(MissingExtraError) as caught:
        import_module("seatrial.providers.gguf_engine")
    assert caught.value.hint == install_command("llm")


def test_a_program_may_end_while_the_model_still_writes(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import asyncio
from seatrial.core.messages import UserMessage
from seatrial.core.model import ModelRequest
from seatrial.providers.base import ProviderOptions
from seatrial.providers.gguf import GgufModel

async def main():
    told = asyncio.Event()
    model = GgufModel(ProviderOptions({str(MODEL_FILE)!r}))
    request = ModelRequest("", (UserMessage("Write a long story."),))
    task = asyncio.ensure_future(model.respond(request, on_notice=lambda _notice: told.set()))
    await told.wait()
    task.cancel()

asyncio.run(main())
print("the end")
""",
        encoding="utf-8",
    )
    ended = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "the end\n", "")
