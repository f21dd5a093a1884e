"""``seatrial tools``: the tools listed as they are sent, and one called by hand."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.support.simple_tools import tool

from seatrial.assembly import toolset as toolsets
from seatrial.assembly.toolset import Toolset
from seatrial.cli.main import cli
from seatrial.cli.tool_call import call_words
from seatrial.config.loaded import LoadedAgent
from seatrial.core.tool import Tool
from seatrial.errors import ConfigError, ProviderError, SeatrialError

AGENT = """\
name: shop
model: openai:gpt-5-mini
instructions: Answer briefly.
tools:
  - name: order_status
    type: function
    description: Looks up an order.
    file: shop.py
    function: order_status
    examples: [Where is my order?]
    timeout_s: 5
  - {name: crash, type: function, description: Fails., file: shop.py, function: crash}
  - {name: long, type: function, description: Says much., file: shop.py, function: long, max_output: 10}
  - name: shorten
    type: prompt
    description: Shortens a text.
    template: Shorten {{text}}
    parameters: {text: {type: str}}
"""
CODE = """\
    from seatrial.core.tool import ToolContext

    def order_status(order_id: str, detail: str = "short") -> dict:
        '''Looks it up.

        Args:
            order_id: The order's number.
        '''
        return {"order": order_id, "detail": detail}

    def crash() -> str:
        print("half way")
        raise LookupError("no such order")

    def long(context: ToolContext) -> str:
        context.update("half way")
        return "x" * 1000
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "agent.yaml").write_text(AGENT, encoding="utf-8")
    (tmp_path / "shop.py").write_text(dedent(CODE), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["tools", *arguments], input=stdin, standalone_mode=False)


def called(*arguments: str, stdin: str | None = None) -> tuple[int, str]:
    done = run("call", *arguments, stdin=stdin)
    assert done.exception is None
    return done.return_value, done.stdout


def refused(*arguments: str, stdin: str | None = None) -> SeatrialError:
    error = run("call", *arguments, stdin=stdin).exception
    assert isinstance(error, SeatrialError)
    return error


@pytest.mark.parametrize("place", [[], ["."], ["agent.yaml"], ["--agent", "."], ["list", "."]])
def test_tools_are_listed_with_source_and_parameters_and_need_no_key(shop: Path, place: list[str]) -> None:
    done = run(*place)
    assert done.return_value == 0
    lines = done.stdout.splitlines()
    assert lines[:4] == [
        "order_status  function  shop.py:order_status",
        "  Looks up an order.",
        "    order_id (string, required): The order's number.",
        '    detail (string, default "short")',
    ]
    assert "shorten       prompt    template" in lines


def test_json_has_the_schema_and_what_each_api_is_sent(shop: Path) -> None:
    found = json.loads(run("--json").stdout)
    first = found["tools"][0]
    assert (first["name"], first["type"], first["source"]) == ("order_status", "function", "shop.py:order_status")
    assert (first["timeout_s"], first["examples"], first["sent_as"]) == (5.0, ["Where is my order?"], "order_status")
    assert first["parameters"]["required"] == ["order_id"]
    assert first["sent"]["openai_chat"]["function"]["parameters"] == first["parameters"]
    assert first["sent"]["openai_responses"]["name"] == "order_status"
    assert first["sent"]["anthropic_messages"]["input_schema"] == first["parameters"]
    assert [each["max_output"] for each in found["tools"]] == [None, None, 10, None]


def test_schemas_and_wire_forms_are_shown_when_asked_for(shop: Path) -> None:
    assert '"additionalProperties": false' in run("--schema").stdout
    assert "anthropic_messages (anthropic):" in run("--sent").stdout


def test_an_agent_that_is_named_twice_is_refused(shop: Path) -> None:
    assert isinstance(run(".", "--agent", ".").exception, ConfigError)


def test_a_file_that_cannot_be_loaded_is_told_with_its_place(shop: Path) -> None:
    (shop / "shop.py").write_text("def order_status(): ...\ncrash = long = print\n1 / 0\n")
    error = run().exception
    assert isinstance(error, ConfigError)
    assert [finding.line for finding in error.diagnostics] == [8, 12, 13]
    assert "line 3: ZeroDivisionError" in error.diagnostics[0].message


def test_a_call_prints_the_result_and_nothing_else(shop: Path) -> None:
    assert called("order_status", '{"order_id": "A-1"}') == (0, '{"order": "A-1", "detail": "short"}\n')


def test_arguments_come_from_a_file_and_from_stdin(shop: Path) -> None:
    (shop / "call.json").write_text('{"order_id": "B"}', encoding="utf-8-sig")
    assert called(".", "order_status", "@call.json")[1] == '{"order": "B", "detail": "short"}\n'
    assert called("order_status", "-", stdin='{"order_id": "C"}')[1] == '{"order": "C", "detail": "short"}\n'


def test_json_tells_all_of_the_call(shop: Path) -> None:
    found = json.loads(called("order_status", '{"order_id": "A-1"}', "--json")[1])
    assert (found["tool"], found["arguments"], found["is_error"]) == ("order_status", {"order_id": "A-1"}, False)
    assert found["content"] == [{"type": "text", "text": found["text"]}]
    assert found["details"] == {"value": {"order": "A-1", "detail": "short"}}
    assert found["duration_s"] >= 0


