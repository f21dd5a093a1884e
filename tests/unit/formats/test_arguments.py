from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.formats.arguments import LooseJsonError, read_arguments, read_loose

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=5)


@pytest.mark.parametrize("raw", [None, "", "  \n", "null", " null ", {}, "{}", '""', '"{}"', '{}""', "{}''"])
def test_p003_case_3_nothing_means_no_arguments(raw: Any) -> None:
    read = read_arguments(raw)
    assert (read.arguments, read.error) == ({}, None)


def test_case_2_an_object_is_taken_as_it_is() -> None:
    assert read_arguments({"city": "Rome"}).arguments == {"city": "Rome"}


@pytest.mark.parametrize(
    ("text", "number"),
    [('{"a": Infinity}', "inf"), ('{"a": [1, {"b": NaN}]}', "nan"), ('{"a": -1e999, "c": null}', "inf")],
)
def test_numbers_that_json_cannot_keep_are_refused_as_an_object_and_as_text(text: str, number: str) -> None:
    as_object, as_text = read_arguments(json.loads(text)), read_arguments(text)
    assert as_object.arguments == as_text.arguments == {}
    assert as_text.error is not None
    assert number in (as_object.error or "")


def test_a_number_is_kept_whole_or_refused_in_either_form() -> None:
    for digits in (30, 400, 3900):
        number = int("7" * digits)
        assert (
            read_arguments({"a": number}).arguments == read_arguments(f'{{"a": {number}}}').arguments == {"a": number}
        )
    assert "digits" in (read_arguments({"a": 10**4400}).error or "")
    assert read_arguments('{"a": 1' + "0" * 4400 + "}").error


def test_case_1_the_text_is_kept_as_it_came() -> None:
    read = read_arguments('{"a":  1}')
    assert (read.arguments, read.text, read.is_repaired) == ({"a": 1}, '{"a":  1}', False)


@pytest.mark.parametrize("raw", ["[1,2,3]", '"abc"', "42", "true", [1], 5, True, '"[1]"', "'abc'"])
def test_what_is_no_object_is_an_error(raw: Any) -> None:
    read = read_arguments(raw)
    assert read.arguments == {}
    assert "must be a JSON object" in (read.error or "") or "not valid JSON" in (read.error or "")


def test_case_8_an_object_in_a_string_is_decoded_once() -> None:
    once = json.dumps({"city": "Rome"})
    assert read_arguments(json.dumps(once)).arguments == {"city": "Rome"}
    assert read_arguments(json.dumps(json.dumps(once))).error is not None


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ('{"q":"a, }b", "n":1,}', {"q": "a, }b", "n": 1}),
        ('{"q": [1, 2,],}', {"q": [1, 2]}),
        ('```json\n{"q":"x"}\n```', {"q": "x"}),
        ('```\n{"q":"x"}```', {"q": "x"}),
        ("{'q': \"what's new\"}", {"q": "what's new"}),
        ("{'q': 'it\\'s'}", {"q": "it's"}),
        ('{"q":"two\nlines\tand a tab"}', {"q": "two\nlines\tand a tab"}),
        ('{"q": True, "r": None, "s": False}', {"q": True, "r": None, "s": False}),
        ("{q: 1, other-key: 2, $k: 3}", {"q": 1, "other-key": 2, "$k": 3}),
        (r'{"path": "C:\dir\new"}', {"path": "C:\\dir\new"}),
        (r'{"re": "\d+\s"}', {"re": "\\d+\\s"}),
        ('{"a": 1}""', {"a": 1}),
        ('\ufeff{"a": 1}', {"a": 1}),
        (r'{"smile": "\ud83d\ude00",}', {"smile": "😀"}),
        ('{"n": -1.5e3,}', {"n": -1500.0}),
    ],
)
def test_cases_6_9_slips_in_whole_text_are_mended(raw: str, arguments: dict[str, Any]) -> None:
    read = read_arguments(raw)
    assert read.error is None
    assert read.arguments == arguments
    assert read.is_repaired
    assert read.text == raw


@pytest.mark.parametrize(
    "raw",
    [
        '{"memo": "Told the "boss", no reply yet."}',
        '{"a": "he said "x"", "b": 1}',
        "{'q': 'what's new'}",
        '{"a": 1}{"b": 2}',
        '{"a": 1} and then some',
        'Here you are: {"a": 1}',
        '{"a": Bangkok}',
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        '{"a": 1e999}',
        '{"a": 01}',
        '{"a": .5}',
        '{"a": 1.2.3}',
        '{"a": NaN}',
        '{"a":: 1}',
        "{,}",
        "{1: 2}",
        "}",
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(raw: str) -> None:
    read = read_arguments(raw)
    assert read.arguments == {}
    assert read.error is not None
    assert not read.is_repaired


@pytest.mark.parametrize(
    "raw", ['{"city": "Bang', '{"city": ', '{"city"', "{", '{"a": [1, 2', '{"a": 1', '{"a": 1,', "{'"]
)
def test_p003_cut_text_is_never_completed(raw: str) -> None:
    read = read_arguments(raw)
    assert read.arguments == {}
    assert "cut off" in (read.error or "")


@given(OBJECTS, st.data())
def test_no_beginning_of_an_object_is_taken_for_the_object(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text) - 1))
    assert read_arguments(text[:cut]).error is not None


@given(OBJECTS)
def test_every_object_comes_back_from_its_text(value: dict[str, Any]) -> None:
    assert read_arguments(json.dumps(value)).arguments == value
    assert read_arguments(json.dumps(value, ensure_ascii=False)).arguments == value
    assert read_arguments(json.dumps(json.dumps(value))).arguments == value


@given(JSON)
def test_the_patient_reader_agrees_with_the_strict_one(value: Any) -> None:
    assert read_loose(json.dumps(value)) == value
    assert read_loose(json.dumps(value, indent=1)) == value


@given(OBJECTS)
def test_python_literals_are_read_where_json_is_expected(value: dict[str, Any]) -> None:
    text = repr(value)
    if "\\x" in text or "\\U" in text:
        return
    assert read_arguments(text).arguments == value


@given(st.text() | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_no_text_raises(text: str) -> None:
    read = read_arguments(text)
    assert read.error is None or read.arguments == {}


def test_case_11_an_error_about_two_megabytes_stays_small() -> None:
    read = read_arguments('{"a": "' + "x" * 2_000_000)
    assert len(read.error or "") < 2000
    assert "2000007" not in (read.error or "") or "characters" in (read.error or "")


def test_deep_nesting_is_an_error_and_not_a_crash() -> None:
    assert read_arguments('{"a":' * 50_000).error is not None
    assert read_arguments('{"a":' * 50_000 + "1" + "}" * 50_000).error is not None
    with pytest.raises(LooseJsonError):
        read_loose("[" * 50_000)
