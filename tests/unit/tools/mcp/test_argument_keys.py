"""Arguments whose names an API does not take."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from seatrial.tools.mcp.argument_keys import ArgumentKeys


def test_odd_names_are_made_legal_and_led_back() -> None:
    schema = {"type": "object", "properties": {"user id": {}, "user_id": {}, "$top": {}}, "required": ["$top"]}
    keys = ArgumentKeys.of(schema)
    offered = keys.offered(schema)
    assert list(offered["properties"])[1:] == ["user_id", "_top"]
    assert offered["required"] == ["_top"]
    named: dict[str, Any] = dict(zip(offered["properties"], "abc", strict=True))
    assert keys.original(named) == {"user id": "a", "user_id": "b", "$top": "c"}
    assert list(schema["properties"]) == ["user id", "user_id", "$top"]


def test_a_schema_of_plain_names_stays_the_same_object() -> None:
    schema = {"type": "object", "properties": {"a.b-c": {}}}
    assert ArgumentKeys.of(schema).offered(schema) is schema


@given(st.lists(st.text(max_size=70), unique=True, max_size=6))
def test_no_two_arguments_ever_have_one_name(names: list[str]) -> None:
    schema = {"properties": {name: {} for name in names}}
    keys = ArgumentKeys.of(schema)
    offered = keys.offered(schema)["properties"]
    assert len(offered) == len(names)
    assert keys.original(dict.fromkeys(offered, 1)) == dict.fromkeys(names, 1)
