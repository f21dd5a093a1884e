from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fake_server import Answer, FakeServer, json_answer

from seatrial.http_client.client import HttpClient, HttpReply
from seatrial.http_client.gate import HostGate
from seatrial.http_client.rate_limits import pause_asked_for

NOON = 1796040000.0
ALL_GONE = {"x_ratelimit_remaining_requests": "0", "x_ratelimit_reset_requests": "200ms"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"}, 1.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "120ms"}, 0.12),
        ({"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "1s"}, None),
        ({"x-ratelimit-remaining-requests": "0"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon"}, None),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2026-11-30T12:00:07Z",
            },
            7.0,
        ),
        (
            {
                "anthropic-ratelimit-output-tokens-remaining": "0",
                "anthropic-ratelimit-output-tokens-reset": "2026-11-30T11:00:00Z",
            },
            0.0,
        ),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "30"}, 30.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOON) + 5)}, 5.0),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "9s",
            },
            9.0,
        ),
        ({}, None),
    ],
)
def test_p010_a_reply_says_when_there_is_more_of_what_is_used_up(
    headers: dict[str, str], seconds: float | None
) -> None:
    found = pause_asked_for(headers, now=lambda: NOON)
    assert found == (None if seconds is None else pytest.approx(seconds))


@given(remaining=st.text(max_size=8), reset=st.text(max_size=30))
def test_whatever_a_header_holds_is_no_error(remaining: str, reset: str) -> None:
    for value in (remaining, "0"):
        wait_s = pause_asked_for({"ratelimit-remaining": value, "ratelimit-reset": reset}, now=lambda: NOON)
        assert wait_s is None or wait_s >= 0


def test_a_gate_opens_when_its_time_has_come_and_a_shorter_wish_does_not_open_it() -> None:
    now = 100.0
    gate = HostGate(lambda: now)
    assert gate.wait_s == 0
    gate.note(429, {"retry-after": "20"})
    gate.note(429, {"retry-after": "5"})
    assert gate.wait_s == 20
    now = 119.0
    assert gate.wait_s == 1
    now = 121.0
    assert gate.wait_s == 0


def test_a_wish_for_more_than_a_minute_and_a_retry_after_on_a_good_reply_shut_nothing() -> None:
    gate = HostGate(lambda: 100.0)
    gate.note(429, {"retry-after": "61"})
    gate.note(200, {"retry-after": "20"})
    assert gate.wait_s == 0


async def ask(client: HttpClient, server: FakeServer, path: str) -> HttpReply:
    return await client.post(f"{server.url}{path}", headers={}, body=b"{}")


@pytest.mark.parametrize(
    "answer",
    [json_answer({}, 429, retry_after_ms="200"), json_answer({}, 200, **ALL_GONE)],
    ids=["asked to wait", "nothing left"],
)
async def test_p010_what_a_host_asks_of_one_holds_back_all_who_ask_it(answer: Answer) -> None:
    async with FakeServer(answer, json_answer({})) as server:
        first, second = HttpClient(), HttpClient()
        try:
            assert (await ask(first, server, "/one")).held_s == 0
            reply = await ask(second, server, "/another")
        finally:
            await first.close()
            await second.close()
    assert reply.status == 200
    assert 0.1 < reply.held_s < 5


async def test_p010_another_host_is_not_held_back() -> None:
    async with FakeServer(json_answer({}, 429, retry_after="30")) as busy, FakeServer() as idle:
        client = HttpClient()
        try:
            await ask(client, busy, "/")
            assert (await ask(client, idle, "/")).held_s == 0
        finally:
            await client.close()
