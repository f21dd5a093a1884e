"""One connection to each server of tests/support/mcp_servers: what it offers and answers, or how its failure reads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.mcp_servers import command
from tests.support.real_servers import programs

from seatrial.errors import McpError
from seatrial.tools.mcp.connection import McpConnection
from seatrial.tools.mcp.settings import McpSettings


def connection_to(file: str, name: str, **settings: Any) -> McpConnection:
    program, *args = command(file, name)
    return McpConnection(McpSettings(name="srv", command=program, args=tuple(args), **settings))


@asynccontextmanager
async def connected(file: str, name: str, **settings: Any) -> AsyncIterator[McpConnection]:
    connection = connection_to(file, name, **settings)
    await connection.start()
    try:
        yield connection
    finally:
        await connection.stop()


async def failure_of(work: Callable[[], Awaitable[object]]) -> McpError:
    with pytest.raises(McpError) as failed:
        await work()
    return failed.value


def names(connection: McpConnection) -> list[str]:
    return [tool.name for tool in connection.tools]


@pytest.mark.parametrize(
    ("server", "tools", "warning"),
    [
        ("paged", ["one", "two", "three", "four", "five", "six"], None),
        (
            "repeated_cursor",
            [f"tool_{n}" for n in range(8)],
            "gives the cursor 'again' again; the 8 tools so far are used",
        ),
        ("circling_cursor", ["a", "b"], "gives the cursor 'to-b' again"),
        ("empty_cursor", ["only", "other"], None),
        ("empty_cursor_as_value", ["first", "second"], None),
        ("stale_cursor", ["new", "last"], None),
        ("always_stale_cursor", ["first"], "refuses a cursor that it gave (Invalid cursor)"),
        ("deep_schema", ["deep", "flat"], None),
        ("endless", [f"tool_{n}" for n in range(1001)], "has more than 1000 pages"),
        ("many", [f"tool_{n}" for n in range(500)], None),
        ("refuses", [], "Method not found: tools/list (code -32601)"),
    ],
)
async def test_y009_every_page_is_read_and_no_cursor_leads_round_in_circles(
    server: str, tools: list[str], warning: str | None
) -> None:
    async with connected("lists", server) as connection:
        assert names(connection) == tools
        said = "\n".join(connection.warnings)
        assert (warning or "") in said
        assert bool(said) == (warning is not None)


async def test_y009_a_tool_is_labelled_by_the_first_title_that_it_has() -> None:
    async with connected("lists", "titles") as connection:
        labels = {tool.name: tool.label for tool in connection.tools}
        descriptions = {tool.name: tool.description for tool in connection.tools}
    assert labels == {
        "by_title": "The title",
        "by_annotation": "The annotation",
        "by_label": "The label",
        "by_name": "by_name",
        "without_description": "Says it all",
        "bare": "bare",
        "wordy": "wordy",
    }
    assert descriptions["without_description"] == "Says it all"
    assert descriptions["bare"] == "bare"
    assert len(descriptions["wordy"]) > 20_000


async def test_one_illegal_tool_does_not_take_the_others_with_it() -> None:
    async with connected("lists", "illegal_among_good") as connection:
        assert {"good", "also_good"} < set(names(connection))
        said = "\n".join(connection.warnings)
        assert "3 of the tools it lists have no name" in said
        assert "'null_schema' has no input schema" in said
        assert (await connection.call("good", {"a": 1})).content[0]["text"] == 'good got {"a": 1}'


async def test_a_change_of_the_list_is_told_however_often_it_is_announced() -> None:
    async with connected("lists", "changing") as connection:
        assert not connection.has_new_tools
        await connection.call("change", {})
        assert connection.has_new_tools
        await connection.relist()
        assert names(connection) == ["change", "shrink", "added_1"]
        assert not connection.has_new_tools
        assert (await connection.call("added_1", {})).content[0]["text"] == "added_1: listed 2 times"


@pytest.mark.parametrize(
    ("server", "message"),
    [
        (
            "dies_at_start",
            "ended with exit status 1 before it was ready\nits last words:\n  ImportError: cannot import",
        ),
        ("needs_variable", "Error: the TOKEN environment variable is required"),
        ("refuses_handshake", "could not be started: licence expired (code -32000)"),
        ("wrong_version", "could not be started: Unsupported protocol version from the server: 1999-12-31"),
    ],
)
async def test_a_server_that_does_not_start_says_why(server: str, message: str) -> None:
    error = await failure_of(connection_to("breaks", server).start)
    assert "the MCP server 'srv'" in error.message
    assert message in error.message


async def test_the_last_words_of_a_node_program_have_its_reason_and_not_only_its_stack(tmp_path: Path) -> None:
    script = tmp_path / "server.js"
    script.write_text("require('nothing-of-this-name')", encoding="utf-8")
    settings = McpSettings(name="srv", command=str(programs() / "node"), args=(str(script),))
    error = await failure_of(McpConnection(settings).start)
    assert "Error: Cannot find module 'nothing-of-this-name'" in error.message


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("KeyError: 'SHOP_TOKEN'", "`inherit_env: [SHOP_TOKEN]`"),
        ("SHOP_TOKEN environment variable is required", "`inherit_env: [SHOP_TOKEN]`"),
    ],
)
async def test_a_server_that_says_what_it_lacks_is_mended_by_the_hint(said: str, hint: str) -> None:
    settings = McpSettings(name="srv", command="sh", args=("-c", 'echo "$1" >&2; exit 1', "sh", said))
    error = await failure_of(McpConnection(settings).start)
    assert hint in (error.hint or "")


async def test_a_program_without_a_first_line_that_names_its_interpreter_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "server"
    script.write_text("print()\n", encoding="utf-8")
    script.chmod(0o755)
    error = await failure_of(McpConnection(McpSettings(name="srv", command=str(script))).start)
    assert "write `command: python`" in (error.hint or "")


async def test_a_server_that_hangs_at_its_start_is_given_up_in_time() -> None:
    error = await failure_of(connection_to("breaks", "hangs_at_start", connect_timeout_s=0.5).start)
    assert "did not get ready in 0.5 s (connect_timeout)" in error.message
    assert "connect_timeout" in (error.hint or "")


@pytest.mark.parametrize(
    "server", ["exits_on_probe", "empty_probe", "sparse_handshake", "garbage", "bad_bytes", "talkative", "parent"]
)
async def test_a_server_with_a_bad_habit_works_all_the_same(server: str) -> None:
    async with connected("breaks", server) as connection:
        assert connection.tools
        answers = await asyncio.gather(*(connection.call("x", {}) for _ in range(3)))
        assert all(answer.content for answer in answers)


async def test_a_server_that_ignores_what_it_does_not_know_works_with_the_older_protocol() -> None:
    async with connected("breaks", "ignores_probe", protocol="legacy") as connection:
        assert names(connection) == ["echo"]


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("dies", "ended with exit status 9 during the call of 'dies'\nits last words:\n  fatal: the disk is on fire"),
        ("half_a_line", "ended with exit status 0 during the call of 'half_a_line'"),
    ],
)
async def test_a_death_in_the_middle_of_a_call_is_told_with_the_last_words(tool: str, message: str) -> None:
    async with connected("breaks", "dies") as connection:
        assert (await connection.call("quick", {})).content[0]["text"] == "quick answer"
        error = await failure_of(lambda: connection.call(tool, {}))
        assert message in error.message
        assert error.is_lost
        assert not connection.is_open


async def test_a_call_without_an_answer_is_given_up_called_off_and_survived() -> None:
    async with connected("breaks", "silent") as connection:
        error = await failure_of(lambda: connection.call("never", {}, timeout_s=0.2))
        assert "gave no answer to the call of 'never' within 0.2 s" in error.message
        abandoned = asyncio.ensure_future(connection.call("never", {}))
        await connection.call("quick", {})
        abandoned.cancel()
        await asyncio.wait((abandoned,))
        waiting, cancelled = json.loads((await connection.call("cancelled", {})).content[0]["text"])
    assert len(waiting) == 2
    assert cancelled == waiting


async def test_an_answer_that_comes_too_late_is_no_answer_to_another_call() -> None:
    async with connected("breaks", "tardy") as connection:
        await failure_of(lambda: connection.call("never", {}, timeout_s=0.1))
        assert (await connection.call("quick", {})).content[0]["text"] == "quick answer"


async def test_answers_find_their_calls_in_whatever_order_they_come() -> None:
    async with connected("breaks", "late") as connection:
        first, second = await asyncio.gather(connection.call("first", {}), connection.call("second", {}))
    assert first.content[0]["text"] == "answer of first"
    assert second.content[0]["text"] == "answer of second"


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("unknown_block", [{"type": "hologram", "data": "??"}, {"type": "text", "text": "kept"}]),
        ("not_a_block", ["just a string", {"type": "text", "text": "kept"}, None]),
        ("content_is_text", ["a plain string"]),
        ("no_content", []),
        ("deep", [{"type": "text", "text": "deep"}]),
    ],
)
async def test_y010_nothing_of_a_result_is_lost_for_what_is_odd_in_it(tool: str, expected: list[Any]) -> None:
    async with connected("results", "results") as connection:
        assert list((await connection.call(tool, {})).content) == expected


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("null", "the server's result is null, not an object"),
        ("refused", "city is unknown (code -32602)"),
        ("internal", "refused the call of 'internal'"),
    ],
)
async def test_y010_a_refusal_is_an_error_without_the_data_that_is_not_for_the_model(tool: str, message: str) -> None:
    async with connected("results", "results") as connection:
        error = await failure_of(lambda: connection.call(tool, {}))
        assert message in error.message
        assert "/secret/path" not in str(error)
        assert not error.is_lost
        assert (await connection.call("error", {})).is_error


async def test_a_result_of_five_megabytes_arrives_whole() -> None:
    async with connected("results", "results") as connection:
        text = (await connection.call("big", {"characters": 5_000_000})).content[0]["text"]
    assert len(text) == 5_000_000
    assert text.endswith("END")


@pytest.mark.parametrize("asked", ["sampling", "elicitation", "roots", "unheard_of"])
async def test_what_a_server_asks_of_us_is_refused_and_it_goes_on(asked: str) -> None:
    async with connected("asks", "asks") as connection:
        answer = json.loads((await connection.call(asked, {})).content[0]["text"])
        assert "error" in answer
        assert json.loads((await connection.call("ping", {})).content[0]["text"]) == {"result": {}}
        assert json.loads((await connection.call("capabilities", {})).content[0]["text"]) == {}


async def test_progress_and_log_lines_of_a_call_are_told() -> None:
    told: list[str] = []
    logged: list[str] = []
    program, *args = command("asks", "asks")
    connection = McpConnection(McpSettings(name="srv", command=program, args=tuple(args)), on_log=logged.append)
    await connection.start()
    try:
        await connection.call("progress", {}, on_progress=told.append)
        await connection.call("logs", {})
    finally:
        await connection.stop()
    assert told == ["1/4 step 1", "2/4 step 2", "3/4 step 3", "4/4 step 4"]
    assert [line.partition(":")[0] for line in logged] == ["debug", "info", "warning", "error"]


async def test_a_server_sees_little_of_our_environment_and_all_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")
    monkeypatch.setenv("SHARED", "yes")
    async with connected("breaks", "needs_variable", env={"TOKEN": "sesame"}, inherit_env=("SHARED",)) as connection:
        seen = json.loads((await connection.call("environment", {})).content[0]["text"])
    assert seen["TOKEN"] == "sesame"
    assert seen["SHARED"] == "yes"
    assert "OPENAI_API_KEY" not in seen


async def test_a_server_that_does_not_want_to_stop_is_made_to() -> None:
    connection = connection_to("breaks", "stubborn")
    await connection.start()
    async with asyncio.timeout(10):
        await connection.stop()
    assert not connection.is_open


async def test_a_program_that_ends_without_listening_is_started_once(tmp_path: Path) -> None:
    log = tmp_path / "starts"
    settings = McpSettings(name="srv", command="sh", args=("-c", f"echo started >> {log}; exit 1"))
    failure = await failure_of(McpConnection(settings).start)
    assert "ended with exit status 1 before it was ready" in failure.message
    assert log.read_text().splitlines() == ["started"]