def test_a_tool_that_fails_is_exit_code_1_with_its_line_and_what_it_printed(shop: Path) -> None:
    done = run("call", "crash")
    assert (done.return_value, done.stdout) == (1, "Error: LookupError: no such order\n")
    assert "printed: half way" in done.stderr
    assert "failed in shop.py:13" in done.stderr


def test_progress_and_what_was_cut_are_told_beside_the_result(shop: Path) -> None:
    done = run("call", "long")
    assert done.return_value == 0
    assert "half way" in done.stderr
    assert "990 characters were left out" in done.stderr


def test_a_prompt_without_a_key_fails_when_it_is_called(shop: Path) -> None:
    code, told = called("shorten", '{"text": "a"}')
    assert code == 1
    assert "OPENAI_API_KEY is not set" in told


def test_a_hook_that_denies_holds_here_too(shop: Path) -> None:
    (shop / "rules.py").write_text("from seatrial.core.hooks import Deny\ndef no(_): return Deny('not on Mondays')\n")
    with (shop / "agent.yaml").open("a") as file:
        file.write("hooks: {before_tool_call: rules.py:no}\n")
    done = run("call", "order_status", '{"order_id": "A-1"}')
    assert done.return_value == 1
    assert "not on Mondays" in done.stdout
    assert "the tool was not run" in done.stderr


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["order_statu"], "the agent has no tool `order_statu`", "did you mean `order_status`?"),
        (
            ["order_status"],
            "order_status: Missing required arguments: order_id",
            "it takes order_id (string, required)",
        ),
        (["order_status", '{"order_id": [1]}'], "order_id", "it takes order_id"),
        (["order_status", "{'order_id': 1}"], "this is no JSON", "write a JSON object"),
        (["order_status", "[1]"], "the arguments are a list, not an object", "write a JSON object"),
        (["order_status", '{"order_id": NaN}'], "NaN is no JSON number", "write a JSON object"),
        (["order_status", "@nowhere.json"], "nowhere.json cannot be read", "@FILE"),
        ([".", "order_status", "3"], "the arguments are `3`, not an object", "write a JSON object"),
    ],
)
def test_the_users_slips_are_exit_code_2_and_say_what_to_write(
    shop: Path, words: list[str], message: str, hint: str
) -> None:
    error = refused(*words)
    assert error.exit_code == 2
    assert message in error.message
    assert hint in (error.hint or "")


@pytest.mark.parametrize("words", [[], ["a", "b", "{}", "c"], ["-a", ".", "order_status", "{}", "x"]])
def test_too_few_and_too_many_words_are_usage_errors(shop: Path, words: list[str]) -> None:
    assert type(run("call", *words).exception).__name__ == "UsageError"


def test_the_words_of_a_call_are_told_apart() -> None:
    assert call_words(["n"], None) == (Path(), "n", None)
    assert call_words(["n", "{}"], None) == (Path(), "n", "{}")
    assert call_words(["shop", "n"], None) == (Path("shop"), "n", None)
    assert call_words(["shop", "n", "@f"], None) == (Path("shop"), "n", "@f")
    assert call_words(["n", "{}"], Path("shop")) == (Path("shop"), "n", "{}")


class Server:
    """A source that a script stands for: a server whose tools are listed, or which fails."""

    def __init__(self, name: str, *tools: Tool, error: Exception | None = None) -> None:
        self.name = name
        self._tools = tools
        self._error = error

    async def current_tools(self) -> tuple[Tool, ...]:
        if self._error is not None:
            raise self._error
        return self._tools


def serve(monkeypatch: pytest.MonkeyPatch, *sources: Any) -> None:
    def assembled(loaded: LoadedAgent) -> Toolset:
        return Toolset(loaded, [tool("order_status")], sources)

    monkeypatch.setattr("seatrial.cli.tools.assemble_tools", assembled)
    assert toolsets.assemble_tools is not assembled


def test_tools_of_servers_are_listed_and_called_under_the_names_that_a_run_gives_them(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tool("order_status", lambda *_: "the server's")
    serve(monkeypatch, Server("files", theirs, tool("read/file")))
    found = json.loads(run("--json").stdout)["tools"]
    assert [each["name"] for each in found] == ["order_status", "files_order_status", "read/file"]
    assert found[2]["sent_as"] == "read_file"
    assert found[2]["source"] == "files"
    assert "sent as read_file" in run().stdout
    assert called("files_order_status") == (0, "the server's\n")
    assert called("read/file") == (0, "read/file\n")


def test_a_server_that_cannot_be_asked_is_exit_code_3_and_the_rest_is_listed(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, Server("down", error=ProviderError("it ended with exit code 1")), Server("up", tool("ping")))
    done = run()
    assert done.return_value == 3
    assert "the tools of down cannot be listed: it ended with exit code 1" in done.stderr
    assert "ping" in done.stdout
    assert called("ping") == (0, "ping\n")
    assert refused("pong").exit_code == 3


def test_what_comes_from_the_environment_as_a_secret_is_not_shown(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "s3cret-value-1234")
    text = AGENT.replace("model: openai:gpt-5-mini", "model: {provider: openai, name: m, api_key: '${SHOP_KEY}'}")
    (shop / "agent.yaml").write_text(text, encoding="utf-8")
    for shown in (
        called("order_status", '{"order_id": "s3cret-value-1234"}'),
        called("order_status", "--json", '{"order_id": "s3cret-value-1234"}'),
    ):
        assert "s3cret" not in shown[1]
