"""What an agent file names is looked for, and nothing is executed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.unit.config.conftest import HEAD, Load, told

from seatrial.config.loader import load_agent
from seatrial.config.python_source import names_defined
from seatrial.config.templates import fill, placeholders

FUNCTION = "tools:\n  - {name: t, type: function, description: d, file: my.py, function: wanted}\n"


@pytest.mark.parametrize(
    "source",
    [
        "def wanted(): ...",
        "async def wanted(): ...",
        "class wanted: ...",
        "wanted = print",
        "wanted: object = print",
        "a, (b, *wanted) = 1, (2, 3)",
        "import wanted",
        "import wanted.inner",
        "import x as wanted",
        "from x import wanted",
        "from x import y as wanted",
        "if 1:\n    def wanted(): ...",
        "try:\n    from a import wanted\nexcept ImportError:\n    wanted = None",
        "try:\n    pass\nexcept ImportError:\n    def wanted(): ...",
        "with open('x') as wanted: ...",
        "for wanted in (): ...",
        "while 1:\n    wanted = 1",
        "match 1:\n    case 1:\n        def wanted(): ...",
        "if (wanted := 1): ...",
        "from x import *",
        "def __getattr__(name): ...",
        "globals()['wan' + 'ted'] = print",
        "exec('def wanted(): ...')",
        "# -*- coding: latin-1 -*-\ndef wanted(): ...",
    ],
)
def test_what_a_python_file_defines_or_may_define_is_no_finding(load_more: Load, project: Path, source: str) -> None:
    (project / "my.py").write_text(source + "\n")
    assert told(load_more(FUNCTION)) == []


@pytest.mark.parametrize(
    "source",
    [
        "",
        "def other(): ...",
        "def other():\n    wanted = 1\n    def wanted(): ...",
        "class A:\n    def wanted(self): ...",
        "x.wanted = 1",
        "print(wanted)",
    ],
)
def test_what_it_does_not_define_is_told(load_more: Load, project: Path, source: str) -> None:
    (project / "my.py").write_text(source + "\n")
    assert told(load_more(FUNCTION)) == [(8, "ST304")]


def test_nothing_of_a_tools_file_is_executed(load_more: Load, project: Path) -> None:
    (project / "my.py").write_text("def wanted(): ...\nopen(__file__ + '.ran', 'w')\nraise SystemExit(3)\n")
    assert told(load_more(FUNCTION)) == []
    assert not (project / "my.py.ran").exists()


@pytest.mark.parametrize(
    "content", [b"def wanted(:\n", b"\xff\xfe def", b"a = (" + b"(" * 2000, b"def wanted(): '\\d'\n\x00"]
)
def test_a_python_file_that_does_not_parse_is_told_at_its_line_of_the_agent_file(
    load_more: Load, project: Path, content: bytes
) -> None:
    (project / "my.py").write_bytes(content)
    assert told(load_more(FUNCTION)) == [(8, "ST307")]


def test_a_huge_python_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "big.py").write_text("# " + "x" * 2_100_000)
    assert names_defined(tmp_path / "big.py").names is None


def test_paths_begin_at_the_agent_files_folder_from_any_working_directory(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "prompt.md").write_text("WRONG")
    (project / "agent.yaml").write_text(
        HEAD.replace("inline: Answer briefly.", "file: prompt.md")
        + FUNCTION.replace("my.py", "tools.py").replace("wanted", "price")
    )
    monkeypatch.chdir(elsewhere)
    relative = Path(os.path.relpath(project / "agent.yaml", elsewhere))
    loaded = load_agent(relative, environ={})
    assert loaded.instructions_text == "You help.\n"
    assert loaded.path_to("tools.py") == project / "tools.py"
    assert loaded.path_to("../x/./y") == project.parent / "x" / "y"
    assert loaded.folder == project


def test_a_folder_stands_for_the_agent_file_in_it(load: Load, project: Path) -> None:
    load(HEAD)
    assert load_agent(project, environ={}).require().name == "shop"
    (project / "agent.yaml").rename(project / "agent.yml")
    assert load_agent(project, environ={}).path.name == "agent.yml"


def test_links_are_followed_and_broken_ones_named(load: Load, project: Path) -> None:
    (project / "good.md").symlink_to("prompt.md")
    (project / "broken.md").symlink_to("gone.md")
    assert load(HEAD.replace("inline: Answer briefly.", "file: good.md")).instructions_text == "You help.\n"
    error = load(HEAD.replace("inline: Answer briefly.", "file: broken.md")).errors[0]
    assert "a link to gone.md" in error.message


def test_a_missing_file_that_lies_in_the_working_directory_is_explained(
    load: Load, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "only-here.txt").write_text("x")
    monkeypatch.chdir(elsewhere)
    error = load(HEAD.replace("inline: Answer briefly.", "file: only-here.txt")).errors[0]
    assert "paths begin at the folder of the agent file" in (error.hint or "")


@pytest.mark.parametrize("path", ["~nobody-at-all/x", "x" * 5000, "'a\\0b'", "'\"\\x00\"'", "/dev/null", "/"])
def test_paths_that_name_no_file_are_told(load: Load, path: str) -> None:
    loaded = load(HEAD.replace("inline: Answer briefly.", f"file: {path}"))
    assert {error.code for error in loaded.errors} <= {"ST301", "ST302"}
    assert loaded.errors


def test_an_agent_file_that_is_no_regular_file_is_told_at_once() -> None:
    assert [error.code for error in load_agent(Path("/dev/zero"), environ={}).errors] == ["ST302"]


@pytest.mark.parametrize("path", ["x" * 5000, "a\0b", "~nobody-at-all/x", "nowhere/at/all.yaml", ""])
def test_a_path_that_leads_to_no_agent_file_is_told(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert {error.code for error in load_agent(path, environ={}).errors} <= {"ST301", "ST302"}
    assert load_agent(path, environ={}).errors


@pytest.mark.parametrize(
    "more",
    [
        "tools:\n  - {name: v, type: vectorstore, description: d, source: endless.py}\n",
        "tools:\n  - {name: f, type: function, description: d, file: endless.py, function: f}\n",
        "hooks: {before_tool_call: 'endless.py:f'}\n",
        "test_cases_file: endless.py\n",
    ],
)
def test_devices_are_never_read(load_more: Load, project: Path, more: str) -> None:
    (project / "endless.py").symlink_to("/dev/zero")
    assert [error.code for error in load_more(more).errors] == ["ST302"]


def test_h013_mcp_tools_are_known_only_after_connecting(load_more: Load) -> None:
    loaded = load_more(
        "tools:\n  - {name: files, type: mcp, description: d, command: x}\n"
        "test_cases:\n  - {input: a, expected_tools: [files, read_file]}\n"
    )
    assert told(loaded) == [(10, "ST508")]
    assert loaded.config is not None


def test_a_near_miss_of_a_known_tool_may_be_a_tool_of_a_server_too(load_more: Load) -> None:
    loaded = load_more(
        "tools:\n  - {name: files, type: mcp, description: d, command: x}\n"
        "test_cases:\n  - {input: a, expected_tools: [filse]}\n"
    )
    assert told(loaded) == [(10, "ST508")]
    assert "did you mean `files`?" in (loaded.diagnostics[0].hint or "")


@pytest.mark.parametrize("keys", ["tools: [read_*]", "tools: read_file", "config: {tools: [read_file]}"])
def test_tools_that_a_servers_entry_names_are_known(load_more: Load, keys: str) -> None:
    loaded = load_more(
        f"tools:\n  - {{name: files, type: mcp, description: d, command: x, prefix: my_, {keys}}}\n"
        "test_cases:\n  - {input: a, expected_tools: [files, read_file, my_read_file], forbidden_tools: [write_file]}\n"
    )
    assert [finding.message for finding in loaded.diagnostics] == [
        "no tool is named `write_file`; it may be one of an MCP server's"
    ]


@pytest.mark.parametrize("server", ["./run.sh --flag", "%s/run.sh --repository repo", "python ./gone.py"])
def test_arguments_after_a_servers_file_are_no_part_of_its_name(load_more: Load, project: Path, server: str) -> None:
    (project / "run.sh").write_text("")
    server = server.replace("%s", str(project))
    text = f"tools:\n  - {{name: m, type: mcp, description: d, server: '{server}'}}\n"
    assert told(load_more(text)) == []


def test_a_servers_file_with_arguments_must_exist_too(load_more: Load) -> None:
    text = "tools:\n  - {name: m, type: mcp, description: d, server: ./run.sh --flag}\n"
    loaded = load_more(text)
    assert told(loaded) == [(8, "ST301")]
    assert loaded.diagnostics[0].message == "./run.sh does not exist"


def test_a_server_that_is_a_file_must_exist(load_more: Load, project: Path) -> None:
    text = "tools:\n  - {name: m, type: mcp, description: d, server: ./server.py}\n"
    assert told(load_more(text)) == [(8, "ST301")]
    (project / "server.py").write_text("")
    assert told(load_more(text)) == []


@pytest.mark.parametrize(
    "server", ["'@modelcontextprotocol/server-filesystem'", "uvx mcp-server-time", "https://x/mcp"]
)
def test_a_package_a_command_and_a_url_are_not_looked_for(load_more: Load, server: str) -> None:
    assert told(load_more(f"tools:\n  - {{name: m, type: mcp, description: d, server: {server}}}\n")) == []


def test_a_slip_in_the_free_config_is_a_warning(load_more: Load) -> None:
    loaded = load_more(
        "tools:\n  - {name: m, type: mcp, description: d, server: pkg, config: {evn: {A: b}, roots: []}}\n"
    )
    assert [(warning.code, warning.hint) for warning in loaded.warnings] == [("ST510", "did you mean `env`?")]


def test_h009_placeholders_and_parameters_are_compared_both_ways(load_more: Load) -> None:
    loaded = load_more(
        "tools:\n  - name: p\n    type: prompt\n    description: d\n    template: 'Sum {txt}, {{b}} {\"json\": 1}'\n"
        "    parameters:\n      text: {type: str}\n      b: {type: str}\n"
    )
    assert told(loaded) == [(11, "ST308"), (13, "ST507")]
    assert loaded.errors[0].hint == "did you mean `text`?"


def test_h009_placeholders_of_a_template_file_are_compared_too(load_more: Load, project: Path) -> None:
    (project / "sum.txt").write_text("Sum {{ $text }} in {lang}.")
    loaded = load_more(
        "tools:\n  - {name: p, type: prompt, description: d, file: sum.txt, parameters: {text: {type: str}}}\n"
    )
    assert told(loaded) == [(8, "ST308")]
    assert loaded.errors[0].message == "line 1 of sum.txt uses {lang}, and there is no such parameter"


def test_h009_of_a_long_template_the_line_is_told_and_the_placeholder_as_it_is_written(load_more: Load) -> None:
    loaded = load_more(
        "tools:\n  - name: p\n    type: prompt\n    description: d\n    template: |\n      Sum this.\n      {{$txt}}\n"
        "    parameters: {text: {type: str}}\n"
    )
    assert loaded.errors[0].message == "line 2 of the template uses {{$txt}}, and there is no such parameter"
    assert loaded.warnings[0].hint == "write {{text}} where it belongs"


def test_a_template_is_filled_once_whatever_stands_in_the_values() -> None:
    template = '{a} {{b}} {{ $c }} {d} {"json": {x}} {{{a}}}'
    assert [placeholder.name for placeholder in placeholders(template)] == ["a", "b", "c", "d", "x"]
    assert fill("{a}-{{b}}-{c}", {"a": "{b}", "b": "1"}) == "{b}-1-{c}"


def test_a_schema_file_must_be_json(load_more: Load, project: Path) -> None:
    (project / "good.json").write_text('{"type": "object"}')
    (project / "bad.json").write_text('{"type": }')
    text = "response_format: bad.json\ntest_cases: [{input: a, checks: {json_schema: bad.json}}]\n"
    assert told(load_more(text)) == [(7, "ST302"), (8, "ST302")]
    assert told(load_more(text.replace("bad", "good"))) == []


def test_graders_of_both_spellings_are_looked_for(load_more: Load, project: Path) -> None:
    (project / "graders").mkdir()
    (project / "graders" / "money.py").write_text("def grade(context): ...\n")
    good = (
        "evaluations:\n  - {type: code, name: a, grader: graders/money.py:grade}\n"
        "  - {type: code, name: b, grader: 'graders.money:grade'}\n"
    )
    assert told(load_more(good)) == []
    assert told(load_more(good.replace("money:grade", "money:grad"))) == [(9, "ST304")]
    assert told(load_more(good.replace("graders.money", "installed.package"))) == []
