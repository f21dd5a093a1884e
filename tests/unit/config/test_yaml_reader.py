from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.config.conftest import HEAD, Load

from seatrial.config.located import Block, PlainText, plain
from seatrial.config.source import Source
from seatrial.config.yaml_reader import YamlDocument, read_yaml


def read(text: str) -> YamlDocument:
    return read_yaml(Source(Path("a.yaml"), text))


def data(text: str) -> Block:
    document = read(text)
    assert not document.problems, [problem.as_text() for problem in document.problems]
    assert isinstance(document.data, Block)
    return document.data


@pytest.mark.parametrize(
    "text", ["no", "Yes", "off", "0123", "3.10", "1e3", "2024-01-31", "12:30:45", "0x1F", "true", ".5", "1_000", "+3"]
)
def test_p011_a_scalar_without_quotes_keeps_the_text_of_the_file(text: str) -> None:
    assert str(data(f"key: {text}\n")["key"]) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3), ("-3", -3), ("+3", 3), ("007", 7), ("0o17", 15), ("0x1F", 31), ("3.10", 3.1), ("1e3", 1000.0),
        (".5", 0.5), ("true", True), ("False", False), (".inf", float("inf")), ("no", "no"), ("yes", "yes"),
        ("2024-01-31", "2024-01-31"), ("12:30:45", "12:30:45"), ("1_000", "1_000"), ("'3'", "3"), ('"true"', "true"),
        ("~", None), ("null", None), ("", None), ("!!str 3", "3"),
    ],
)  # fmt: skip
def test_where_anything_may_stand_numbers_and_booleans_are_those_of_yaml_1_2(text: str, value: object) -> None:
    found = plain(data(f"key: {text}\n")["key"])
    assert found == value
    assert type(found) is type(value)


def test_a_number_beyond_all_measure_is_no_crash() -> None:
    assert plain(PlainText("9" * 5000)) == float("inf")


def test_p011_a_key_given_twice_is_an_error_at_each_depth_with_both_lines() -> None:
    problems = read("a: 1\nb:\n  c: 1\n  c: 2\na: 2\n").problems
    assert [(problem.line, problem.code) for problem in problems] == [(4, "ST103"), (5, "ST103")]
    assert "line 1" in problems[1].message


def test_keys_that_old_yaml_takes_for_booleans_stay_apart() -> None:
    assert data("NO: 1\noff: 2\n1: 3\ntrue: 4\n").keys() == {"NO", "off", "1", "true"}


def test_p011_merge_keys_may_stand_twice_and_be_overridden() -> None:
    text = "x: &a {p: 1, q: 2}\ny: &b {r: 3}\nz:\n  <<: *a\n  q: 9\n  <<: *b\nl:\n  <<: [*b, *a]\n"
    document = data(text)
    assert plain(document["z"]) == {"p": 1, "q": 9, "r": 3}
    assert plain(document["l"]) == {"p": 1, "q": 2, "r": 3}


def test_a_merged_key_stands_where_it_was_written() -> None:
    document = data("x: &a\n  p: 1\nz:\n  <<: *a\n")
    assert document["z"].place_of_value("p").line == 2


def test_p011_byte_order_mark_and_windows_line_ends_are_read(load: Load) -> None:
    loaded = load(b"\xef\xbb\xbf" + HEAD.replace("\n", "\r\n").encode() + b"author: \xc3\xa9\r\n")
    assert loaded.require().author == "é"
    assert loaded.place_of(("author",)).line == 7


def test_columns_count_characters_not_bytes() -> None:
    assert data("é: {ü: 1, b: 2}\n")["é"].place_of_key("b").column == 11


@pytest.mark.parametrize(
    "text",
    [
        "x-a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"x-{n}: &{n} [{','.join(['*' + p] * 9)}]\n" for p, n in zip("abcdefgh", "bcdefghi", strict=True)),
        "a: " + "[" * 100_000,
        "- " * 100_000,
        "a: " + "{a: " * 5_000,
        "\n".join(" " * depth + "a:" for depth in range(3_000)),
        "a: [" + "*b," * 50_000 + "]",
        "a: '" + "x\n" * 200_000,
        "? " * 50_000,
        "&a " * 10_000,
        "%" * 100_000,
    ],
    ids=[
        "alias bomb",
        "brackets",
        "dashes",
        "braces",
        "indent",
        "aliases",
        "open quote",
        "questions",
        "anchors",
        "percent",
    ],
)
def test_p011_no_text_is_read_for_long(text: str) -> None:
    started = time.process_time()
    document = read(text)
    assert document.problems
    assert time.process_time() - started < 2


@pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029"])
def test_line_ends_that_editors_do_not_count_are_not_counted(mark: str) -> None:
    document = data(f"a: 'x{mark}y'\nb: {{c: 1}}\n")
    place = document["b"].place_of_key("c")
    assert (place.line, place.column) == (2, 5)


def test_what_aliases_share_is_the_same_object() -> None:
    document = data("a: &x {p: [1]}\nb: *x\n")
    assert document["a"] is document["b"]


@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"#%@`?,\\ \t\n\r\x00\x85é😀<0.~$"), max_size=60))
@example("\x85@\n")
def test_any_text_gives_data_or_problems_and_never_an_exception(text: str) -> None:
    document = read(text)
    for problem in document.problems:
        assert problem.as_text()
    plain(document.data)
