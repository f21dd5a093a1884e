from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from seatrial.runs.encoding import pack, to_json, unpack

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(st.characters(categories=None))
    | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(categories=None)) | st.integers(), inner),
    max_leaves=10,
)


def no_constant(name: str) -> None:
    raise AssertionError(name)


@given(anything)
def test_any_value_becomes_strict_json(value: Any) -> None:
    json.loads(to_json(value).decode("utf-8"), parse_constant=no_constant)


@given(st.text())
def test_ordinary_text_is_kept_exactly(text: str) -> None:
    assert json.loads(to_json([text])) == [text]


@given(st.lists(st.text()))
def test_packing_is_undone_by_unpacking(texts: list[str]) -> None:
    document = to_json(texts)
    assert unpack(pack(document)) == document
