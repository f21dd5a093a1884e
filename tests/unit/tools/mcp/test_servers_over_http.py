"""One connection to a server over HTTP, with a fault planted: what still works, or how the failure reads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.support.mcp_servers.over_http import Fault, HttpMcpServer, http_server

from seatrial.errors import McpError
from seatrial.tools.mcp.connection import McpConnection
from seatrial.tools.mcp.settings import McpSettings

CALL = ("echo", {"word": "a"})
ANSWER = 'echo {"word": "a"}'


def connection_to(url: str, **settings: Any) -> McpConnection:
    return McpConnection(McpSettings(name="srv", url=url, **settings))


@asynccontextmanager
async def connected(*faults: Fault, **settings: Any) -> AsyncIterator[tuple[HttpMcpServer, McpConnection]]:
    with http_server(*faults) as server:
        connection = connection_to(server.url, **settings)
        await connection.start()
        try:
            yield server, connection
        finally:
            await connection.stop()


async def failure_of(work: Callable[[], Awaitable[object]]) -> McpError:
    with pytest.raises(McpError) as failed:
        await work()
    return failed.value


async def text_of(connection: McpConnection) -> str:
    answer: str = (await connection.call(*CALL)).content[0]["text"]
    return answer


@pytest.mark.parametrize(("path", "transport"), [("/mcp", "auto"), ("/mcp", "http"), ("/sse", "sse"), ("/sse", "auto")])
async def test_both_transports_work_and_the_older_one_is_found_without_being_named(path: str, transport: str) -> None:
    with http_server() as server:
        connection = connection_to(server.base + path, transport=transport)
        await connection.start()
        assert [tool.name for tool in connection.tools] == ["echo", "other"]
        assert await text_of(connection) == ANSWER
        await connection.stop()


async def test_the_wrong_transport_is_told() -> None:
    with http_server() as server:
        error = await failure_of(connection_to(server.sse_url, transport="http").start)
    assert error.status == 405
    assert "transport: sse" in (error.hint or "")


async def test_headers_go_with_every_request() -> None:
    async with connected(headers={"Authorization": "Bearer sesame"}) as (server, connection):
        await connection.call(*CALL)
        assert {seen.headers.get("authorization") for seen in server.seen} == {"Bearer sesame"}


@pytest.mark.parametrize(
    ("status", "hint"),
    [(401, "Authorization"), (403, "credentials"), (404, "endpoint"), (429, "busy"), (500, ""), (502, "")],
)
async def test_a_refusal_at_the_start_names_its_status_and_its_address_without_secrets(status: int, hint: str) -> None:
    with http_server(Fault(status=status, body=b"<html>no</html>")) as server:
        address = server.url.replace("http://", "http://user:geheim@")
        error = await failure_of(connection_to(f"{address}?key=geheim").start)
        assert f"answered with HTTP {status}" in error.message
        assert server.url in error.message
    assert error.status == status
    assert hint in (error.hint or "")
    assert "geheim" not in f"{error.message}{error.hint}"


@pytest.mark.parametrize("status", [401, 403, 429, 500, 502])
async def test_a_refused_call_is_an_error_and_the_next_one_works(status: int) -> None:
    fault = Fault("tools/call", status=status, headers={"retry-after": "7"}, times=1)
    async with connected(fault) as (_, connection):
        error = await failure_of(lambda: connection.call(*CALL))
        assert error.status == status
        assert error.retry_after_s == 7
        assert error.did_not_run == (status == 429)
        assert await text_of(connection) == ANSWER


async def test_a_server_that_forgot_the_session_did_not_run_the_call() -> None:
    async with connected() as (server, connection):
        server.forget_sessions()
        error = await failure_of(lambda: connection.call(*CALL))
    assert error.status == 404
    assert error.is_lost
    assert error.did_not_run


async def test_a_page_of_html_is_no_server() -> None:
    with http_server(Fault(headers={"content-type": "text/html"}, body=b"<html>hello</html>")) as server:
        error = await failure_of(connection_to(server.url).start)
    assert "text/html" in error.message


async def test_an_address_where_nobody_listens_is_told() -> None:
    with http_server() as server:
        url = server.url
    error = await failure_of(connection_to(url).start)
    assert f"cannot be reached at {url}" in error.message


@pytest.mark.parametrize("action", ["drop", "drop_in_stream"])
async def test_a_connection_that_breaks_in_the_middle_of_a_call_fails_that_call_alone(action: Any) -> None:
    async with connected(Fault("tools/call", action=action, tool="echo")) as (_, connection):
        error = await failure_of(lambda: connection.call(*CALL))
        assert "call of 'echo'" in error.message
        assert not error.did_not_run
        if error.is_lost:
            assert not connection.is_open
        else:
            assert (await connection.call("other", {})).content[0]["text"] == "other {}"


async def test_a_connection_that_breaks_does_not_cancel_the_task_that_opened_it() -> None:
    async with connected(Fault("tools/call", action="drop")) as (_, connection):
        await failure_of(lambda: connection.call(*CALL))
        await failure_of(lambda: connection.call(*CALL))
        task = asyncio.current_task()
        assert task is not None
        assert not task.cancelling()


async def test_a_slow_answer_is_given_up_in_time_and_the_next_one_comes() -> None:
    async with connected(Fault("tools/call", action="hang", times=1)) as (server, connection):
        error = await failure_of(lambda: connection.call(*CALL, timeout_s=0.2))
        assert "within 0.2 s" in error.message
        assert await text_of(connection) == ANSWER
        server.free.set()


@pytest.mark.parametrize("on", ["initialize", "tools/list"])
async def test_a_server_that_is_silent_at_the_start_is_given_up_in_time(on: str) -> None:
    with http_server(Fault(on, action="hang")) as server:
        error = await failure_of(connection_to(server.url, connect_timeout_s=0.5).start)
    assert "0.5 s" in error.message


async def test_the_end_of_an_event_stream_is_noticed() -> None:
    with http_server() as server:
        connection = connection_to(server.sse_url, transport="sse")
        await connection.start()
        for stream in server.streams.values():
            stream.put(None)
        async with asyncio.timeout(5):
            error = await failure_of(lambda: connection.call(*CALL))
        assert error.is_lost
        assert "RuntimeError" not in error.message
        await connection.stop()
