from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from seatrial.cli.chat.paint import Paint

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def plain(text: str, width: int = 60) -> str:
    return COLOURS.sub("", Paint().markdown(text, width))


@given(st.text(alphabet=st.sampled_from(list("ab*_`#[]()<>&;!|-\n\x1b\x07\x9b\r\u202e\u2066 0x27")), max_size=60))
def test_p017_no_markdown_makes_anything_but_colours(text: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", plain(text))


def test_characters_that_markdown_spells_are_shown_as_escapes_and_nothing_is_cut_off() -> None:
    assert plain("a&#x202e;b " + "x" * 58 + " end") == "a\\u202eb\n" + "x" * 58 + "\nend\n"


def test_links_pictures_and_html_hide_nothing() -> None:
    shown = plain("[bank](http://evil.example) ![cat](http://cat.example/c.png) <b onclick=1>c</b>", 200)
    assert shown == "bank (http://evil.example) !cat (http://cat.example/c.png) <b onclick=1>c</b>\n"
