from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seatrial.config.dataset import Dataset
from seatrial.config.loader import load_agent
from seatrial.errors import ConfigError

AGENT = "name: a\nmodel: {provider: openai, name: gpt-5-mini}\ninstructions: Hi.\ntest_cases_file: cases.jsonl\n"


def dataset(folder: Path, file: str, text: str, **columns: str) -> Dataset:
    path = folder / file
    path.write_bytes(text.encode())
    return Dataset(path, columns)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'frage,antwort\n"Was, ""das""?\nOder?",ja\n'),
        ("a.csv", '\ufefffrage;antwort\r\n"Was, ""das""?\nOder?";ja\r\n'),
        ("a.tsv", 'frage\tantwort\n\n"Was, ""das""?\nOder?"\tja\n\n'),
        ("a.jsonl", '{"frage": "Was, \\"das\\"?\\nOder?", "antwort": "ja"}\n\n'),
    ],
)
def test_every_dialect_gives_the_same_case(tmp_path: Path, name: str, text: str) -> None:
    (case,) = dataset(tmp_path, name, text, input="frage", ground_truth="antwort").cases()
    assert case == {"input": 'Was, "das"?\nOder?', "ground_truth": "ja"}


def test_nested_fields_are_named_with_dots_and_what_no_case_gets_is_listed(tmp_path: Path) -> None:
    row = {"q": {"text": "Hi?", "lang": "en"}, "meta": {"id": 7}, "tags": ["a", "b"], "context": ["p 1", "p; 2"]}
    found = dataset(tmp_path, "d.jsonl", json.dumps(row), input="q.text", name="meta.id")
    assert list(found.cases()) == [
        {"input": "Hi?", "name": "7", "tags": ["a", "b"], "retrieval_context": ["p 1", "p; 2"]}
    ]
    assert found.unmapped == ("q.lang",)


def test_cells_become_lists_where_a_case_has_lists_and_the_cases_load(tmp_path: Path) -> None:
    header = "input,name,tags,context,expected_tools,files,checks\n"
    row = 'Hi?,one,a; b,"Yes; no.",,,"[{""regex"": ""x""}]"\nHo?,one,,,"[]",a.png;b.pdf,ok\n'
    cases = list(dataset(tmp_path, "d.csv", header + row).cases())
    assert cases[1]["files"] == [{"path": "a.png", "type": "image"}, {"path": "b.pdf", "type": "pdf"}]
    for name in ("a.png", "b.pdf"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "agent.yaml").write_text(AGENT)
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    first, second = load_agent(tmp_path / "agent.yaml").require().test_cases
    assert (first.tags, first.retrieval_context, second.name) == (("a", "b"), ("Yes; no.",), "one 2")
    assert [check.kind for check in (*(first.checks or ()), *(second.checks or ()))] == ["regex", "contains"]
    assert second.expected_tools == ()


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"input": "qestion"}, "did you mean `question`?; columns: question, answer"),
        ({"inputs": "question"}, "did you mean `input`?"),
        ({}, "write --map input=COLUMN; columns: question, answer"),
    ],
)
def test_a_column_that_is_not_there_is_an_error_with_those_that_are(
    tmp_path: Path, columns: dict[str, str], told: str
) -> None:
    with pytest.raises(ConfigError) as error:
        dataset(tmp_path, "d.csv", "question,answer\na,b\n", **columns)
    assert error.value.hint == told


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("d.csv", "input,b\na,b\nc\n", 3),
        ("d.csv", 'input,b\na,b\n"c\n', 3),
        ("d.csv", "input,input\na,b\n", 1),
        ("d.jsonl", '{"input": "a"}\n{"input": \n', 2),
        ("d.jsonl", '{"input": "a"}\n[]\n', 2),
    ],
)
def test_a_row_that_cannot_be_read_is_an_error_with_its_line(tmp_path: Path, name: str, text: str, line: int) -> None:
    with pytest.raises(ConfigError) as error:
        list(dataset(tmp_path, name, text).cases())
    assert [finding.line for finding in error.value.diagnostics] == [line]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"input\n"])
def test_a_file_without_rows_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "d.csv").write_bytes(content)
    with pytest.raises(ConfigError, match="holds no rows"):
        Dataset(tmp_path / "d.csv", {})


def test_rows_that_can_be_no_case_are_told_with_their_lines(tmp_path: Path) -> None:
    found = dataset(tmp_path, "d.csv", f'input,files\n,x\n"{"x" * 5001}",\nok,a.odd\n')
    assert list(found.cases()) == [{"input": "ok"}]
    assert [(note.place.line, note.what) for note in found.notes.in_order()] == [
        (2, "`files`"),
        (2, "the row"),
        (3, "the row"),
        (4, "`files`"),
    ]


texts = st.text(max_size=8)
rows = st.lists(
    st.dictionaries(
        st.sampled_from(["input", "name", "tags", "files", "checks", "x"]),
        texts | st.integers() | st.lists(texts, max_size=2) | st.none(),
    ),
    min_size=1,
    max_size=5,
)


@given(rows=rows)
@settings(max_examples=60, deadline=None)
def test_random_rows_become_cases_or_notes(
    rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("rows") / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    try:
        found = Dataset(path, {})
    except ConfigError:
        return
    cases = list(found.cases())
    refused = [note for note in found.notes.in_order() if note.what == "the row"]
    assert len(cases) + len(refused) == len(rows)
