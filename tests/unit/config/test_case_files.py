from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.config.conftest import HEAD, Load

from seatrial.config.case_rows import read_rows
from seatrial.config.source import Source

PRICE = "tools:\n  - {name: price, type: function, description: Price., file: tools.py, function: price}\n"
ROWS = [
    {"name": "a", "input": "What is it?", "ground_truth": "no", "expected_tools": ["price"], "tags": ["x", "y"]},
    {"name": "b", "input": 'Say "hi", please\nnow', "ground_truth": "0123"},
]
YAML = "- name: a\n  input: What is it?\n  ground_truth: no\n  expected_tools: [price]\n  tags: [x, y]\n"
YAML += '- {name: b, input: "Say \\"hi\\", please\\nnow", ground_truth: 0123}\n'
CSV = 'name,input,ground_truth,expected_tools,tags\na,What is it?,no,price,x;y\nb,"Say ""hi"", please\nnow",0123,,\n'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cases.yaml", YAML),
        ("cases.yml", "test_cases:\n" + YAML),
        ("cases.json", json.dumps(ROWS)),
        ("cases.jsonl", "\n".join(json.dumps(row) for row in ROWS) + "\n\n"),
        ("cases.csv", CSV),
        ("cases.csv", "\ufeff" + CSV.replace("\n", "\r\n")),
        ("cases.tsv", CSV.replace(",", "\t").replace('hi""\t', 'hi"",')),
    ],
)
def test_h013_cases_of_a_file_are_read_whatever_its_form(load: Load, project: Path, name: str, content: str) -> None:
    (project / name).write_text(content, encoding="utf-8", newline="")
    cases = load(HEAD + PRICE + f"test_cases_file: {name}\n").require().test_cases
    assert [(case.name, case.ground_truth, case.tags) for case in cases] == [("a", "no", ("x", "y")), ("b", "0123", ())]
    assert (cases[1].input or "").replace("\r\n", "\n") == 'Say "hi", please\nnow'
    assert [tool.name for tool in cases[0].expected_tools or ()] == ["price"]


def test_h013_a_file_may_hold_any_number_of_cases(load: Load, project: Path) -> None:
    (project / "many.jsonl").write_text(
        "".join(f'{{"input": "{number}", "checks": "none"}}\n' for number in range(1500))
    )
    loaded = load(HEAD + "test_cases_file: many.jsonl\n")
    assert len(loaded.require().test_cases) == 1500
    assert loaded.diagnostics == ()


def test_a_case_of_a_data_file_takes_little_memory(load: Load, project: Path) -> None:
    head, rows = HEAD + "test_cases_file: many.jsonl\n", project / "many.jsonl"
    line = '{{"input": "What is the number of item {0}?", "ground_truth": "The number is {0}", "checks": "none"}}\n'
    rows.write_text(line.format(0))
    load(head)  # what is built once is not the cases'
    rows.write_text("".join(map(line.format, range(1000))))
    tracemalloc.start()
    loaded = load(head)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(loaded.require().test_cases) == 1000
    assert held < 1000 * 1500


def test_items_behind_those_of_a_data_file_keep_their_places(load: Load, project: Path) -> None:
    (project / "a.jsonl").write_text('{"input": "a", "checks": "none"}\n\n{"input": "b", "checks": "none"}\n')
    (project / "b.yaml").write_text("- {input: c, checks: none}\n-   oops\n")
    (error,) = load(HEAD + "test_cases_file: [a.jsonl, b.yaml]\n").errors
    assert (error.place.file.name, error.place.line, error.place.column) == ("b.yaml", 2, 5)


def test_cases_of_the_agent_file_come_first_then_files_in_their_order(load: Load, project: Path) -> None:
    for name in ("b", "a"):
        (project / f"{name}.jsonl").write_text(json.dumps({"input": name, "checks": "none"}))
    head = HEAD + "test_cases: [{input: own, checks: none}]\n"
    assert inputs(load(head + "test_cases_file: [b.jsonl, a.jsonl]\n")) == ["own", "b", "a"]
    assert inputs(load(head + "test_cases_file: '*.jsonl'\n")) == ["own", "a", "b"]
    assert inputs(load(head + "test_cases_file: '**/b.jsonl'\n")) == ["own", "b"]


