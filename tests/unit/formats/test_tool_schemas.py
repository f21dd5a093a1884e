"""What every API takes of a tool's parameters."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.core.model import ToolSpec
from seatrial.core.schema import compiled
from seatrial.formats.tool_forms import TOOL_FORMS
from seatrial.formats.tool_schemas import offered_parameters

TEXT = {"type": "string"}


def test_a_schema_that_all_take_is_sent_as_it_is() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"a": {"type": "array", "items": TEXT}, "b": {"anyOf": [TEXT, {"type": "null"}]}},
        "required": ["a"],
    }
    assert offered_parameters(schema) is schema


@pytest.mark.parametrize(
    ("schema", "offered"),
    [
        ({}, {"type": "object", "properties": {}}),
        ({"type": "object"}, {"type": "object", "properties": {}}),
        (
            {"type": "object", "properties": {"a": {"type": "array"}}},
            {"type": "object", "properties": {"a": {"type": "array", "items": {}}}},
        ),
        (
            {"$ref": "#/$defs/In", "$defs": {"In": {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}}},
            {
                "$defs": {"In": {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}},
                "type": "object",
                "properties": {"a": TEXT},
                "required": ["a"],
            },
        ),
        (
            {
                "anyOf": [
                    {"properties": {"a": TEXT, "b": TEXT}, "required": ["a", "b"]},
                    {"properties": {"b": TEXT}, "required": ["b"]},
                ]
            },
            {"type": "object", "properties": {"b": TEXT, "a": TEXT}, "required": ["b"]},
        ),
        (
            {"type": "object", "allOf": [{"properties": {"a": TEXT}, "required": ["a"]}, {"properties": {"b": TEXT}}]},
            {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["a"]},
        ),
    ],
)  # fmt: skip
def test_what_an_api_refuses_becomes_what_it_takes(schema: dict[str, Any], offered: dict[str, Any]) -> None:
    before = repr(schema)
    assert offered_parameters(schema) == offered
    assert repr(schema) == before


def test_a_schema_that_refers_to_itself_ends() -> None:
    schema = {"$ref": "#", "properties": {"a": {"$ref": "#"}}}
    assert offered_parameters(schema)["properties"] == {"a": {"$ref": "#"}}


def test_a_reference_to_another_place_is_not_followed() -> None:
    assert offered_parameters({"$ref": "https://example.org/s.json"}) == {"type": "object", "properties": {}}


def test_a_reference_to_another_document_is_left_out_wherever_it_stands() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "https://example.org/s.json"}, "b": {"$ref": "#/$defs/b"}}}
    assert offered_parameters(schema)["properties"] == {"a": {}, "b": {"$ref": "#/$defs/b"}}


def test_references_that_branch_at_every_step_are_followed_once() -> None:
    twice = {f"n{step}": {"allOf": [{"$ref": f"#/$defs/n{step + 1}"}] * 2} for step in range(40)}
    schema = {"$ref": "#/$defs/n0", "$defs": {**twice, "n40": {"properties": {"a": TEXT}, "required": ["a"]}}}
    offered = offered_parameters(schema)
    assert offered["properties"] == {"a": TEXT}
    assert offered["required"] == ["a"]


def test_what_all_alternatives_share_by_reference_is_needed() -> None:
    schema = {
        "$defs": {"base": {"properties": {"id": TEXT}, "required": ["id"]}},
        "oneOf": [
            {"allOf": [{"$ref": "#/$defs/base"}, {"properties": {"a": TEXT}, "required": ["a"]}]},
            {"allOf": [{"$ref": "#/$defs/base"}, {"properties": {"b": TEXT}, "required": ["b"]}]},
        ],
    }
    offered = offered_parameters(schema)
    assert set(offered["properties"]) == {"id", "a", "b"}
    assert offered["required"] == ["id"]


SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([{}, True, TEXT, {"type": "array"}, {"$ref": "#/$defs/a"}, None, "x"]),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", ["object", "null"]]),
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "required": st.lists(st.sampled_from("ab")),
            "anyOf": st.lists(inner, max_size=2),
            "allOf": st.lists(inner, max_size=2),
            "items": inner,
            "$defs": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
        },
    ),
    max_leaves=8,
)


@given(SCHEMAS.filter(lambda schema: isinstance(schema, dict)))
def test_whatever_a_server_lists_has_a_root_that_every_api_takes(schema: dict[str, Any]) -> None:
    offered = offered_parameters(schema)
    assert offered["type"] == "object"
    assert isinstance(offered["properties"], dict)
    assert not {"anyOf", "oneOf", "allOf", "$ref"} & offered.keys()
    assert set(offered.get("required", ())) <= offered["properties"].keys()
    assert offered_parameters(offered) == offered


@pytest.mark.parametrize("form", sorted(TOOL_FORMS))
def test_every_api_is_sent_that_form(form: str) -> None:
    sent = TOOL_FORMS[form](ToolSpec("t", "d", {"oneOf": [{"properties": {"a": TEXT}}]}))
    parameters = sent.get("parameters") or sent.get("input_schema") or sent["function"]["parameters"]
    assert parameters == {"type": "object", "properties": {"a": TEXT}}
    assert compiled(parameters).problem is None
