from __future__ import annotations

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seatrial.documents.base import Limits, ReadOptions
from seatrial.documents.delimited import DelimitedReader
from seatrial.errors import DocumentError


def test_p013_values_stay_what_they_are(read) -> None:
    document = read("a.csv", "id,amount,when,flag\n007,1.50,2026-01-05,NO\n010,,12:30,true\n")
    assert document.rows == (
        ("id", "amount", "when", "flag"),
        ("007", "1.50", "2026-01-05", "NO"),
        ("010", "", "12:30", "true"),
    )
    assert "| 007 | 1.50 | 2026-01-05 | NO |" in document.text


def test_a_byte_order_mark_before_a_quoted_header_is_not_part_of_the_name(read) -> None:
    document = read("a.csv", b'\xef\xbb\xbf"id","said"\r\n1,"so ""it"" is,\r\nisn\'t it"\r\n')
    assert document.records[0].fields == {"id": "1", "said": 'so "it" is,\r\nisn\'t it'}
    assert '| 1 | so "it" is,<br>isn\'t it |' in document.text


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_also_where_others_stand_in_the_cells(read, delimiter: str) -> None:
    lines = [["name", "price", "note"], ["cup", "1,50", "a; b"], ["pot", "2,75", "c; d, e"]]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(lines)
    assert read("a.csv", out.getvalue()).rows == tuple(map(tuple, lines))


def test_h020_a_given_delimiter_is_followed(read) -> None:
    assert read("a.csv", "a:b,c\n1:2,3\n", delimiter=":").rows == (("a", "b,c"), ("1", "2,3"))
    assert read("a.csv", "a\tb\n1\t2\n", delimiter="\\t").rows[1] == ("1", "2")
    with pytest.raises(DocumentError, match="'::' is no delimiter"):
        read("a.csv", "a::b\n", delimiter="::")


def test_a_first_line_that_names_the_delimiter_is_followed_and_is_no_row(read) -> None:
    document = read("a.csv", "sep=;\r\na;b,c\r\n1;2,3\r\n")
    assert document.rows == (("a", "b,c"), ("1", "2,3"))
    assert document.records[0].line == 3


def test_a_single_column_is_a_table_too(read) -> None:
    assert read("a.csv", "word\nalpha\nbeta\n").rows == (("word",), ("alpha",), ("beta",))


def test_p013_rows_that_do_not_fit_the_header_are_kept_and_told(read) -> None:
    document = read("a.csv", "a,b\n1\n2,3\n4,5,6\n")
    assert [record.fields for record in document.records] == [
        {"a": "1", "b": ""},
        {"a": "2", "b": "3"},
        {"a": "4", "b": "5", "column 3": "6"},
    ]
    assert [str(problem) for problem in document.problems] == [
        "a.csv:2: this row has 1 cells, the header has 2",
        "a.csv:4: this row has 3 cells, the header has 2",
    ]


def test_many_uneven_rows_do_not_flood_the_report(read) -> None:
    document = read("a.csv", "a,b\n" + "1\n" * 500)
    assert len(document.problems) == 21
    assert "480 more rows" in str(document.problems[-1])


def test_a_quote_that_never_closes_loses_no_line(read) -> None:
    document = read("a.csv", 'a,b\n1,x\n2,"open\n3,y\n4,z\n')
    assert [row[0] for row in document.rows] == ["a", "1", "2", "3", "4"]
    assert "a.csv:3" in str(document.problems[0])
    assert "never closed" in str(document.problems[0])


def test_a_quote_inside_an_unquoted_cell_is_a_plain_character(read) -> None:
    assert read("a.csv", 'id,json\n1,{"answer":"x"}\n').rows[1] == ("1", '{"answer":"x"}')


def test_p013_title_rows_stand_above_the_table(read) -> None:
    document = read("a.csv", "Price list 2026,,\n,,\nsku,name,price\nA1,Cup,2.50\n")
    assert document.text.startswith("Price list 2026\n\n| sku | name | price |")
    assert document.records[0].fields == {"sku": "A1", "name": "Cup", "price": "2.50"}
    assert document.records[0].line == 4


def test_a_header_with_one_name_is_no_title(read) -> None:
    document = read("a.csv", "name,\nAnn,3\nBob,4\n")
    assert [dict(record.fields) for record in document.records] == [
        {"name": "Ann", "column 2": "3"},
        {"name": "Bob", "column 2": "4"},
    ]


def test_a_table_without_a_header_keeps_its_first_row(read) -> None:
    document = read("a.csv", "1,2\n3,4\n")
    assert [record.fields for record in document.records] == [
        {"column 1": "1", "column 2": "2"},
        {"column 1": "3", "column 2": "4"},
    ]


def test_column_names_that_repeat_or_are_blank_are_told_apart(read) -> None:
    assert list(read("a.csv", "n,n,,n (2)\na,b,c,d\n").records[0].fields) == ["n", "n (2)", "column 3", "n (2) (2)"]


def test_records_know_the_line_they_start_on(read) -> None:
    document = read("a.csv", 'a,b\n1,"two\nlines"\n\n2,x\n')
    assert [(record.place, record.line) for record in document.records] == [("record 1", 2), ("record 2", 5)]


def test_an_empty_table_is_an_error(read) -> None:
    with pytest.raises(DocumentError, match=r"a\.csv is empty"):
        read("a.csv", "\n\n")
    with pytest.raises(DocumentError, match="no cell that holds anything"):
        read("a.csv", ",,\n,,\n")


def test_too_many_rows_are_refused(read) -> None:
    with pytest.raises(DocumentError, match="4 rows, the limit is 3"):
        read("a.csv", "a\n1\n2\n3\n", limits=Limits(max_records=3))


_CELL = st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\",;|\t '"), max_size=12)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    body=st.lists(st.lists(_CELL, min_size=3, max_size=3), min_size=1, max_size=8),
    delimiter=st.sampled_from([",", ";", "\t"]),
)
def test_whatever_a_csv_writer_wrote_is_read_back(body: list[list[str]], delimiter: str) -> None:
    header = ["alpha", "beta", "gamma"]
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([header, *body])
    document = DelimitedReader().read(out.getvalue().encode(), "t.csv", ReadOptions())
    kept = [tuple(row) for row in body if any(cell.strip() for cell in row)]
    assert document.rows == (tuple(header), *kept)


@given(st.binary(max_size=300))
def test_any_bytes_give_a_document_or_a_document_error(data: bytes) -> None:
    try:
        document = DelimitedReader().read(data, "t.csv", ReadOptions())
    except DocumentError:
        return
    assert document.rows is not None
