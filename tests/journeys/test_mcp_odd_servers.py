"""Agents with servers that answer oddly: what reaches the model, through every floor of the house."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.support.fake_model import fake_model
from tests.support.mcp_journey import Ended, Journey, case, mcp_tool
from tests.support.mcp_servers import command
from tests.support.mcp_servers.over_http import Fault, http_server


@pytest.fixture
def journey(tmp_path: Path) -> Iterator[Journey]:
    with fake_model() as model:
        yield Journey(tmp_path, model)


def assert_passed(ended: Ended, passed: int) -> None:
    assert ended.status == 0, ended.said
    assert f"{passed} of {passed} passed" in ended.stdout
    assert "Traceback" not in ended.said
    assert ended.left == []


SHOWN = {
    "image": "a pixel",
    "svg": "[image image/svg+xml 6 bytes; not shown to the model]",
    "image_without_type": "kept",
    "broken_image": "[image image/png unreadable; not shown to the model]",
    "audio": "[audio audio/wav 16 bytes; not shown to the model]",
    "resource_text": "[resource note://1]\nthe note",
    "resource_blob": "[resource file:///a.bin application/octet-stream 3 bytes; not shown to the model]",
    "link": "[link to file:///report.pdf (report, application/pdf)]",
    "unknown_block": "'hologram'",
    "not_a_block": "just a string",
    "structured": '{"count": 3}',
    "both": '{"count": 3}',
    "mismatched": "three",
    "promised_and_missing": "no structure",
    "empty": "(no output)",
    "empty_text": "(no output)",
    "empty_error": "gave no reason",
    "error": "no such city: Atlantis",
    "error_with_structure": "failed",
    "no_content": "(no output)",
    "content_is_text": "a plain string",
    "many_blocks": "block 0",
    "annotated": "for you",
    "lone_surrogate": "half \ufffd of a pair",
    "control_characters": "[31mc",
    "null": "result is null, not an object",
    "deep": "deep",
    "refused": "city is unknown (code -32602)",
    "internal": "code -32603",
}


def test_y010_every_shape_of_a_result_reaches_the_model(journey: Journey) -> None:
    cases = [case(tool, (tool, {}), contains=shown) for tool, shown in SHOWN.items()]
    cases.append(case("big", ("big", {"characters": 5_000_000}), contains="END"))
    journey.write([mcp_tool("odd", command("results", "results"))], cases)
    assert_passed(journey.test(), len(cases))
    sent = [json.dumps(request) for request in journey.model.requests]
    assert max(len(request) for request in sent) < 200_000
    assert not any("/secret/path" in request for request in sent)
    assert any('"image_url": {"url": "data:image/png;base64,' in request for request in sent)
    stored = journey.run("runs", "show", "--json")
    assert stored.status == 0, stored.said
    assert len(stored.report["tests"]) == len(cases)


def test_p009_whatever_the_tools_are_called_the_model_sees_legal_names_and_calls_the_right_ones(
    journey: Journey,
) -> None:
    tool = mcp_tool("odd", command("lists", "odd_names"))
    journey.write([tool], [case("asks", ("plain", {}), contains="plain got {}")])
    assert_passed(journey.test(), 1)
    offered = journey.model.offered
    assert len(set(offered)) == 9
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in offered)
    names = ["files/read", "files.read", "files read", "grüße", "x" * 128, "y" * 70 + "_one", "y" * 70 + "_two", "1st"]
    pairs = enumerate(zip(offered, names, strict=False))
    journey.write([tool], [case(f"case-{n}", (wire, {"n": n}), contains=f"{name} got") for n, (wire, name) in pairs])
    assert_passed(journey.test(), len(names))


def test_schemas_that_providers_refuse_are_sent_in_a_form_that_they_take(journey: Journey) -> None:
    tree = {"root": {"name": "a", "children": [{"name": "b"}]}}
    journey.write(
        [mcp_tool("schemas", command("lists", "schemas")), mcp_tool("ill", command("lists", "illegal_among_good"))],
        [
            case("keys", ("odd_keys", {"_filter": "x", "a_b": 3}), contains='odd_keys got {"$filter": "x", "a b": 3}'),
            case("needed", ("odd_keys", {"ok": True}), contains="Missing required arguments"),
            case("recursive", ("recursive", tree), contains='"name": "b"'),
            case("extra", ("closed", {"a": "x", "b": 1}), contains='closed got {"a": "x"}'),
            case("none", ("no_schema", {"q": 1}), contains='no_schema got {"q": 1}'),
        ],
    )
    ended = journey.test()
    assert_passed(ended, 5)
    assert "3 of the tools it lists have no name and are left out" in ended.said
    for tool in journey.model.requests[0]["tools"]:
        assert_takable(tool["function"]["parameters"])


def assert_takable(schema: dict[str, Any]) -> None:
    assert schema["type"] == "object"
    assert not {"anyOf", "oneOf", "allOf", "$ref"} & schema.keys()
    assert all(re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", key) for key in schema["properties"])
    for value in schema["properties"].values():
        assert value.get("$ref", "#").startswith("#")
        assert value.get("type") != "array" or "items" in value


def test_tools_that_come_and_go_are_offered_and_refused_from_the_next_turn_on(journey: Journey) -> None:
    journey.write(
        [mcp_tool("changing", command("lists", "changing"))],
        [case("changes", ("change", {}), ("added_1", {}), ("shrink", {}), ("added_1", {}), contains="no tool named")],
    )
    assert_passed(journey.test(), 1)
    offered = [[tool["function"]["name"] for tool in request["tools"]] for request in journey.model.requests]
    few, more = ["change", "shrink"], ["change", "shrink", "added_1"]
    assert offered == [few, more, more, few, few]


def test_servers_over_http_fail_for_one_call_and_go_on(journey: Journey) -> None:
    faults = {
        "busy": (Fault("tools/call", status=429, headers={"retry-after": "0"}, times=1), 'echo {"word": "one"}'),
        "full": (Fault("tools/call", status=429, headers={"retry-after": "600"}, times=1), "HTTP 429"),
        "broken": (Fault("tools/call", status=500, times=1), "HTTP 500"),
        "dropping": (Fault("tools/call", action="drop", times=1), "was lost during the call"),
        "cut": (Fault("tools/call", action="drop_in_stream", times=1), "broke off its answer"),
        "slow": (Fault("tools/call", action="hang", times=1), "timed out"),
    }
    with ExitStack() as stack:
        servers = {name: stack.enter_context(http_server(fault)) for name, (fault, _) in faults.items()}
        tools = [
            {"name": name, "type": "mcp", "description": "d", "url": server.url, "prefix": f"{name}_", "timeout": 1}
            for name, server in servers.items()
        ]
        cases = [
            case(
                name,
                (f"{name}_echo", {"word": "one"}),
                (f"{name}_echo", {"word": "two"}),
                checks=[{"contains": [first, 'echo {"word": "two"}']}],
            )
            for name, (_, first) in faults.items()
        ]
        journey.write(tools, cases)
        assert_passed(journey.test(), len(cases))


@pytest.mark.parametrize("status", [401, 500])
def test_a_server_over_http_that_cannot_be_used_ends_the_command(journey: Journey, status: int) -> None:
    with http_server(Fault(status=status)) as server:
        journey.write(
            [{"name": "far", "type": "mcp", "description": "d", "url": f"{server.url}?key=geheim"}],
            [case("asks", ("echo", {}), contains="echo")],
        )
        ended = journey.test()
    assert ended.status == 3, ended.said
    assert f"the MCP server 'far' answered with HTTP {status}" in ended.stderr
    assert "geheim" not in ended.said
    assert journey.model.requests == []
