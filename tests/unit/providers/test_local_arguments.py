"""Arguments taken from the user's words."""

from typing import Any

import pytest
from tests.support.bag_of_words import BagOfWords

from seatrial.providers.local_arguments import fill_arguments, same_for_each
from seatrial.providers.local_meaning import Meaning


def filled(message: str, required: bool = True, **properties: Any) -> Any:
    schema = {"properties": properties, "required": list(properties) if required else []}
    return fill_arguments(Meaning(BagOfWords()), message, schema)


@pytest.mark.parametrize(
    ("message", "schema", "value"),
    [
        ("is A-1001 on its way", {"description": "Order id such as A-1001"}, "A-1001"),
        ("status of order #7731, please", {"description": "Order number such as 1001"}, "7731"),
        ("please check 55-XY and hurry", {"description": "Code", "pattern": r"^\d\d-[A-Z]{2}$"}, "55-XY"),
        ("is it cold in San Francisco today", {"description": "Name of the city"}, "San Francisco"),
        ("which tents are light", {"description": "the kind of tents"}, "tents"),
        ("make it Deep Blue please", {"enum": ["red", "deep-blue"]}, "deep-blue"),
        ("a colour like the red of blood", {"enum": ["crimson", "red"]}, "red"),
        ("give me 3 of them", {"type": "integer"}, 3),
        ("give me three of them", {"type": "integer"}, 3),
        ("it weighs 2.5 kg", {"type": "number", "description": "weight in kg"}, 2.5),
        ("the tags are fast and slow", {"type": "array", "items": {"enum": ["slow", "fast", "odd"]}}, ["slow", "fast"]),
        ("add 3 and 4", {"type": "array", "items": {"type": "number"}}, [3, 4]),
        ("to Oslo or so", {"anyOf": [{"type": "null"}, {"type": "string"}], "description": "city"}, "Oslo"),
        ("to Oslo or so", {"type": ["null", "string"], "description": "city"}, "Oslo"),
    ],
)
def test_a_value_is_found_in_the_message(message: str, schema: dict[str, Any], value: Any) -> None:
    schema = schema if {"type", "enum", "anyOf"} & schema.keys() else {"type": "string", **schema}
    found = filled(message, it=schema)
    assert found.arguments == {"it": value}
    assert not found.missing


@pytest.mark.parametrize(
    ("message", "value"),
    [
        ("What time is it in the timezone Europe/Berlin?", "Europe/Berlin"),
        ("tell me the time in the Europe/Berlin timezone", "Europe/Berlin"),
        ("the timezone is Europe/Berlin, I think", "Europe/Berlin"),
        ("which timezone has the zone name Asia/Tokyo", "Asia/Tokyo"),
        ("tell me the timezone", "timezone"),
    ],
)
@pytest.mark.parametrize("description", ["timezone", "IANA timezone name"])
def test_a_parameters_own_name_is_no_value_when_its_value_follows(message: str, value: str, description: str) -> None:
    found = filled(message, timezone={"type": "string", "description": description})
    assert value in found.arguments["timezone"]
    assert value == "timezone" or "zone" not in found.arguments["timezone"]


def test_a_name_of_several_words_follows_the_parameters_name() -> None:
    assert filled("how is the city San Francisco", city={"type": "string"}).arguments == {"city": "San Francisco"}


def test_numbers_go_to_the_parameter_whose_words_are_near() -> None:
    found = filled(
        "a room for 4 guests and for 2 nights",
        nights={"type": "integer", "description": "nights"},
        guests={"type": "integer", "description": "guests"},
    )
    assert found.arguments == {"nights": 2, "guests": 4}


@pytest.mark.parametrize(
    ("message", "value"), [("with breakfast please", True), ("but without breakfast", False), ("just a bed", False)]
)
def test_a_flag_is_true_when_the_message_says_its_name_and_does_not_deny_it(message: str, value: bool) -> None:
    assert filled(message, breakfast={"type": "boolean"}).arguments == {"breakfast": value}


def test_what_the_message_does_not_say_is_left_out_when_it_may_be() -> None:
    found = filled(
        "hello there",
        required=False,
        city={"type": "string", "description": "City"},
        days={"type": "integer"},
        unit={"enum": ["celsius", "kelvin"]},
        exact={"type": "boolean"},
    )
    assert found.arguments == {}
    assert found.missing == ()


def test_required_values_that_are_not_there_are_named_by_their_description() -> None:
    found = filled("hello", order={"type": "string", "description": "Order id such as A-1."}, amount={"type": "number"})
    assert found.missing == ("Order id such as A-1", "amount")


def test_codes_of_one_shape_give_one_set_of_arguments_each() -> None:
    each = same_for_each("A-1001 or B-2040 within 2 days, A-1001 first", {"order": "A-1001", "days": 2})
    assert each == [{"order": "A-1001", "days": 2}, {"order": "B-2040", "days": 2}]
    assert same_for_each("tents of 2 kg", {"query": "tents of 2 kg"}) == [{"query": "tents of 2 kg"}]
