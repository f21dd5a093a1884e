"""What a ``server:`` starts, and what is said when it cannot be started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from seatrial.errors import McpError
from seatrial.tools.mcp.environment import server_environment
from seatrial.tools.mcp.launch import Launch, checked_command, launch_of
from seatrial.tools.mcp.settings import McpSettings


@pytest.mark.parametrize(
    ("server", "launch"),
    [
        ("https://example.org/mcp", Launch(url="https://example.org/mcp")),
        ("@scope/server-memory", Launch("npx", ("-y", "@scope/server-memory"))),
        ("@scope/server.js", Launch("npx", ("-y", "@scope/server.js"))),
        ("npm:some-mcp@1.2 --flag", Launch("npx", ("-y", "some-mcp@1.2", "--flag"))),
        ("pypi:some-mcp", Launch("uvx", ("some-mcp",))),
        ("mcp-server-nowhere --zone UTC", Launch("uvx", ("mcp-server-nowhere", "--zone", "UTC"))),
        ("uvx --with x nowhere-mcp", Launch("uvx", ("--with", "x", "nowhere-mcp"))),
        ("nowhere-mcp", Launch("npx", ("-y", "nowhere-mcp"))),
        ("sh -c 'echo hi'", Launch("sh", ("-c", "echo hi"))),
    ],
)
def test_a_server_is_an_address_a_package_or_a_program(server: str, launch: Launch, tmp_path: Path) -> None:
    assert launch_of(server, tmp_path) == launch


def test_a_file_of_the_folder_is_run_by_its_language(tmp_path: Path) -> None:
    assert launch_of("./tools/server.py", tmp_path) == Launch(sys.executable, (str(tmp_path / "tools" / "server.py"),))
    assert launch_of("server.mjs", tmp_path) == Launch("node", (str(tmp_path / "server.mjs"),))


def test_a_program_that_is_installed_beside_python_is_found(tmp_path: Path) -> None:
    beside = Path(sys.executable).parent / "pytest"
    assert launch_of("pytest --version", tmp_path).command in ("pytest", str(beside))


def problem(**settings: object) -> McpError:
    with pytest.raises(McpError) as failed:
        checked_command(McpSettings(name="srv", **settings), server_environment({}))  # type: ignore[arg-type]
    return failed.value


def test_each_reason_for_not_starting_has_its_own_words(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("x")
    assert "there is no program 'no-such-program'" in problem(command="no-such-program").message
    assert "is not executable" in problem(command="./plain", cwd=tmp_path).message
    assert "does not exist" in problem(command="sh", cwd=tmp_path / "gone").message
    split = problem(command="sh -c true")
    assert "the arguments stand in its name" in split.message
    assert split.hint == "write `command: sh` and `args: [-c, true]`"


def test_a_server_gets_little_of_our_environment_and_all_of_its_own() -> None:
    ours = {"PATH": "/bin", "OPENAI_API_KEY": "secret", "HTTPS_PROXY": "http://p", "SHELL": "() { evil; }"}
    assert server_environment({"A": "1"}, ours=ours) == {"PATH": "/bin", "A": "1"}
    assert server_environment({}, ["HTTPS_PROXY", "NOT_SET"], ours) == {"PATH": "/bin", "HTTPS_PROXY": "http://p"}
