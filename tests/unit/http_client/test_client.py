from __future__ import annotations

import asyncio
import gc
import socket
import ssl
from collections.abc import Callable
from email.utils import format_datetime
from pathlib import Path

import pytest
from tests.support.fake_server import DROP, HANG, Answer, FakeServer, dropped, json_answer, raw_answer, stream_answer

from seatrial.core.abort import AbortSignal
from seatrial.errors import AbortedError, ProviderError
from seatrial.http_client.client import HttpClient, Timeouts
from seatrial.http_client.retries import RetryPolicy, with_retries
from seatrial.http_client.retry_after import retry_after
from seatrial.http_client.words import redact

CERTIFICATE = Path(__file__).parents[2] / "support" / "loopback_tls.pem"
SOON = RetryPolicy(base_s=0)


async def post(url: str, client: HttpClient | None = None, **more: Callable[[bytes], bool]) -> tuple[int, bytes]:
    client = client or HttpClient()
    try:
        reply = await client.post(url, headers={"x": "y"}, body=b"{}", **more)
    finally:
        await client.close()
    return reply.status, reply.body


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT", "date": "Mon, 30 Nov 2026 12:00:20 GMT"}, 10.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "whenever"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_case_114_every_form_of_retry_after_is_read(headers: dict[str, str], seconds: float | None) -> None:
    noon = 1796040000.0
    assert retry_after(headers, now=noon) == seconds


def test_a_date_is_measured_against_the_clock_of_the_server() -> None:
    from datetime import UTC, datetime, timedelta

    now = datetime(2020, 1, 1, tzinfo=UTC)
    headers = {"retry-after": format_datetime(now + timedelta(seconds=7)), "date": format_datetime(now)}
    assert retry_after(headers) == 7


def test_p010_the_back_off_doubles_with_jitter_up_to_its_cap() -> None:
    policy = RetryPolicy()
    error = ProviderError("busy", can_retry=True)
    for attempt, most in ((1, 0.5), (2, 1.0), (3, 2.0), (4, 4.0)):
        delays = [policy.delay_s(attempt, error) for _ in range(200)]
        assert all(delay is not None and 0 <= delay <= most for delay in delays)
        assert len(set(delays)) > 1
    assert policy.delay_s(5, error) is None
    assert all((RetryPolicy(max_tries=99).delay_s(50, error) or 0) <= 8 for _ in range(200))


def test_p010_the_word_of_the_server_wins_up_to_a_minute() -> None:
    policy = RetryPolicy()
    assert policy.delay_s(1, ProviderError("busy", can_retry=True, retry_after_s=33)) == 33
    assert policy.delay_s(1, ProviderError("busy", can_retry=True, retry_after_s=60)) == 60
    assert policy.delay_s(1, ProviderError("busy", can_retry=True, retry_after_s=61)) is None
    assert policy.delay_s(1, ProviderError("bad", can_retry=False, retry_after_s=1)) is None


async def test_retries_are_told_and_the_last_error_is_raised() -> None:
    told: list[tuple[int, float, str]] = []

    async def fail() -> None:
        raise ProviderError("busy", can_retry=True)

    with pytest.raises(ProviderError, match="busy"):
        await with_retries(fail, policy=SOON, total_s=5, on_retry=lambda *retry: told.append(retry))
    assert told == [(1, 0.0, "busy"), (2, 0.0, "busy"), (3, 0.0, "busy"), (4, 0.0, "busy")]


async def test_the_total_time_covers_all_tries() -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    with pytest.raises(ProviderError, match=r"within 0\.01 s") as caught:
        await with_retries(never, policy=SOON, total_s=0.01)
    assert caught.value.code == "timeout"


async def test_an_abort_from_another_thread_is_heard() -> None:
    signal = AbortSignal()

    async def wait() -> None:
        asyncio.get_running_loop().run_in_executor(None, signal.set)
        await asyncio.Event().wait()

    with pytest.raises(AbortedError):
        await asyncio.wait_for(with_retries(wait, policy=SOON, total_s=5, signal=signal), 1)


async def test_an_abort_that_comes_with_the_result_does_no_harm_later() -> None:
    signal = AbortSignal()

    async def done() -> int:
        signal.set()
        return 7

    assert await with_retries(done, policy=SOON, total_s=5, signal=signal) == 7
    await asyncio.sleep(0)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


def test_secrets_are_blotted_out_and_short_ones_are_no_secrets() -> None:
    assert redact("key sk-12345 and sk-12345", ["sk-12345", "", "x"]) == "key [secret] and [secret]"
    assert redact("a b c", ["a"]) == "a b c"


async def test_a_refused_connection_says_so() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(ProviderError, match="no connection to 127") as caught:
        await post(f"http://127.0.0.1:{port}")
    assert caught.value.can_retry
    assert caught.value.hint == "start the server, or correct the endpoint's URL"


@pytest.mark.parametrize(
    ("answer", "words", "can_retry"),
    [
        (dropped(), "dropped the connection", True),
        (Answer((b'{"half', DROP)), "before the end of its reply", True),
        (Answer((b"this is no HTTP\r\n\r\n",), has_head=False), "does not speak HTTP", False),
    ],
)
async def test_what_never_became_a_reply_is_an_error(answer: Answer, words: str, can_retry: bool) -> None:
    async with FakeServer(answer) as server:
        with pytest.raises(ProviderError, match=words) as caught:
            await post(server.url)
    assert caught.value.can_retry is can_retry