def inputs(loaded: object) -> list[str | None]:
    return [case.input for case in loaded.require().test_cases]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("written", "code", "hint"),
    [
        ("csaes.yaml", "ST301", "did you mean cases.yaml?"),
        ("data", "ST302", "data/*.yaml"),
        ("nothing-*.yaml", "ST301", "looked in"),
        ("'~nobody/x'", "ST301", "looked for"),
        ("'" + "x" * 5000 + "'", "ST302", ""),
    ],
)
def test_a_file_that_is_not_there_is_told_at_its_key(
    load: Load, project: Path, written: str, code: str, hint: str
) -> None:
    (project / "cases.yaml").write_text("[]")
    errors = load(HEAD + f"test_cases_file: {written}\n").errors
    assert [(error.line, error.code) for error in errors] == [(7, code)]
    assert hint in (errors[0].hint or "")


@pytest.mark.parametrize(
    ("name", "content", "line", "code", "words"),
    [
        ("c.csv", 'input,checks\na,none\n"b,\nb",none,more\n', 3, "ST112", "3 cells, the header has 2"),
        ("c.csv", "input,name\na\n", 2, "ST112", "1 cells"),
        ("c.csv", 'input\n"open\n', 2, "ST112", "not CSV"),
        ("c.csv", "input,input\na,b\n", 1, "ST103", "`input`"),
        ("c.csv", "", 1, "ST108", "empty"),
        ("c.csv", 'input,expected_tools\na,"[price"\n', 2, "ST112", "`expected_tools` is not JSON"),
        ("c.csv", "input,treshold\na,3\n", 2, "ST102", "`treshold`"),
        ("c.jsonl", '{"input": "a", "checks": "none"}\n{"input": "b"\n', 2, "ST112", "not JSON"),
        ("c.jsonl", '{"input": "a", "input": "b"}\n', 1, "ST112", "given twice"),
        ("c.jsonl", "[1]\n", 1, "ST112", "JSON object"),
        ("c.jsonl", '{"input": NaN}\n', 1, "ST112", "NaN"),
        ("c.jsonl", '\n\n{"input": "a", "grund_truth": "b"}\n', 3, "ST102", "`grund_truth`"),
        ("c.jsonl", '{"input": "a", "expected_tools": ["prise"]}\n', 1, "ST305", "`prise`"),
        ("c.yaml", "- {input: a, checks: none}\n- {input: ''}\n", 2, "ST404", "`input`"),
        ("c.yaml", "test_cases: []\nmodel: x\n", 2, "ST102", "`model`"),
        ("c.yaml", "just text\n", 1, "ST108", "no list of test cases"),
        ("c.yaml", "", 1, "ST108", "empty"),
        ("c.yaml", "- input: 'a\n", 1, "ST101", "quote"),
        ("c.jsonl", "", 1, "ST108", "empty"),
        ("c.jsonl", "\n \n", 1, "ST108", "empty"),
        ("c.csv", "input,checks\n", 1, "ST108", "no test case"),
        ("c.csv", "input,checks\n,\n\n", 1, "ST108", "no test case"),
        ("c.tsv", "", 1, "ST108", "empty"),
        ("c.yaml", "test_cases: []\n", 1, "ST108", "no test case"),
        ("c.json", "[]", 1, "ST108", "no test case"),
        ("c.yaml", "- input: ${NOBODY}\n  checks: none\n", 1, "ST303", "NOBODY"),
        ("c.yaml", "- input: a\n  files: [{path: gone.md, type: text}]\n", 2, "ST301", "gone.md"),
    ],
)
def test_h015_mistakes_in_a_case_file_are_told_at_file_and_line(
    load: Load, project: Path, name: str, content: str, line: int, code: str, words: str
) -> None:
    (project / name).write_text(content)
    errors = load(HEAD + PRICE + f"test_cases_file: {name}\n").errors
    assert [(error.file.name, error.line, error.code) for error in errors] == [(name, line, code)]
    assert words in errors[0].message


