from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.documents.base import Limits, ReadOptions
from seatrial.documents.json_values import JsonLinesReader, JsonReader
from seatrial.errors import DocumentError


def fields(document) -> list[object]:
    return [dict(record.fields) for record in document.records]


def test_jsonl_reads_around_marks_blank_lines_and_line_ends(read) -> None:
    document = read(
        "a.jsonl", b'\xef\xbb\xbf{"text":"alpha","n":1}\n\n   \n{"text":"beta","n":NaN}\r\n{"text":"gamma"}'
    )
    assert fields(document) == [{"text": "alpha", "n": 1}, {"text": "beta", "n": None}, {"text": "gamma"}]
    assert [record.line for record in document.records] == [1, 4, 5]


def test_p013_a_broken_line_is_told_with_its_number_and_the_others_kept(read) -> None:
    document = read("a.jsonl", '{"text":"one"}\n\n{"text":"two",}\n{"text":"three"}\n')
    assert fields(document) == [{"text": "one"}, {"text": "three"}]
    assert str(document.problems[0]).startswith("a.jsonl:3: line 3 is not JSON")


def test_a_file_without_one_good_line_is_an_error_with_the_first_place(read) -> None:
    with pytest.raises(DocumentError, match=r"a\.jsonl:2"):
        read("a.jsonl", "\nnot json\n{\n")


def test_lines_that_are_not_objects_become_records_too(read) -> None:
    assert fields(read("a.jsonl", '"words"\n7\n')) == [{"text": "words"}, {"value": 7}]


def test_broken_json_names_line_and_column(read) -> None:
    with pytest.raises(DocumentError, match=r"a\.json:2:8: this is not JSON"):
        read("a.json", '{\n  "a": }')


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 2}]),
        ({"meta": 1, "items": [{"a": 1}, {"a": 2}]}, [{"a": 1}, {"a": 2}]),
        ({"a": 1, "tags": ["x"]}, [{"a": 1, "tags": ["x"]}]),
        (["x", "y"], [{"text": "x"}, {"text": "y"}]),
        ({"one": [{"a": 1}], "two": [{"a": 2}]}, [{"one": [{"a": 1}], "two": [{"a": 2}]}]),
    ],
)
def test_the_records_of_a_json_value_are_found(read, value: object, expected: list[object]) -> None:
    assert fields(read("a.json", json.dumps(value))) == expected


def test_h006_record_path_leads_with_dots_and_through_lists(read) -> None:
    shops = {"data": {"shops": [{"name": "N", "items": [{"a": 1}]}, {"name": "S", "items": [{"a": 2}, {"a": 3}]}]}}
    document = read("a.json", json.dumps(shops), record_path="data.shops.items")
    assert fields(document) == [{"a": 1}, {"a": 2}, {"a": 3}]
    assert [record.enclosing[-1]["name"] for record in document.records] == ["N", "S", "S"]


def test_h006_a_record_path_that_leads_nowhere_names_the_keys_there(read) -> None:
    with pytest.raises(DocumentError, match="stops at 'itms'") as caught:
        read("a.json", '{"data": {"items": []}}', record_path="data.itms")
    assert caught.value.hint == "the keys there are: items"


def test_h006_record_path_works_within_each_line(read) -> None:
    document = read("a.jsonl", '{"rows":[{"a":1},{"a":2}]}\n{"rows":[{"a":3}]}\n', record_path="rows")
    assert [(record.place, dict(record.fields)) for record in document.records] == [
        ("record 1", {"a": 1}),
        ("record 2", {"a": 2}),
        ("record 3", {"a": 3}),
    ]


def test_deep_nesting_and_endless_numbers_are_errors_and_not_crashes(read) -> None:
    with pytest.raises(DocumentError, match="nested too deeply"):
        read("a.json", "[" * 200_000 + "]" * 200_000)
    with pytest.raises(DocumentError, match="number is too long"):
        read("a.json", "[" + "9" * 5000 + "]")


def test_too_many_records_are_refused(read) -> None:
    with pytest.raises(DocumentError, match="3 records, the limit is 2"):
        read("a.json", "[1,2,3]", limits=Limits(max_records=2))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(max_size=5), _JSON, max_size=4), min_size=1, max_size=6))
def test_objects_written_as_lines_are_read_back(objects: list[dict[str, object]]) -> None:
    data = "\n".join(json.dumps(item, ensure_ascii=False) for item in objects).encode("utf-8", "surrogatepass")
    assert fields(JsonLinesReader().read(data, "t.jsonl", ReadOptions())) == objects


@given(st.binary(max_size=200))
def test_any_bytes_give_records_or_a_document_error(data: bytes) -> None:
    for reader in (JsonReader(), JsonLinesReader()):
        try:
            document = reader.read(data, "t", ReadOptions())
        except DocumentError:
            continue
        assert document.records is not None
