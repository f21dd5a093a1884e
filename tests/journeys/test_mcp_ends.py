"""How agents with MCP servers end: well, badly, and by force; no process is left behind."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.fake_model import fake_model
from tests.support.mcp_journey import Journey, case, mcp_tool
from tests.support.mcp_servers import command

# A killed command can close nothing: its servers are ended from outside, within seconds.
AFTER_A_KILL_S = 15.0


@pytest.fixture
def journey(tmp_path: Path) -> Iterator[Journey]:
    with fake_model() as model:
        yield Journey(tmp_path, model)


def starts(journey: Journey) -> int:
    return len((journey.folder / "starts").read_text(encoding="utf-8").splitlines())


def counted(journey: Journey) -> dict[str, str]:
    return {"STARTS": str(journey.folder / "starts")}


@pytest.mark.parametrize(("isolation", "expected"), [("shared", 1), ("per_case", 6)])
def test_a_server_is_started_once_for_all_cases_or_once_for_each(
    journey: Journey, isolation: str, expected: int
) -> None:
    journey.write(
        [mcp_tool("lists", command("lists", "paged"), isolation=isolation, env=counted(journey))],
        [case(f"case-{n}", ("six", {"n": n}), contains="six") for n in range(6)],
    )
    ended = journey.test()
    assert ended.status == 0, ended.said
    assert starts(journey) == expected
    assert ended.left == []


def test_servers_that_are_hard_to_stop_are_gone_when_the_command_is(journey: Journey) -> None:
    servers = ("stubborn", "parent", "talkative", "garbage")
    journey.write(
        [mcp_tool(server, command("breaks", server), prefix=f"{server}_") for server in servers],
        [
            case("stubborn", ("stubborn_echo", {}), contains="echo got {}"),
            case("parent", ("parent_helper", {}), expected_tools=["parent"]),
            case("talkative", ("talkative_echo", {}), contains="said it"),
            case("garbage", ("garbage_echo", {}), contains="echo got {}"),
        ],
    )
    ended = journey.test()
    assert ended.status == 0, ended.said
    assert "4 of 4 passed" in ended.stdout
    assert ended.left == []


def test_a_server_that_dies_in_a_call_is_an_error_for_the_model_and_is_started_again_for_the_next(
    journey: Journey,
) -> None:
    journey.write(
        [mcp_tool("fragile", command("breaks", "dies"), env=counted(journey))],
        [case("dies", ("dies", {}), ("quick", {}), contains="quick answer")],
    )
    ended = journey.test()
    assert ended.status == 0, ended.said
    results = [m["content"] for m in journey.model.requests[-1]["messages"] if m["role"] == "tool"]
    assert "ended with exit status 9" in json.dumps(results[0])
    assert "the disk is on fire" in json.dumps(results[0])
    assert starts(journey) == 2
    assert ended.left == []


def test_a_server_that_dies_every_time_is_not_started_for_ever(journey: Journey) -> None:
    journey.write(
        [mcp_tool("fragile", command("breaks", "dies"), env=counted(journey))],
        [case("dies", *[("dies", {})] * 8, contains="unavailable")],
        limits={"max_turns": 20},
    )
    ended = journey.test()
    assert ended.status == 0, ended.said
    assert starts(journey) == 6
    assert ended.left == []


@pytest.mark.parametrize("server", ["needs_variable", "dies_at_start", "refuses_handshake"])
def test_a_server_that_does_not_start_ends_the_command_before_the_model_is_asked(journey: Journey, server: str) -> None:
    journey.write([mcp_tool("absent", command("breaks", server))], [case("calls", ("echo", {}))])
    ended = journey.test()
    assert ended.status not in (0, 1), ended.said
    assert "absent" in ended.stderr
    assert "Traceback" not in ended.said
    assert journey.model.requests == []
    assert ended.left == []


def test_a_server_that_may_fail_is_left_out_and_said_so(journey: Journey) -> None:
    journey.write(
        [
            mcp_tool("absent", command("breaks", "needs_variable"), on_error="skip"),
            mcp_tool("present", command("lists", "paged")),
        ],
        [case("calls", ("six", {}), contains="six")],
    )
    ended = journey.test()
    assert ended.status == 0, ended.said
    assert "the MCP server 'absent' ended with exit status 1 before it was ready" in ended.said
    assert "the TOKEN environment variable is required" in ended.said
    assert ended.left == []


def test_an_interrupted_run_closes_its_servers(journey: Journey) -> None:
    journey.write(
        [
            mcp_tool("waits", command("breaks", "silent")),
            mcp_tool("stays", command("breaks", "stubborn")),
            mcp_tool("own", command("breaks", "parent"), isolation="per_case"),
        ],
        [case("waits", ("helper", {}), ("never", {}))],
    )
    with journey.running("test", "--allow-mcp") as running:
        journey.model.wait_for_requests(2)
        running.signal(signal.SIGINT)
        ended = running.ended()
    assert ended.status == 130, ended.said
    assert "Traceback" not in ended.said
    assert ended.left == []


def test_a_second_interrupt_does_not_wait_for_a_server(journey: Journey) -> None:
    journey.write([mcp_tool("waits", command("breaks", "stubborn"))], [case("waits", ("echo", {}), ("echo", {}))])
    with journey.running("test", "--allow-mcp", grace_s=AFTER_A_KILL_S) as running:
        journey.model.wait_for_requests(1)
        running.signal(signal.SIGINT)
        running.signal(signal.SIGINT)
        ended = running.ended()
    assert ended.status in (130, 128 + signal.SIGINT), ended.said
    assert ended.left == []


def test_an_interrupt_while_a_server_hangs_at_its_start_ends_the_command(journey: Journey) -> None:
    journey.write(
        [
            mcp_tool("hangs", command("breaks", "hangs_at_start"), env=counted(journey)),
            mcp_tool("works", command("breaks", "parent")),
        ],
        [case("asks", ("helper", {}))],
    )
    with journey.running("test", "--allow-mcp") as running:
        running.wait_for_file(journey.folder / "starts")
        running.signal(signal.SIGINT)
        ended = running.ended()
    assert ended.status == 130, ended.said
    assert "Traceback" not in ended.said
    assert journey.model.requests == []
    assert ended.left == []


@pytest.mark.parametrize("arguments", [("run", "call helper {}"), ("tools",), ("tools", "call", "helper", "{}")])
def test_every_command_that_starts_servers_ends_them(journey: Journey, arguments: tuple[str, ...]) -> None:
    journey.write(
        [mcp_tool(server, command("breaks", server)) for server in ("parent", "talkative")],
        [case("asks", ("helper", {}))],
    )
    ended = journey.run(*arguments, "--allow-mcp")
    assert ended.status == 0, ended.said
    assert ended.left == []


def test_a_run_that_is_asked_to_stop_leaves_no_server_behind(journey: Journey) -> None:
    journey.write(
        [mcp_tool(server, command("breaks", server)) for server in ("silent", "parent")],
        [case("waits", ("helper", {}), ("never", {}))],
    )
    with journey.running("test", "--allow-mcp", grace_s=AFTER_A_KILL_S) as running:
        journey.model.wait_for_requests(2)
        running.signal(signal.SIGTERM)
        ended = running.ended()
    assert ended.status != 0
    assert ended.left == []


def test_a_killed_run_leaves_no_server_behind(journey: Journey) -> None:
    journey.write(
        [mcp_tool(server, command("breaks", server)) for server in ("silent", "stubborn", "parent")],
        [case("waits", ("helper", {}), ("never", {}))],
    )
    with journey.running("test", "--allow-mcp", grace_s=AFTER_A_KILL_S) as running:
        journey.model.wait_for_requests(2)
        running.signal(signal.SIGKILL)
        ended = running.ended()
    assert ended.status == 128 + signal.SIGKILL
    assert ended.left == []
