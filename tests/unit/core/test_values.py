"""Any value that a function returns, as a model reads it."""

import base64
import enum
import json
import math
import uuid
from collections import deque, namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from seatrial.core.content import ImageContent, TextContent
from seatrial.core.result_blocks import blocks_of
from seatrial.core.values import plain, text_of_value

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20
Point = namedtuple("Point", "x y")


class Level(enum.IntEnum):
    LOW = 1


@dataclass
class Stop:
    name: str
    when: date


class Price(BaseModel):
    amount: Decimal


class Row(msgspec.Struct):
    a: int


class Bare:
    def __init__(self) -> None:
        self.shown = 1
        self._hidden = 2


class Canvas:
    def _repr_png_(self) -> bytes:
        return PNG


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("ready — 10 €", "ready — 10 €"),
        (None, "(no output)"),
        ("", "(no output)"),
        ([], "[]"),
        (True, "true"),
        (3, "3"),
        (Level.LOW, "1"),
        (datetime(2026, 3, 1, 9, 30, tzinfo=UTC), "2026-03-01T09:30:00+00:00"),
        (Decimal("19.90"), "19.90"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Path("a/b.txt"), "a/b.txt"),
        ("Grüße".encode(), "Grüße"),
        (b"\xff\x00\xfe", "(3 bytes of binary data)"),
        ({3, 1, 2}, "[1, 2, 3]"),
        (deque([1, 2]), "[1, 2]"),
        (range(3), "[0, 1, 2]"),
        ({"v": math.nan, "w": -math.inf}, '{"v": "NaN", "w": "-Infinity"}'),
        ({1: "a", (2, 3): "b", None: "c"}, '{"1": "a", "(2, 3)": "b", "null": "c"}'),
        (Stop("Oslo", date(2026, 1, 2)), '{"name": "Oslo", "when": "2026-01-02"}'),
        (Price(amount=Decimal("1.10")), '{"amount": "1.10"}'),
        (Row(4), '{"a": 4}'),
        (Point(1, 2), '{"x": 1, "y": 2}'),
        (Bare(), '{"shown": 1}'),
        (ValueError("no"), "ValueError: no"),
        ({"f": np.float32(0.5), "i": np.int64(7), "a": np.arange(2), "b": np.bool_(True)}, None),
    ],
)
def test_p008_every_value_becomes_readable_text(value: Any, text: str | None) -> None:
    wanted = text if text is not None else '{"f": 0.5, "i": 7, "a": [0, 1], "b": true}'
    assert blocks_of(value) == (TextContent(wanted),)


def test_p008_a_value_that_holds_itself_is_told_not_followed() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    assert text_of_value(loop) == '[1, "(refers to itself)"]'


def test_p008_a_shared_value_is_told_twice() -> None:
    shared = {"a": 1}
    assert text_of_value([shared, shared]) == '[{"a": 1}, {"a": 1}]'


def test_p008_keys_that_look_alike_are_both_kept() -> None:
    assert plain({1: "number", "1": "text"}) == {"1": "number", "'1'": "text"}


def test_p008_deep_values_end_somewhere() -> None:
    deep: Any = 0
    for _ in range(5_000):
        deep = [deep]
    assert "nested too deep" in text_of_value(deep)


def test_pictures_become_image_blocks_and_mix_with_text() -> None:
    picture = ImageContent(base64.b64encode(PNG).decode(), "image/png")
    assert blocks_of(PNG) == (picture,)
    assert blocks_of(Canvas()) == (picture,)
    assert blocks_of(["Here it is:", PNG]) == (TextContent("Here it is:"), picture)
    assert blocks_of((TextContent("a"), picture)) == (TextContent("a"), picture)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates() | st.uuids(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.text() | st.integers() | st.none(), inner) | st.tuples(inner)
        ),
        max_leaves=20,
    )
)
def test_p008_what_is_not_text_is_strict_json(value: Any) -> None:
    json.loads(json.dumps(plain(value), allow_nan=False))
    assert all(block.text for block in blocks_of(value) if isinstance(block, TextContent))
