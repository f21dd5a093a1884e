"""``seatrial validate`` and ``seatrial schema`` as a user calls them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema_rs
import pytest
from click.testing import CliRunner

from seatrial.cli.main import cli, main

Run = Callable[..., tuple[int, str]]
VALID = "name: shop\nmodel: {provider: local, name: minilm-extractive}\ninstructions: Answer.\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(text: str, *options: str) -> tuple[int, str]:
        (tmp_path / "agent.yaml").write_text(text)
        result = CliRunner().invoke(cli, ["validate", *options], standalone_mode=False)
        assert result.exception is None, result.output
        return int(result.return_value or 0), result.output

    return call


def test_a_valid_file_ends_with_what_it_holds_and_exit_code_0(run: Run) -> None:
    code, output = run(VALID + "test_cases: [{input: a, checks: none}]\n")
    assert (code, output) == (0, "agent.yaml: valid (0 tools, 1 test case)\n")


def test_errors_are_shown_with_place_line_and_hint_and_exit_code_2(run: Run) -> None:
    code, output = run(VALID.replace("model", "modle") + "limits: {max_turns: 0}\n")
    assert code == 2
    assert "agent.yaml:2:1: error[ST102]: `modle` is not a key of the agent file" in output
    assert "did you mean `model`?" in output
    assert "agent.yaml:4:21: error[ST405]" in output
    assert output.endswith("agent.yaml: 2 errors in lines 2, 4\n")


def test_warnings_alone_are_no_failure_unless_strict(run: Run) -> None:
    text = VALID + "test_cases: [{input: a}]\n"
    code, output = run(text)
    assert code == 0
    assert "warning[ST501]" in output
    assert "1 warning" in output
    code, output = run(text, "--strict")
    assert code == 2
    assert "error[ST501]" in output


def test_the_last_line_names_the_lines_of_all_errors_in_the_order_of_the_file(run: Run, tmp_path: Path) -> None:
    text = VALID + "description: ''\nlimits: {max_turns: 0}\ntest_cases:\n  - {input: a}\nfoo: 1\n"
    _, output = run(text)
    assert output.endswith("agent.yaml: 3 errors in lines 4, 5, 8; 1 warning\n")
    (tmp_path / "cases.yaml").write_text("- {input: a, checks: none, foo: 1}\n")
    _, output = run(text + "test_cases_file: cases.yaml\n")
    assert output.endswith("agent.yaml: 4 errors in lines 4, 5, 8 and in cases.yaml; 1 warning\n")


@pytest.mark.parametrize("options", [("--json",), ("--format", "json")])
def test_json_is_one_document(run: Run, options: tuple[str, ...]) -> None:
    code, output = run(VALID + "limts: {}\n", *options)
    document = json.loads(output)
    assert code == 2
    assert (document["file"], document["ok"], document["errors"], document["warnings"]) == ("agent.yaml", False, 1, 0)
    (finding,) = document["diagnostics"]
    assert (finding["line"], finding["column"], finding["code"], finding["path"]) == (4, 1, "ST102", ["limits"])


def test_annotations_for_pull_requests(run: Run) -> None:
    code, output = run(VALID + "limts: {}\n", "--format", "github")
    assert code == 2
    assert output.startswith("::error file=agent.yaml,line=4,col=1,endColumn=6,title=ST102::`limts` is not a key")


def test_names_that_only_catalogues_know_are_told_beside_other_errors(run: Run) -> None:
    code, output = run("name: shop\nmodel: opanai:x\ninstructions: ''\nevaluations: [f1_skore]\n", "--json")
    assert code == 2
    assert sorted(finding["code"] for finding in json.loads(output)["diagnostics"]) == ["ST306", "ST404", "ST406"]


def test_the_file_as_used_is_shown_on_demand(run: Run) -> None:
    code, output = run(VALID, "--show-effective")
    assert code == 0
    assert "# agent.yaml:2" in output


def test_the_schema_accepts_a_valid_file() -> None:
    result = CliRunner().invoke(cli, ["schema"], standalone_mode=False)
    schema = json.loads(result.output)
    assert jsonschema_rs.Draft202012Validator(schema).is_valid({"name": "a", "model": "local:x", "instructions": "Hi."})
    assert "f1_score" in result.output
    assert "openai_compatible" in result.output


def ended(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as exit_info:
        main(arguments)
    return int(exit_info.value.code or 0)


@pytest.mark.parametrize("command", ["validate", "test", "index", "run"])
def test_where_no_agent_file_is_one_message_says_what_to_do(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = [command, "hello"] if command == "run" else [command]
    assert ended(arguments) == 2
    told = capsys.readouterr().err
    assert told == (
        "error: there is no agent file in this folder\n  `seatrial init` writes one; or name the file or its folder\n"
    )
    (tmp_path / "gym").mkdir()
    (tmp_path / "gym" / "agent.yaml").write_text(VALID)
    assert ended(arguments) == 2
    assert "found: gym/agent.yaml" in capsys.readouterr().err


def test_of_very_many_findings_the_first_hundred_are_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "many.jsonl").write_text('{"input": "a", "checks": "none", "foo": 1}\n' * 250)
    code, output = run(VALID + "test_cases_file: many.jsonl\n")
    assert code == 2
    assert output.count("error[ST102]") == 100
    assert "and 150 more; seatrial validate --json tells them all" in output


MISTAKES_OF_A_BEGINNER = [
    (1, "ST402", "write `gym-desk`"),
    (2, "ST101", "close it"),
    (4, "ST406", "did you mean `openai`?"),
    (7, "ST301", "did you mean instructions.md?"),
    (13, "ST304", "did you mean `ticket_price`?"),
    (18, "ST105", "write `3`"),
    (21, "ST306", "`f1_score`"),
    (24, "ST105", "write `0.4`"),
    (26, "ST409", "write 0.04, or add `scale: 100`"),
    (29, "ST101", "'' for an apostrophe"),
    (30, "ST305", "did you mean `ticket_price`?"),
    (35, "ST512", 'write "10:00"'),
    (36, "ST408", "close it with )"),
    (37, "ST102", "did you mean `not_contains`?"),
    (38, "ST202", "add `input: "),
]


def test_every_mistake_of_a_beginner_is_told_by_one_validate_with_its_place_and_how_to_mend_it() -> None:
    folder = Path(__file__).with_name("beginner")
    result = CliRunner().invoke(cli, ["validate", str(folder), "--json"], standalone_mode=False)
    findings = sorted(json.loads(result.output)["diagnostics"], key=lambda finding: finding["line"])
    expected = [(line, code) for line, code, _ in MISTAKES_OF_A_BEGINNER]
    assert [(finding["line"], finding["code"]) for finding in findings] == expected
    for finding, (_, _, mend) in zip(findings, MISTAKES_OF_A_BEGINNER, strict=True):
        assert mend in finding["hint"]
