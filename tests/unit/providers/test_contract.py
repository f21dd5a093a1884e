"""Every provider over its own wire, whole and streamed: the same thing said gives the same reply."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.support.fake_server import (
    DROP,
    HANG,
    Answer,
    FakeServer,
    dropped,
    json_answer,
    raw_answer,
    silent,
    stream_answer,
)
from tests.support.wires import KEY, WIRES, Said, Spoken, answer, model_at

from seatrial.core.abort import AbortSignal
from seatrial.core.content import ImageContent, ReasoningContent, TextContent
from seatrial.core.messages import AssistantMessage, ToolResultMessage, UserMessage
from seatrial.core.model import (
    ModelInfo,
    ModelNotice,
    ModelRequest,
    ReasoningDelta,
    RetryNotice,
    TextDelta,
    ToolCallDelta,
    ToolSpec,
)
from seatrial.core.usage import ModelCost, Usage

WEATHER = ToolSpec(
    "get_weather",
    "The weather of a city.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
HELLO = ModelRequest("Be brief.", (UserMessage("Hello?"),), tools=(WEATHER,))
TWO_CALLS = (("call_a", "get_weather", '{"city": "Paris"}'), ("call_b", "get_weather", '{"city": "Rome"}'))


@dataclass
class Line:
    """A wire and whether it is streamed."""

    wire: Spoken
    is_streamed: bool

    def says(self, said: Said) -> Answer:
        return answer(self.wire, said, is_streamed=self.is_streamed)

    async def ask(
        self, server: FakeServer, request: ModelRequest = HELLO, *, signal: AbortSignal | None = None, **settings: Any
    ) -> tuple[AssistantMessage, list[ModelNotice]]:
        notices: list[ModelNotice] = []
        model = model_at(self.wire, server.url, **settings)
        try:
            reply = await model.respond(request, on_notice=notices.append if self.is_streamed else None, signal=signal)
        finally:
            await model.close()
        return reply, notices


def lines(*kinds: bool, without: str = "") -> Iterator[Any]:
    for name, wire in WIRES.items():
        for is_streamed in kinds:
            if name != without:
                yield pytest.param(Line(wire, is_streamed), id=f"{name}-{'stream' if is_streamed else 'whole'}")


@pytest.fixture(params=lines(False, True))
def line(request: pytest.FixtureRequest) -> Line:
    found: Line = request.param
    return found


@pytest.fixture(params=lines(True))
def stream_line(request: pytest.FixtureRequest) -> Line:
    found: Line = request.param
    return found


@pytest.fixture(params=lines(False, True, without="ollama"))
def refusing_line(request: pytest.FixtureRequest) -> Line:
    found: Line = request.param
    return found


async def test_text_comes_with_who_said_it_and_what_it_used(line: Line) -> None:
    async with FakeServer(line.says(Said("Hello there."))) as server:
        reply, notices = await line.ask(server)
    assert reply.text == "Hello there."
    assert reply.stop_reason == "stop"
    assert reply.error_message is None
    assert (reply.provider, reply.model) == (line.wire.provider, "some-model")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (120, 30)
    assert reply.usage.cache_read_tokens == (None if line.wire.provider == "ollama" else 80)
    if line.is_streamed:
        assert "".join(notice.text for notice in notices if isinstance(notice, TextDelta)) == "Hello there."
        assert len(notices) > 1


async def test_p007_every_token_costs_its_own_price_once(line: Line) -> None:
    prices = ModelCost(input=10.0, output=100.0, cache_read=1.0)
    info = ModelInfo("some-model", "some-model", line.wire.provider, cost=prices)
    async with FakeServer(line.says(Said("Hello."))) as server:
        reply, _ = await line.ask(server, info=info)
    cached = reply.usage.cache_read_tokens or 0
    assert reply.cost_usd == pytest.approx(((120 - cached) * 10 + cached * 1 + 30 * 100) / 1e6)


async def test_an_unknown_price_is_unknown(line: Line) -> None:
    async with FakeServer(line.says(Said("Hello."))) as server:
        reply, _ = await line.ask(server)
    assert reply.cost_usd is None


async def test_parallel_calls_come_whole_and_in_order(line: Line) -> None:
    async with FakeServer(line.says(Said("I look.", TWO_CALLS))) as server:
        reply, notices = await line.ask(server)
    assert reply.stop_reason == "tool_calls"
    assert reply.text == "I look."
    assert [call.arguments for call in reply.tool_calls] == [{"city": "Paris"}, {"city": "Rome"}]
    assert len({call.id for call in reply.tool_calls}) == 2
    if line.is_streamed:
        told = [notice for notice in notices if isinstance(notice, ToolCallDelta)]
        assert {notice.position for notice in told} == {0, 1}


async def test_pictures_go_to_the_model(line: Line) -> None:
    seen = UserMessage((TextContent("What is it?"), ImageContent("c3VucmlzZQ==", "image/png")))
    async with FakeServer(line.says(Said("A sunrise."))) as server:
        reply, _ = await line.ask(server, ModelRequest("", (seen,)))
    assert reply.text == "A sunrise."
    assert server.requests[0].raw.count(b"c3VucmlzZQ==") == 1


async def test_results_go_back_under_the_ids_of_their_calls(line: Line) -> None:
    async with FakeServer(line.says(Said(calls=TWO_CALLS)), line.says(Said("Sunny."))) as server:
        first, _ = await line.ask(server)
        results = tuple(
            ToolResultMessage(call.id, call.name, (TextContent(f"{call.arguments['city']}: 22C"),))
            for call in first.tool_calls
        )
        history = (*HELLO.messages, first, *results)
        reply, _ = await line.ask(server, ModelRequest("Be brief.", history, tools=(WEATHER,)))
        sent = server.requests[1].raw.decode()
    assert reply.text == "Sunny."
    assert "Paris: 22C" in sent
    assert "Rome: 22C" in sent
    if line.wire.provider != "ollama":
        assert sent.count('"call_a"') == sent.count('"call_b"') == 2


async def test_reasoning_is_kept_apart_from_the_answer(line: Line) -> None:
    async with FakeServer(line.says(Said("Four.", thought="Two and two."))) as server:
        reply, notices = await line.ask(server)
    assert reply.text == "Four."
    assert [block.text for block in reply.reasoning] == ["Two and two."]
    if line.is_streamed:
        assert [notice.text for notice in notices if isinstance(notice, ReasoningDelta)] == ["Two and two."]


async def test_p006_reasoning_goes_back_to_the_model_that_wrote_it_and_to_no_other(line: Line) -> None:
    async with FakeServer(line.says(Said(calls=TWO_CALLS[:1], thought="Look it up.")), line.says(Said("Sunny."))) as s:
        first, _ = await line.ask(s)
        result = ToolResultMessage(first.tool_calls[0].id, "get_weather", (TextContent("22C"),))
        await line.ask(s, ModelRequest("", (*HELLO.messages, first, result)))
        own = s.requests[1].raw.decode()
        s.answers = [line.says(Said("Sunny."))]
        foreign = AssistantMessage(first.content, api=first.api, provider=first.provider, model="another-model")
        await line.ask(s, ModelRequest("", (*HELLO.messages, foreign, result)))
        other = s.requests[2].raw.decode()
    assert "Look it up." in own
    if first.reasoning[0].signature is not None:
        assert "c2VhbGVk" in own
    assert "Look it up." not in other
    assert "c2VhbGVk" not in other


async def test_a_refusal_keeps_its_own_reason_and_words(refusing_line: Line) -> None:
    line = refusing_line
    async with FakeServer(line.says(Said(refusal="I will not help with that."))) as server:
        reply, _ = await line.ask(server)
    assert reply.stop_reason == "refusal"
    assert reply.error_message == "I will not help with that."


async def test_a_cut_answer_says_that_it_was_cut(line: Line) -> None:
    async with FakeServer(line.says(Said("Once upon a", is_cut=True))) as server:
        reply, _ = await line.ask(server)
    assert (reply.stop_reason, reply.text) == ("length", "Once upon a")


async def test_p001_a_cut_call_is_never_a_plain_call(line: Line) -> None:
    async with FakeServer(line.says(Said(calls=TWO_CALLS[:1], is_cut=True))) as server:
        reply, _ = await line.ask(server)
    assert reply.stop_reason == "length"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
async def test_p010_case_115_a_request_at_fault_is_asked_once(line: Line, status: int) -> None:
    async with FakeServer(json_answer({"error": {"message": f"the key {KEY} is bad"}}, status)) as server:
        reply, _ = await line.ask(server)
        assert len(server.requests) == 1
    assert reply.stop_reason == "error"
    assert reply.can_retry is False
    assert str(status) in (reply.error_message or "")
    assert KEY not in (reply.error_message or "")


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
async def test_p010_case_116_a_busy_server_is_asked_again(line: Line, status: int) -> None:
    busy = json_answer({"error": {"message": "busy"}}, status)
    async with FakeServer(busy, busy, busy, line.says(Said("At last."))) as server:
        reply, notices = await line.ask(server)
        assert len(server.requests) == 4
        assert len({request.raw for request in server.requests}) == 1
    assert reply.text == "At last."
    assert [failed.reason for failed in reply.failed_tries] == [f"HTTP {status}: busy"] * 3
    if line.is_streamed:
        assert [notice.attempt for notice in notices if isinstance(notice, RetryNotice)] == [1, 2, 3]


async def test_p010_after_five_tries_it_is_an_error(line: Line) -> None:
    busy = json_answer({"error": {"message": "busy"}}, 503)
    async with FakeServer(*[busy] * 6) as server:
        reply, _ = await line.ask(server)
        assert len(server.requests) == 5
    assert (reply.stop_reason, reply.can_retry) == ("error", True)
    assert len(reply.failed_tries) == 4


async def test_p010_case_115_a_used_up_quota_is_not_a_busy_minute(line: Line) -> None:
    body = {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}
    async with FakeServer(json_answer(body, 429, retry_after="1")) as server:
        reply, _ = await line.ask(server)
        assert len(server.requests) == 1
    assert (reply.error_code, reply.can_retry) == ("insufficient_quota", False)


async def test_case_116_a_server_may_forbid_the_next_try(line: Line) -> None:
    async with FakeServer(json_answer({"error": {"message": "no"}}, 503, x_should_retry="false")) as server:
        reply, _ = await line.ask(server)
        assert len(server.requests) == 1
    assert reply.can_retry is False


async def test_p010_a_long_wait_fails_at_once_and_says_the_delay(line: Line) -> None:
    async with FakeServer(json_answer({"error": {"message": "slow down"}}, 429, retry_after="3600")) as server:
        reply, _ = await line.ask(server)
        assert len(server.requests) == 1
    assert "3600 s" in (reply.error_message or "")


@pytest.mark.parametrize(
    ("told", "delay_s"),
    [
        ({"retry_after": "0"}, 0.0),
        ({"retry_after": "0.002"}, 0.002),
        ({"retry_after_ms": "3", "retry_after": "50"}, 0.003),
        ({"retry_after": "Mon, 30 Nov 2026 12:00:00 GMT", "date": "Mon, 30 Nov 2026 12:00:00 GMT"}, 0.0),
    ],
)
async def test_p010_case_114_the_servers_word_on_when_to_come_back_is_kept(
    line: Line, told: dict[str, str], delay_s: float
) -> None:
    busy = json_answer({"error": {"message": "slow down"}}, 429, **told)
    async with FakeServer(busy, line.says(Said("Hello."))) as server:
        reply, _ = await line.ask(server, backoff_s=5)
    assert reply.text == "Hello."
    assert [failed.delay_s for failed in reply.failed_tries] == [pytest.approx(delay_s)]


async def test_too_long_an_input_is_named_so_that_the_loop_can_sum_up(line: Line) -> None:
    body = {"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum", "type": "invalid_request_error"}}
    async with FakeServer(json_answer(body, 400)) as server:
        reply, _ = await line.ask(server)
    assert reply.error_code == "context_overflow"


async def test_a_connection_dropped_before_the_first_byte_is_tried_again(line: Line) -> None:
    async with FakeServer(dropped(), dropped(), line.says(Said("Hello."))) as server:
        reply, _ = await line.ask(server)
        assert len(server.requests) == 3
    assert reply.text == "Hello."


async def test_a_dropped_reply_is_tried_again_or_incomplete_but_never_a_short_answer(line: Line) -> None:
    events = line.wire.events(Said("Hello there, how are you?"))
    if line.is_streamed:
        broken = stream_answer([*events[: len(events) // 2], DROP])
    else:
        broken = Answer((b'{"half', DROP), headers={"content-type": "application/json"})
    async with FakeServer(broken, line.says(Said("Hello again."))) as server:
        reply, notices = await line.ask(server)
    if not line.is_streamed:
        assert reply.text == "Hello again."
        return
    heard = "".join(notice.text for notice in notices if isinstance(notice, TextDelta))
    assert heard
    assert (reply.stop_reason, reply.text) == ("incomplete", heard)
    assert reply.can_retry


async def test_a_stream_that_ends_without_its_end_mark_is_incomplete(stream_line: Line) -> None:
    line = stream_line
    events = [event for event in line.wire.events(Said("Hello there.")) if b"there" not in event]
    half = events[: len(events) // 2]
    async with FakeServer(stream_answer(half)) as server:
        reply, _ = await line.ask(server)
    assert reply.stop_reason == "incomplete"
    assert reply.text


async def test_an_empty_stream_is_an_error(line: Line) -> None:
    async with FakeServer(*[stream_answer([])] * 2) as server:
        reply, _ = await line.ask(server, max_tries=2)
    assert (reply.stop_reason, reply.can_retry) == ("error", True)


async def test_a_page_of_html_is_an_error_that_shows_its_beginning(line: Line) -> None:
    async with FakeServer(raw_answer(b"<html><h1>Welcome to nginx</h1></html>")) as server:
        reply, _ = await line.ask(server)
        assert len(server.requests) == 1
    assert reply.stop_reason == "error"
    assert "nginx" in (reply.error_message or "")


async def test_bytes_without_sense_are_an_error(line: Line) -> None:
    garbage = raw_answer(b"\x00\xff\xfe\x1f\x8b garbage", "application/octet-stream")
    async with FakeServer(*[garbage] * 2) as server:
        reply, _ = await line.ask(server, max_tries=2)
    assert (reply.stop_reason, reply.text) == ("error", "")
    assert reply.error_message


async def test_broken_json_is_tried_again(line: Line) -> None:
    broken = raw_answer(b'{"id": "x", "choices": [{"mess', "application/json")
    async with FakeServer(broken, line.says(Said("Hello."))) as server:
        reply, _ = await line.ask(server)
    assert reply.text == "Hello."


async def test_p001_an_error_in_a_200_reply_is_an_error(line: Line) -> None:
    body = {"error": {"message": "the worker died", "type": "server_error"}}
    async with FakeServer(*[json_answer(body)] * 2) as server:
        reply, _ = await line.ask(server, max_tries=2)
        assert len(server.requests) == 2
    assert (reply.stop_reason, reply.can_retry) == ("error", True)
    assert "the worker died" in (reply.error_message or "")


async def test_case_122_tokens_of_a_failed_try_are_kept_with_it(line: Line) -> None:
    failed = line.wire.whole(Said()) | {"error": {"message": "the worker died", "type": "server_error"}}
    async with FakeServer(json_answer(failed), line.says(Said("Hello."))) as server:
        reply, _ = await line.ask(server)
    assert reply.text == "Hello."
    assert reply.failed_tries[0].usage.output_tokens == 30


async def test_a_silent_server_is_given_up_after_the_idle_time(line: Line) -> None:
    async with FakeServer(silent()) as server:
        reply, _ = await line.ask(server, idle_timeout_s=0.05)
        await asyncio.wait_for(server.client_left.wait(), 5)
    assert (reply.stop_reason, reply.error_code) == ("error", "timeout")


async def test_y022_abort_ends_a_waiting_request_at_once(line: Line) -> None:
    signal = AbortSignal()
    async with FakeServer(silent()) as server:
        asking = asyncio.create_task(line.ask(server, signal=signal))
        await server.received.wait()
        signal.set()
        reply, _ = await asyncio.wait_for(asking, 0.1)
        await asyncio.wait_for(server.client_left.wait(), 5)
    assert reply.stop_reason == "aborted"


async def test_y022_abort_in_a_stream_keeps_what_was_heard(stream_line: Line) -> None:
    line = stream_line
    signal, heard = AbortSignal(), asyncio.Event()
    events = line.wire.events(Said("Hello there."))
    model_notices: list[ModelNotice] = []

    def listen(notice: ModelNotice) -> None:
        model_notices.append(notice)
        heard.set()

    async with FakeServer(stream_answer([*events[: len(events) // 2], HANG])) as server:
        model = model_at(line.wire, server.url)
        asking = asyncio.create_task(model.respond(HELLO, on_notice=listen, signal=signal))
        await heard.wait()
        signal.set()
        reply = await asyncio.wait_for(asking, 0.1)
        await asyncio.wait_for(server.client_left.wait(), 5)
        await model.close()
    assert reply.stop_reason == "aborted"
    assert reply.text == "".join(notice.text for notice in model_notices if isinstance(notice, TextDelta))
    assert reply.text


async def test_y022_abort_ends_a_back_off_at_once(line: Line) -> None:
    signal = AbortSignal()
    async with FakeServer(json_answer({"error": "busy"}, 503, retry_after="30")) as server:
        asking = asyncio.create_task(line.ask(server, signal=signal))
        await server.received.wait()
        await asyncio.sleep(0)
        signal.set()
        reply, _ = await asyncio.wait_for(asking, 0.1)
    assert reply.stop_reason == "aborted"


async def test_y022_an_abort_before_the_request_sends_none(line: Line) -> None:
    signal = AbortSignal()
    signal.set()
    async with FakeServer() as server:
        reply, _ = await line.ask(server, signal=signal)
        assert server.requests == []
    assert reply.stop_reason == "aborted"


async def test_cancelling_the_task_closes_the_request_and_passes_through(line: Line) -> None:
    async with FakeServer(silent()) as server:
        asking = asyncio.create_task(line.ask(server, signal=AbortSignal()))
        await server.received.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.wait_for(server.client_left.wait(), 5)


async def test_one_connection_serves_request_after_request(line: Line) -> None:
    async with FakeServer(*[line.says(Said("Hello."))] * 3) as server:
        model = model_at(line.wire, server.url)
        for _ in range(3):
            await model.respond(HELLO, on_notice=(lambda _notice: None) if line.is_streamed else None)
        await model.close()
        assert server.connections == 1


@pytest.mark.parametrize("content_type", ["text/event-stream", "application/x-ndjson", ""])
async def test_a_server_that_streams_although_the_whole_reply_was_asked_for_is_understood(
    line: Line, content_type: str
) -> None:
    events = b"".join(line.wire.events(Said("Hello there.")))
    are_marked = events.lstrip().startswith((b"data:", b"event:"))  # lines of JSON are known by their media type alone
    shown_as = content_type or ("application/json" if are_marked else "application/x-ndjson")
    async with FakeServer(raw_answer(events, shown_as)) as server:
        model = model_at(line.wire, server.url)
        reply = await model.respond(HELLO)
        await model.close()
    assert (reply.text, reply.stop_reason, reply.error_message) == ("Hello there.", "stop", None)


async def test_usage_that_is_not_told_is_unknown(line: Line) -> None:
    said = line.wire.whole(Said("Hello."))
    for key in ("usage", "prompt_eval_count", "eval_count"):
        said.pop(key, None)
    async with FakeServer(json_answer(said)) as server:
        reply, _ = await line.ask(server)
    assert reply.text == "Hello."
    assert reply.usage == Usage()
    assert reply.cost_usd is None


async def test_a_key_never_shows_in_a_model_or_a_reply(line: Line) -> None:
    async with FakeServer(json_answer({"error": {"message": f"bad header: Bearer {KEY}"}}, 400)) as server:
        model = model_at(line.wire, server.url)
        reply = await model.respond(HELLO)
        await model.close()
    assert KEY not in repr(reply)
    assert KEY not in repr(model)
    assert isinstance(reply.content, tuple)
    assert not any(isinstance(block, ReasoningContent) for block in reply.content)