def test_a_key_of_a_jsonl_line_is_pointed_at(load: Load, project: Path) -> None:
    (project / "c.jsonl").write_text('{"input": "a", "grund_truth": "b"}\n')
    error = load(HEAD + "test_cases_file: c.jsonl\n").errors[0]
    assert (error.line, error.column) == (1, 16)


def test_names_are_unique_across_all_files(load: Load, project: Path) -> None:
    (project / "c.csv").write_text("name,input,checks\na,x,none\n")
    loaded = load(HEAD + "test_cases: [{name: a, input: y, checks: none}]\ntest_cases_file: c.csv\n")
    assert [(error.file.name, error.line, error.code) for error in loaded.errors] == [("c.csv", 2, "ST401")]


def test_variables_are_put_into_yaml_and_left_alone_in_data(load: Load, project: Path) -> None:
    (project / "c.yaml").write_text("- {input: '${A}', checks: none}\n")
    (project / "c.jsonl").write_text('{"input": "${A}", "checks": "none"}\n')
    loaded = load(HEAD + "test_cases_file: [c.yaml, c.jsonl]\n", {"A": "1"})
    assert inputs(loaded) == ["1", "${A}"]


def test_relative_paths_of_a_case_begin_at_the_agent_files_folder(load: Load, project: Path) -> None:
    (project / "data" / "c.yaml").write_text("- {input: a, checks: none, files: [{path: prompt.md, type: text}]}\n")
    assert load(HEAD + "test_cases_file: data/c.yaml\n").diagnostics == ()


def test_findings_of_the_agent_file_come_before_those_of_other_files(load: Load, project: Path) -> None:
    (project / "a.jsonl").write_text('{"input": ""}\n')
    loaded = load(HEAD + "description: ''\ntest_cases_file: a.jsonl\n")
    assert [error.file.name for error in loaded.errors] == ["agent.yaml", "a.jsonl"]


@given(content=st.text(max_size=80), name=st.sampled_from(["a.csv", "a.jsonl", "a.yaml", "a.tsv"]))
def test_any_content_gives_rows_or_problems_and_never_an_exception(content: str, name: str) -> None:
    rows, problems, _ = read_rows(Source(Path(name), content))
    for index in range(len(rows)):
        rows.place_of_item(index)
    for problem in problems:
        assert problem.as_text()


def test_what_is_no_regular_file_is_called_what_it_is(load: Load, project: Path) -> None:
    os.mkfifo(project / "pipe")
    for written, what in (("/dev/zero", "a device"), ("pipe", "a named pipe")):
        assert f"is {what}, and a file is needed" in load(HEAD + f"test_cases_file: {written}\n").errors[0].message


def test_a_file_without_cases_is_an_error_beside_cases_of_its_own(load: Load, project: Path) -> None:
    (project / "c.jsonl").write_text("")
    loaded = load(HEAD + "test_cases: [{input: a, checks: none}]\ntest_cases_file: c.jsonl\n")
    assert [error.code for error in loaded.errors] == ["ST108"]


@pytest.mark.parametrize(
    "keys",
    [
        'name: "a\\eb"',
        'tags: [x, "a\\eb"]',
        'checks: {contains: x, name: "a\\eb"}',
        'checks: [{contains: x, name: "a\\eb"}]',
        'evaluations: [{metric: exact, name: "a\\eb"}]',
        'name: "a\\u202Eb"',
    ],
)
def test_names_with_control_characters_are_an_error(load: Load, keys: str) -> None:
    loaded = load(HEAD + f"test_cases:\n  - input: a\n    ground_truth: x\n    {keys}\n")
    assert [(error.line, error.code) for error in loaded.errors] == [(10, "ST410")]
    assert "\x1b" not in loaded.errors[0].message


def test_a_file_name_stays_on_its_line_and_steers_no_terminal(load: Load, project: Path) -> None:
    (project / "c\x1b[2J\nd.jsonl").write_text("{}x")
    error = load(HEAD + "test_cases_file: '*.jsonl'\n").errors[0]
    assert error.location.endswith("c\\x1b[2J\\nd.jsonl:1:3")
