from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.formats.sse import SseReader

STREAM = (
    b'\xef\xbb\xbf: keep-alive\r\n\r\nevent: message\ndata: {"a":1}\n\ndata:no blank\r\rid: 7\nretry: 10\ndata: two\n'
    b"data: lines\r\n\r\ndata\n\n: comment\ndata:  \xf0\x9f\x98\x80 kept\n\ndata: last without its blank line"
)
EVENTS = [b'{"a":1}', b"no blank", b"two\nlines", b"", " 😀 kept".encode(), b"last without its blank line"]


def read(pieces: list[bytes]) -> list[bytes]:
    reader = SseReader()
    events = [event for piece in pieces for event in reader.feed(piece)]
    return events + reader.end()


def test_p002_case_64_every_line_end_comment_and_field_is_read() -> None:
    assert read([STREAM]) == EVENTS


def test_p002_byte_by_byte_gives_the_same_events() -> None:
    assert read([STREAM[at : at + 1] for at in range(len(STREAM))]) == EVENTS


@pytest.mark.parametrize("cut", range(len(STREAM)))
def test_p002_every_cut_in_two_gives_the_same_events(cut: int) -> None:
    assert read([STREAM[:cut], STREAM[cut:]]) == EVENTS


@given(st.text(alphabet="da:t \r\n\ufeffx", max_size=60).map(str.encode), st.lists(st.integers(0, 200), max_size=8))
def test_p002_no_cut_changes_what_is_read(stream: bytes, places: list[int]) -> None:
    cuts = sorted({place % (len(stream) + 1) for place in places})
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert read(pieces) == read([stream])


def test_an_event_is_told_as_soon_as_its_blank_line_is_there() -> None:
    reader = SseReader()
    assert reader.feed(b"data: one\n") == []
    assert reader.feed(b"\n") == [b"one"]
    assert reader.feed(b"data: two\r\n\r") == [b"two"]
    assert reader.feed(b"\ndata: three\n\n") == [b"three"]