@pytest.mark.parametrize("url", ["http://", "http://user:pass@[bad/", "http://127.0.0.1:99999/"])
async def test_an_unusable_address_is_an_error(url: str) -> None:
    with pytest.raises(ProviderError) as caught:
        await post(url)
    assert "pass" not in caught.value.message


async def test_silence_between_two_reads_has_a_limit() -> None:
    async with FakeServer(Answer((b"some", HANG))) as server:
        with pytest.raises(ProviderError, match=r"silent for 0\.05 s"):
            await post(server.url, HttpClient(timeouts=Timeouts(whole_s=0.05)))


async def test_redirects_are_not_followed_with_the_key() -> None:
    async with FakeServer(json_answer({}, 307, location="http://127.0.0.1:1/")) as server:
        assert (await post(server.url))[0] == 307


async def test_a_large_body_arrives_whole() -> None:
    body = b'"' + b"x" * 3_000_000 + b'"'
    async with FakeServer(json_answer({})) as server:
        client = HttpClient()
        await client.post(server.url, headers={}, body=body)
        await client.close()
        assert server.requests[0].raw == body


async def test_a_reply_has_a_largest_size() -> None:
    for on_bytes in (None, lambda _piece: False):
        async with FakeServer(raw_answer(b"x" * 5000)) as server:
            client = HttpClient()
            client.max_reply_bytes = 1000
            with pytest.raises(ProviderError, match="larger than 1,000 bytes"):
                await client.post(server.url, headers={}, body=b"", on_bytes=on_bytes)
            await client.close()


async def test_pieces_are_handed_over_as_they_come_until_there_are_enough() -> None:
    heard: list[bytes] = []
    more = asyncio.Event()

    def listen(piece: bytes) -> bool:
        heard.append(piece)
        more.set()
        return piece == b"two"

    async with FakeServer(stream_answer([b"one", more, b"two", HANG])) as server:
        status, body = await asyncio.wait_for(post(server.url, on_bytes=listen), 2)
        await asyncio.wait_for(server.client_left.wait(), 2)
    assert (status, body, b"".join(heard)) == (200, b"", b"onetwo")


async def test_a_connection_that_drops_after_enough_is_no_fault() -> None:
    async with FakeServer(stream_answer([b"all", DROP])) as server:
        assert await post(server.url, on_bytes=lambda _piece: True) == (200, b"")


async def test_a_fault_of_the_listener_is_not_a_fault_of_the_server() -> None:
    def listen(_piece: bytes) -> bool:
        raise ValueError("my own fault")

    async with FakeServer(stream_answer([b"one", HANG])) as server:
        with pytest.raises(ValueError, match="my own fault"):
            await post(server.url, on_bytes=listen)
        await asyncio.wait_for(server.client_left.wait(), 2)


async def test_the_body_of_a_failure_is_not_streamed() -> None:
    async with FakeServer(json_answer({"error": "no"}, 400)) as server:
        status, body = await post(server.url, on_bytes=lambda _piece: pytest.fail("not a stream"))
    assert (status, body) == (400, b'{"error": "no"}')


async def test_requests_go_through_the_proxy_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeServer(json_answer({"by": "proxy"})) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        status, body = await post("http://model.invalid/v1/chat/completions")
        assert (status, body) == (200, b'{"by": "proxy"}')
        assert proxy.requests[0].path == "http://model.invalid/v1/chat/completions"


async def test_hosts_that_are_exempt_are_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    async with FakeServer(json_answer({})) as server:
        assert (await post(server.url))[0] == 200


async def test_a_certificate_of_a_company_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATE)
    for variable in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(variable, raising=False)
    async with FakeServer(json_answer({}), tls=tls) as server:
        with pytest.raises(ProviderError, match="no secure connection") as caught:
            await post(server.url)
        assert "SSL_CERT_FILE" in (caught.value.hint or "")
        assert not caught.value.can_retry
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(CERTIFICATE))
        assert (await post(server.url))[0] == 200


async def test_a_certificate_file_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with pytest.raises(ProviderError, match=r"/nowhere/ca\.pem") as caught:
        await post("https://127.0.0.1:1/")
    assert "SSL_CERT_FILE" in (caught.value.hint or "")


def test_one_client_serves_one_event_loop_after_the_other_and_leaves_nothing_open() -> None:
    client = HttpClient()

    async def once() -> int:
        async with FakeServer(json_answer({})) as server:
            return (await client.post(server.url, headers={}, body=b"")).status

    assert [asyncio.run(once()) for _ in range(3)] == [200, 200, 200]
    asyncio.run(client.close())
    gc.collect()


async def test_a_client_that_was_closed_opens_anew() -> None:
    client = HttpClient()
    async with FakeServer(json_answer({}), json_answer({})) as server:
        assert (await post(server.url, client))[0] == 200
        assert (await post(server.url, client))[0] == 200
