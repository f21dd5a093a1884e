"""Arguments against their schema."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.simple_tools import INTEGER, STRING, tool

from seatrial.core.agent import Agent
from seatrial.core.content import ToolCall
from seatrial.core.schema import check_against, compiled, problems_of, validate_required_args, validate_tool_arguments
from seatrial.errors import ToolArgumentError
from seatrial.providers.scripted import calls, says, scripted


def only(schema: dict[str, Any], value: Any) -> Any:
    checked = check_against({"type": "object", "properties": {"it": schema}}, {"it": value})
    return checked.problems[0] if checked.problems else checked.arguments["it"]


def test_y023_missing_arguments_are_named_in_the_schemas_order() -> None:
    schema = {"required": ["b", "a", "c"]}
    assert validate_required_args({"a": None}, schema) == "Missing required arguments: b, c"
    assert validate_required_args({"a": 1, "b": 2, "c": 3}, schema) is None
    assert validate_required_args({}, {}) is None


def test_y024_arguments_are_coerced_into_a_dict_of_their_own() -> None:
    given = {"n": "3", "tags": ["a"]}
    call = ToolCall("1", "a", given)
    numbered = tool("a", properties={"n": INTEGER, "tags": {"type": "array"}})
    checked = validate_tool_arguments(numbered, call)
    assert checked == {"n": 3, "tags": ["a"]}
    checked["tags"].append("b")
    assert given == {"n": "3", "tags": ["a"]}


def test_y024_all_problems_are_told_at_once_with_their_paths() -> None:
    schema = {
        "type": "object",
        "properties": {"n": INTEGER, "unit": {"enum": ["C", "F"]}, "to": {"type": "array", "items": INTEGER}},
    }
    numbered = tool("a", schema=schema)
    with pytest.raises(ToolArgumentError) as caught:
        validate_tool_arguments(numbered, ToolCall("1", "a", {"n": "one", "unit": "K", "to": [1, "x"]}))
    assert isinstance(caught.value, ValueError)
    for words in ("n: ", "unit: ", "to[1]: ", '"one"', '"C"'):
        assert words in caught.value.message


@pytest.mark.parametrize(("arguments", "told"), [({}, "a, b"), ({"b": 1}, "a")])
async def test_edge_080_missing_arguments_are_told_in_the_exact_words(arguments: dict[str, int], told: str) -> None:
    ran: list[object] = []
    strict = tool("t", lambda a, _: ran.append(a), properties={"a": INTEGER, "b": INTEGER})
    result = await Agent(scripted(calls("t", **arguments), says("ok")), tools=[strict]).run("go")
    assert result.transcript.tool_results[0].text == f"Missing required arguments: {told}"
    assert ran == []


def test_edge_080_a_key_that_holds_null_is_present_and_judged_by_its_type() -> None:
    strict = tool("t", properties={"a": INTEGER, "b": {"type": ["integer", "null"]}})
    with pytest.raises(ToolArgumentError, match="a: null is not of type"):
        validate_tool_arguments(strict, ToolCall("1", "t", {"a": None, "b": None}))


ARRAY = {"type": "array", "items": STRING}
OPTIONAL = {"anyOf": [INTEGER, {"type": "null"}]}


@pytest.mark.parametrize(
    ("schema", "value", "coerced"),
    [
        (INTEGER, "1", 1),
        (INTEGER, "-12", -12),
        (INTEGER, "3.0", 3),
        (INTEGER, 3.0, 3),
        ({"type": "number"}, "3", 3),
        ({"type": "number"}, "-2.5e3", -2500.0),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "False", False),
        (ARRAY, "x", ["x"]),
        (ARRAY, '["a"]', ["a"]),
        ({"type": "array", "items": INTEGER}, "[1, 2]", [1, 2]),
        ({"type": "array", "items": INTEGER}, "12", [12]),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        (OPTIONAL, "4", 4),
        (OPTIONAL, 4.0, 4),
        (OPTIONAL, None, None),
        ({"type": "integer", "enum": [1, 2]}, "2", 2),
        ({"anyOf": [ARRAY, {"type": "null"}]}, "x", ["x"]),
        ({"type": "object", "properties": {"n": INTEGER}}, {"n": "7"}, {"n": 7}),
        ({"type": ["integer", "string"]}, "7", "7"),
        (STRING, "7", "7"),
        ({"type": "number"}, 3.0, 3.0),
    ],
)
def test_edge_081_what_loses_nothing_is_coerced(schema: dict[str, Any], value: Any, coerced: Any) -> None:
    made = only(schema, value)
    assert made == coerced
    assert type(made) is type(coerced)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (INTEGER, "one"),
        (INTEGER, ""),
        (INTEGER, 1.5),
        (INTEGER, "1.5"),
        (INTEGER, "007"),
        (INTEGER, " 1"),
        (INTEGER, "1_000"),
        (INTEGER, "\u0661"),
        (INTEGER, True),
        ({"type": "number"}, "nan"),
        ({"type": "number"}, "1e999"),
        ({"type": "boolean"}, "yes"),
        ({"type": "boolean"}, 1),
        (ARRAY, None),
        (STRING, 7),
        ({"type": "object"}, "[1]"),
        ({"type": "object"}, "{"),
    ],
)
def test_edge_081_what_would_be_a_guess_is_an_error_with_its_path(schema: dict[str, Any], value: Any) -> None:
    told = only(schema, value)
    assert isinstance(told, str)
    assert told.startswith("it: ")


async def test_edge_083_an_argument_that_the_schema_forbids_is_left_out_with_a_warning() -> None:
    seen: list[object] = []
    closed = tool("t", lambda a, _: seen.append(a), properties={"a": INTEGER}, schema={"additionalProperties": False})
    result = await Agent(scripted(calls("t", a=1, colour="red"), says("ok")), tools=[closed]).run("go")
    assert seen == [{"a": 1}]
    assert result.warnings == ("t: the argument 'colour' is unknown and was left out",)
    assert result.transcript.tool_results[0].arguments == {"a": 1}


def test_edge_083_an_open_schema_lets_further_arguments_through() -> None:
    assert check_against({"type": "object"}, {"more": 1}).arguments == {"more": 1}


async def test_edge_084_a_tools_own_check_speaks_first() -> None:
    def check(arguments: dict[str, Any]) -> str | None:
        if arguments.get("n") == 0:
            raise ZeroDivisionError("n")
        return "n is odd" if int(arguments["n"]) % 2 else None

    checked = tool("t", properties={"n": INTEGER}, check=check)
    model = scripted(calls("t", n=1), calls("t", n=2), calls("t", n=0), calls("t", n="x"), says("ok"))
    result = await Agent(model, tools=[checked]).run("go")
    odd, even, broken, unreadable = result.transcript.tool_results
    assert odd.text == "n is odd"
    assert not even.is_error
    assert "ZeroDivisionError" in broken.text
    assert "ValueError" in unreadable.text


def test_edge_084_the_whole_schema_is_checked_after_a_tools_own_check() -> None:
    lenient = tool("t", properties={"n": INTEGER}, check=lambda _: None)
    with pytest.raises(ToolArgumentError, match="Missing required arguments: n"):
        validate_tool_arguments(lenient, ToolCall("1", "t", {}))
    with pytest.raises(ToolArgumentError, match="n: "):
        validate_tool_arguments(lenient, ToolCall("1", "t", {"n": "x"}))


@pytest.mark.parametrize(
    "schema",
    [{"type": "strng"}, {"properties": {"a": {"$ref": "#/$defs/none"}}}, {"$ref": "http://127.0.0.1:9/schema"}],
)
async def test_a_schema_that_is_itself_broken_is_a_warning_and_fetches_nothing(schema: dict[str, Any]) -> None:
    result = await Agent(scripted(calls("t"), says("ok")), tools=[tool("t", schema=schema)]).run("go")
    assert not result.transcript.tool_results[0].is_error
    assert "its schema is not valid" in result.warnings[0]


def test_references_inside_the_schema_are_followed() -> None:
    schema = {"properties": {"p": {"$ref": "#/$defs/P"}}, "$defs": {"P": {"properties": {"n": INTEGER}}}}
    assert check_against(schema, {"p": {"n": "3"}}).arguments == {"p": {"n": 3}}


def test_a_long_value_is_told_in_short() -> None:
    (problem,) = problems_of({"type": "object", "properties": {"n": INTEGER}}, {"n": "x" * 1_000_000})
    assert len(problem) < 400


def test_a_schema_is_compiled_once() -> None:
    schema = {"type": "object", "properties": {"n": INTEGER}}
    assert compiled(schema) is compiled(dict(schema))


NUMBERS = {"type": "array", "items": INTEGER}
SCHEMAS = st.sampled_from(
    [INTEGER, {"type": "number"}, {"type": "boolean"}, STRING, ARRAY, NUMBERS, OPTIONAL, {"type": "object"}]
)
NUMBER_TEXTS = st.from_regex(r"\[?-?\d+(\.\d+)?\]?")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | NUMBER_TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


@given(SCHEMAS, VALUES)
def test_what_comes_out_fits_the_schema_or_is_told(schema: dict[str, Any], value: Any) -> None:
    whole = {"type": "object", "properties": {"it": schema}}
    checked = check_against(whole, {"it": value})
    assert (problems_of(whole, checked.arguments) == ()) == (checked.problems == ())
    if not checked.problems and schema == INTEGER:
        assert isinstance(checked.arguments["it"], int)


@given(SCHEMAS, VALUES)
def test_what_fits_already_is_left_alone(schema: dict[str, Any], value: Any) -> None:
    whole = {"type": "object", "properties": {"it": schema}}
    if not problems_of(whole, {"it": value}):
        made = check_against(whole, {"it": value}).arguments["it"]
        assert made == value or (isinstance(value, float) and math.isnan(value))


@pytest.mark.parametrize("arguments", [{1: 2}, {"a": object()}])
def test_what_is_no_json_is_an_argument_error(arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolArgumentError, match="not JSON"):
        validate_tool_arguments(tool("t", properties={"a": STRING}, required=[]), ToolCall("1", "t", arguments))


@pytest.mark.parametrize(
    ("schema", "kept"),
    [
        ({"properties": {"a": {"type": "string"}}}, {}),
        ({"properties": {"a": {"enum": ["x"]}}}, {}),
        ({"properties": {"a": {"type": ["string", "null"]}}}, {"a": None}),
        ({"properties": {}}, {"a": None}),
    ],
)
def test_an_argument_of_null_that_may_be_left_out_and_not_be_null_is_left_out(
    schema: dict[str, Any], kept: dict[str, Any]
) -> None:
    checked = check_against({"type": "object", **schema}, {"a": None}, leaves_out_null=True)
    assert (checked.arguments, checked.problems) == (kept, ())


def test_an_argument_of_null_that_must_be_given_is_judged_by_its_type() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert check_against(schema, {"a": None}, leaves_out_null=True).problems
