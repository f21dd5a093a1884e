from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.config.conftest import HEAD, Load

from seatrial.config.diagnostics import Place
from seatrial.config.env_file import read_env_file
from seatrial.config.loader import load_agent
from seatrial.config.variables import Filler


def filled(text: str, **environ: str) -> str:
    return str(Filler(environ).filled(text, Place(Path("a"), 1)))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${A}", "1"),
        ("<${A}${A}>", "<11>"),
        ("${NO:-22:00}", "22:00"),
        ("${NO:-http://x:9/v1}", "http://x:9/v1"),
        ("${NO:-}", ""),
        ("${EMPTY:-x}", "x"),
        ("${EMPTY}", ""),
        ("${A:-x}", "1"),
        ("${NO:-${A}}", "1"),
        ("${NO:-a${NO:-b}c}", "abc"),
        ("$${A}", "${A}"),
        ("$$${A}", "$${A}"),
        ("$A ${1} ${a b} ${} $( ${{ x }} cost: 5$ ${A", "$A ${1} ${a b} ${} $( ${{ x }} cost: 5$ ${A"),
    ],
)
def test_h016_variables_defaults_and_the_literal(text: str, value: str) -> None:
    assert filled(text, A="1", EMPTY="") == value


def test_p011_a_value_can_never_change_the_structure(load: Load) -> None:
    evil = "x\nmodel:\n  name: other\n# : ] } ' \""
    loaded = load(HEAD.replace("briefly.", "${EVIL}"), {"EVIL": evil})
    assert loaded.require().instructions.inline == f"Answer {evil}"
    assert loaded.require().model.name == "gpt-4o-mini"


def test_h016_the_process_wins_over_the_env_file_beside_the_agent_file(load: Load, project: Path) -> None:
    (project / ".env").write_text("NAME_A=file\nNAME_B=file\n")
    loaded = load(HEAD.replace("briefly.", "${NAME_A} ${NAME_B}"), {"NAME_A": "process"})
    assert loaded.require().instructions.inline == "Answer process file"


def test_h016_an_unset_variable_is_told_once_for_each_line_also_inside_a_block_of_text(load: Load) -> None:
    loaded = load(HEAD.replace("Answer briefly.", "|\n    Hi.\n    ${NOBODY} and ${NOBODY}") + "author: ${NOBODY}\n")
    assert [(error.line, error.column) for error in loaded.errors] == [(8, 5), (9, 9)]


def test_h016_a_comment_needs_no_variable(load_more: Load) -> None:
    assert load_more("# ${NOBODY}\n").config is not None


def test_p011_what_only_anchors_hold_needs_no_variable(load_more: Load) -> None:
    assert load_more("x-later:\n  key: ${NOBODY}\n").config is not None


OUTSIDE = """\
name: a
model: {provider: openai_compatible, name: m, endpoint: "${HOST}/v1"}
instructions: hi
tools:
  - {name: s, type: mcp, description: d, url: "${ADDRESS}/mcp", headers: {Region: "${REGION}"}}
  - {name: p, type: mcp, description: d, config: {command: "${PROGRAM}", args: ["${SCRIPT}"]}}
  - {name: v, type: vectorstore, description: d, source: "${DOCS}"}
test_cases: [{name: c, input: "hello", expected_tools: [{name: s, args: {a: "MORE"}}]}]
"""


def test_what_only_reaches_something_outside_needs_no_variable_offline(project: Path) -> None:
    (project / "agent.yaml").write_text(OUTSIDE, encoding="utf-8")
    assert load_agent(project, environ={}, is_offline=True).errors == ()
    names = [finding.message.split()[3] for finding in load_agent(project, environ={}).errors]
    assert sorted(names) == ["ADDRESS", "DOCS", "HOST", "PROGRAM", "REGION", "SCRIPT"]
    (project / "agent.yaml").write_text(OUTSIDE.replace("MORE", "${MORE}"), encoding="utf-8")
    assert [finding.code for finding in load_agent(project, environ={}, is_offline=True).errors] == ["ST303"]


def test_of_very_many_cases_that_check_nothing_the_first_are_named_and_the_others_counted(project: Path) -> None:
    (project / "cases.jsonl").write_text('{"input": "hello"}\n' * 3_000, encoding="utf-8")
    text = "name: a\nmodel: local:minilm-extractive\ninstructions: hi\ntest_cases_file: cases.jsonl\n"
    (project / "agent.yaml").write_text(text, encoding="utf-8")
    told = [one.message for one in load_agent(project, environ={}).diagnostics if one.code == "ST501"]
    assert len(told) == 1_101
    assert "and 1,900 more test cases check nothing" in told


def test_typed_fields_convert_a_variables_value(load: Load) -> None:
    loaded = load(
        HEAD.replace("gpt-4o-mini", "gpt-4o-mini\n  temperature: ${T}\n  max_tokens: '${M}'"), {"T": "0.5", "M": "9"}
    )
    assert (loaded.require().model.temperature, loaded.require().model.max_tokens) == (0.5, 9)


def test_a_value_that_does_not_fit_is_named_by_its_variable_and_never_shown(load: Load) -> None:
    loaded = load(HEAD.replace("gpt-4o-mini", "gpt-4o-mini\n  temperature: ${T}"), {"T": "very-hot"})
    assert "the value of `${T}`" in loaded.errors[0].message
    assert "very-hot" not in loaded.errors[0].as_text()


def test_an_unset_variable_in_a_typed_field_is_one_finding(load: Load) -> None:
    loaded = load(HEAD.replace("gpt-4o-mini", "gpt-4o-mini\n  temperature: ${T}"))
    assert [error.code for error in loaded.errors] == ["ST303"]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=plain", "plain"),
        ("export A=plain", "plain"),
        ("  A = spaced out  ", "spaced out"),
        ("A=", ""),
        ("A=a#b", "a#b"),
        ("A=a # comment", "a"),
        ("A='single $X \\n # kept'", "single $X \\n # kept"),
        ('A="double \\"q\\" \\n # kept"', 'double "q" \n # kept'),
        ('A="two\nlines"', "two\nlines"),
        ("A=first\nA=second", "second"),
    ],
)
def test_env_files_are_read_in_the_usual_dialect(tmp_path: Path, line: str, value: str) -> None:
    (tmp_path / ".env").write_text(f"# head\n\n{line}\nB=after\n")
    values, problems = read_env_file(tmp_path / ".env")
    assert (values, problems) == ({"A": value, "B": "after"}, [])


def test_a_line_of_an_env_file_that_is_none_is_a_warning_with_its_line(load_more: Load, project: Path) -> None:
    (project / ".env").write_text("A=1\nsecret words\n")
    warnings = load_more("").warnings
    assert [(warning.file.name, warning.line) for warning in warnings] == [(".env", 2)]


@given(st.text(alphabet=st.sampled_from("${}:-AB \n'\""), max_size=40))
def test_any_text_is_filled_without_an_exception_and_without_a_dollar_only_changed_by_rule(text: str) -> None:
    result = filled(text, A="1", B="2")
    if "${" not in text:
        assert result == text


@given(st.text(max_size=80))
def test_any_env_file_is_read_without_an_exception(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("env") / ".env"
    path.write_text(text, encoding="utf-8", errors="replace")
    read_env_file(path)
