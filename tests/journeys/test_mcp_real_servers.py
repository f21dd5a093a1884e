"""Agents whose tools are those of real MCP servers, from the agent file to the verdict."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.fake_model import fake_model
from tests.support.mcp_journey import Ended, Journey, case, mcp_tool
from tests.support.real_servers import FOLDER, everything_over_http, node_package, programs, python_module


@pytest.fixture
def journey(tmp_path: Path) -> Iterator[Journey]:
    with fake_model() as model:
        yield Journey(tmp_path, model)


def assert_passed(ended: Ended, passed: int) -> None:
    assert ended.status == 0, ended.said
    assert f"{passed} of {passed} passed" in ended.stdout
    assert ended.left == []


def results_of(journey: Journey) -> list[str]:
    """The tool results in the last request of the model, as text."""
    messages = journey.model.requests[-1]["messages"]
    return [json.dumps(message["content"]) for message in messages if message["role"] == "tool"]


def test_files_are_read_inside_the_allowed_folder_and_nowhere_else(journey: Journey) -> None:
    files = journey.folder / "files"
    files.mkdir()
    (files / "note.txt").write_text("The harbour opens at six.", encoding="utf-8")
    journey.write(
        [mcp_tool("files", node_package("server-filesystem", str(files)))],
        [
            case(
                "reads",
                ("list_directory", {"path": str(files)}),
                ("read_text_file", {"path": str(files / "note.txt")}),
                contains="The harbour opens at six.",
                expected_tools=["list_directory", "read_text_file"],
            ),
            case(
                "stays-inside",
                ("read_text_file", {"path": str(journey.folder / "agent.yaml")}),
                contains="Access denied",
                expected_tools=["files"],
            ),
        ],
    )
    assert_passed(journey.test(), 2)
    assert "read_text_file" in journey.model.offered


def test_what_is_remembered_in_one_case_is_there_in_the_next_unless_each_gets_a_server_of_its_own(
    journey: Journey,
) -> None:
    place = journey.folder / "memory.jsonl"
    entity = {"name": "Ada", "entityType": "person", "observations": ["sails"]}
    tool = mcp_tool("memory", node_package("server-memory"), env={"MEMORY_FILE_PATH": str(place)})
    journey.write(
        [tool],
        [
            case("keeps", ("create_entities", {"entities": [entity]}), ("read_graph", {}), contains="sails"),
            case("finds", ("search_nodes", {"query": "Ada"}), contains="person"),
        ],
    )
    assert_passed(journey.test("--concurrency", "1"), 2)
    assert "Ada" in place.read_text(encoding="utf-8")
    journey.write([tool | {"isolation": "per_case"}], [case("still", ("read_graph", {}), contains="sails")])
    assert_passed(journey.test(), 1)


def test_times_are_told_and_converted_and_an_unknown_zone_is_the_tools_own_error(journey: Journey) -> None:
    conversion = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    journey.write(
        [mcp_tool("clock", python_module("mcp_server_time"))],
        [
            case("now", ("get_current_time", {"timezone": "UTC"}), contains="UTC"),
            case("converts", ("convert_time", conversion), contains="21:00", expected_tools=["convert_time"]),
            case("unknown", ("get_current_time", {"timezone": "Atlantis/Center"}), contains="Atlantis/Center"),
        ],
    )
    assert_passed(journey.test(), 3)


def test_the_history_of_a_repository_is_read(journey: Journey) -> None:
    repository = journey.folder / "repository"
    git(journey.folder, "init", "--quiet", str(repository))
    (repository / "log.txt").write_text("day one\n", encoding="utf-8")
    git(repository, "add", "log.txt")
    git(repository, "commit", "--quiet", "--message", "Leave the harbour")
    (repository / "log.txt").write_text("day two\n", encoding="utf-8")
    place = {"repo_path": str(repository)}
    journey.write(
        [mcp_tool("git", python_module("mcp_server_git", "--repository", str(repository)))],
        [
            case("log", ("git_log", place), contains="Leave the harbour"),
            case("changes", ("git_status", place), ("git_diff_unstaged", place), contains="+day two"),
        ],
    )
    assert_passed(journey.test(), 2)


def git(folder: Path, *arguments: str) -> None:
    person = [f"{key}={value}" for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org"))]
    settings = [word for setting in person for word in ("-c", setting)]
    subprocess.run(["git", *settings, *arguments], cwd=folder, check=True)


EVERYTHING = [
    case("echo", ("echo", {"message": "ahoy"}), contains="Echo: ahoy"),
    case("sum", ("get-sum", {"a": 2, "b": 3}), contains="The sum of 2 and 3 is 5", expected_tools=["get-sum"]),
    case("image", ("get-tiny-image", {}), contains="The image above is the MCP logo."),
    case("structure", ("get-structured-content", {"location": "New York"}), contains="temperature"),
    case("links", ("get-resource-links", {"count": 2}), contains="[link to "),
    case("progress", ("trigger-long-running-operation", {"duration": 0.2, "steps": 4}), contains="Steps: 4"),
]


def test_every_kind_of_result_comes_through_over_stdio(journey: Journey) -> None:
    journey.write([mcp_tool("everything", node_package("server-everything"))], EVERYTHING)
    assert_passed(journey.test(), len(EVERYTHING))
    sent = json.dumps(journey.model.requests)
    assert '"image_url": {"url": "data:image/png;base64,' in sent


@pytest.mark.parametrize(("kind", "path"), [("streamableHttp", "mcp"), ("sse", "sse")])
def test_every_kind_of_result_comes_through_over_http(journey: Journey, kind: str, path: str) -> None:
    with everything_over_http(kind, path) as url:
        tool = {"name": "everything", "type": "mcp", "description": "Everything.", "server": url}
        journey.write([tool], EVERYTHING)
        assert_passed(journey.test(), len(EVERYTHING))


def test_a_server_gets_its_own_variables_and_no_keys_of_ours(journey: Journey) -> None:
    journey.env = {"OPENAI_API_KEY": "sk-canary-0123456789", "GREETING": "ahoy there", "SHARED": "by name"}
    journey.write(
        [
            mcp_tool(
                "everything",
                node_package("server-everything"),
                env={"GREETED_WITH": "${GREETING}"},
                inherit_env=["SHARED"],
            )
        ],
        [case("environment", ("get-env", {}), contains="by name")],
    )
    assert_passed(journey.test(), 1)
    (result,) = results_of(journey)
    assert "GREETED_WITH" in result
    assert "sk-canary" not in json.dumps(journey.model.requests)


def test_the_package_name_of_a_server_is_enough(journey: Journey) -> None:
    """npx finds the package beside the agent file, so that nothing is fetched."""
    (journey.folder / "node_modules").symlink_to(FOLDER / "node_modules")
    journey.env = {"PATH": os.pathsep.join([str(programs()), os.environ["PATH"]])}
    journey.write(
        [{"name": "memory", "type": "mcp", "description": "d", "server": "@modelcontextprotocol/server-memory"}],
        [case("reads", ("read_graph", {}), contains="entities")],
    )
    assert_passed(journey.test(), 1)


def test_servers_side_by_side_keep_their_tools_apart(journey: Journey) -> None:
    tools: list[dict[str, Any]] = [
        mcp_tool("east", python_module("mcp_server_time", "--local-timezone", "Asia/Tokyo")),
        mcp_tool("west", python_module("mcp_server_time", "--local-timezone", "America/New_York")),
        mcp_tool("memory", node_package("server-memory"), tools=["read_*"], env={"MEMORY_FILE_PATH": "memory.jsonl"}),
    ]
    journey.write(
        tools,
        [
            case("east", ("east_get_current_time", {"timezone": "UTC"}), contains="UTC", expected_tools=["east"]),
            case("west", ("west_get_current_time", {"timezone": "UTC"}), contains="UTC", expected_tools=["west"]),
            case("graph", ("read_graph", {}), contains="entities", expected_tools=["read_graph"]),
        ],
    )
    assert_passed(journey.test(), 3)
    assert set(journey.model.offered) == {
        "east_get_current_time",
        "east_convert_time",
        "west_get_current_time",
        "west_convert_time",
        "read_graph",
    }
