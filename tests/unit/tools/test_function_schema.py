"""What a model is told of a function, and what the function gets."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, Optional, TypedDict, Union

import pytest
from jsonschema_rs import validator_for
from pydantic import BaseModel, ConfigDict, Field

from seatrial.core.tool import ToolContext
from seatrial.errors import ToolArgumentError, ToolError
from seatrial.tools.function import FunctionTool

if TYPE_CHECKING:
    from decimal import Decimal


class Colour(enum.Enum):
    RED = "red"
    DEEP_BLUE = "deep-blue"


@dataclass
class Spot:
    x: int
    label: str = "here"


class Parcel(BaseModel):
    weight_kg: float
    contents: list[Spot] = []


class StrictDay(BaseModel):
    model_config = ConfigDict(strict=True)
    day: date


class Address(TypedDict):
    street: str
    house: NotRequired[int]


class Folder(BaseModel):
    name: str
    inside: list[Folder] = []


def given(function: Any, arguments: dict[str, Any]) -> Any:
    """What the function receives for the one argument of a call."""
    positional, named = FunctionTool.of(function).signature.bind(arguments, ToolContext())
    return [*positional, *named.values()][0]


def accepts(function: Any, instance: dict[str, Any]) -> bool:
    return bool(validator_for(FunctionTool.of(function).spec.parameters).is_valid(instance))


def parameter(function: Any, name: str) -> dict[str, Any]:
    found: dict[str, Any] = FunctionTool.of(function).spec.parameters["properties"][name]
    return found


def takes_colour(colour: Colour) -> None: ...
def takes_parcel(parcel: Parcel) -> None: ...
def takes_spot(spot: Spot) -> None: ...
def takes_pair(pair: tuple[int, str]) -> None: ...
def takes_set(tags: set[str]) -> None: ...
def takes_path(path: Path = Path("a.txt")) -> None: ...
def takes_address(address: list[Address]) -> None: ...
def takes_optional(when: Optional[str], note: str | None = None, count: int = None) -> None: ...  # type: ignore[assignment]  # noqa: RUF013, UP045
def takes_choice(side: Literal["l", "r", 3]) -> None: ...
def takes_either(size: Union[int, str]) -> None: ...  # noqa: UP007
def takes_strict_day(day: StrictDay) -> None: ...
def takes_folder(folder: Folder) -> None: ...
def takes_what_only_a_checker_knows(price: Decimal, count: int) -> None: ...
def takes_anything(a, b=2): ...  # type: ignore[no-untyped-def]


def test_h007_required_means_without_a_default() -> None:
    assert FunctionTool.of(takes_optional).spec.parameters["required"] == ["when"]
    assert FunctionTool.of(takes_anything).spec.parameters["required"] == ["a"]


def test_h007_an_optional_parameter_may_be_null_also_when_only_its_default_says_so() -> None:
    assert accepts(takes_optional, {"when": None, "note": None, "count": None})
    assert not accepts(takes_optional, {"when": 3})


def test_h007_allowed_values_reach_the_model() -> None:
    assert parameter(takes_colour, "colour")["enum"] == ["red", "deep-blue"]
    assert parameter(takes_choice, "side")["enum"] == ["l", "r", 3]


def test_h007_nested_objects_are_described_in_place() -> None:
    schema = FunctionTool.of(takes_parcel).spec.parameters
    assert "$defs" not in schema
    assert schema["properties"]["parcel"]["properties"]["contents"]["items"]["required"] == ["x"]


def test_h007_a_type_that_holds_itself_stays_a_reference() -> None:
    assert accepts(takes_folder, {"folder": {"name": "a", "inside": [{"name": "b", "inside": []}]}})
    assert not accepts(takes_folder, {"folder": {"name": "a", "inside": [{"inside": []}]}})


def test_h007_a_typed_dict_is_read_on_every_python() -> None:
    assert accepts(takes_address, {"address": [{"street": "Elm"}]})
    assert not accepts(takes_address, {"address": [{"house": 3}]})


def test_h007_untyped_parameters_take_anything() -> None:
    assert accepts(takes_anything, {"a": [1], "b": "x"})


def test_h007_names_that_only_a_type_checker_knows_do_not_stop_the_others() -> None:
    assert parameter(takes_what_only_a_checker_knows, "count") == {"type": "integer"}
    assert parameter(takes_what_only_a_checker_knows, "price") == {}


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (takes_colour, {"colour": "deep-blue"}, Colour.DEEP_BLUE),
        (takes_spot, {"spot": {"x": 3}}, Spot(3)),
        (takes_parcel, {"parcel": {"weight_kg": 2, "contents": [{"x": 1}]}}, Parcel(weight_kg=2, contents=[Spot(1)])),
        (takes_pair, {"pair": [1, "a"]}, (1, "a")),
        (takes_set, {"tags": ["a", "a"]}, {"a"}),
        (takes_path, {"path": "b.md"}, Path("b.md")),
        (takes_address, {"address": [{"street": "Elm", "house": 3}]}, [{"street": "Elm", "house": 3}]),
        (takes_either, {"size": "XL"}, "XL"),
        (takes_either, {"size": 4}, 4),
        (takes_strict_day, {"day": {"day": "2026-03-01"}}, StrictDay(day=date(2026, 3, 1))),
    ],
)
def test_h007_the_function_gets_what_its_annotation_asks_for(
    function: Any, arguments: dict[str, Any], expected: Any
) -> None:
    assert given(function, arguments) == expected


def test_h007_star_arguments_are_never_shown() -> None:
    def search(query: str, *rest: str, **options: Any) -> None: ...

    assert list(FunctionTool.of(search).spec.parameters["properties"]) == ["query"]


def test_h007_positional_only_parameters_get_their_place() -> None:
    def power(base: int, exponent: int = 2, /, *, plus: int = 0) -> int:
        return base**exponent + plus

    positional, named = FunctionTool.of(power).signature.bind({"base": 3, "plus": 1}, ToolContext())
    assert power(*positional, **named) == 10


@pytest.mark.parametrize("hint", ["ToolContext", "ToolContext | None", "Nowhere.ToolContext"])
def test_h007_the_context_parameter_is_filled_in_and_hidden(hint: str) -> None:
    def slow(steps: int, context: Any) -> None: ...

    slow.__annotations__["context"] = hint
    tool = FunctionTool.of(slow)
    assert list(tool.spec.parameters["properties"]) == ["steps"]
    assert isinstance(tool.signature.bind({"steps": 1}, ToolContext())[1]["context"], ToolContext)


def test_h007_descriptions_come_from_annotations_fields_and_docstrings() -> None:
    def book(
        room: Annotated[str, "Room name"], guests: int = Field(2, ge=1, description="How many"), note: str = ""
    ) -> None:
        """Book a room.

        Args:
            room: ignored, the annotation is nearer
            note: Free text,
                over two lines.

        Returns:
            Nothing.
        """

    properties = FunctionTool.of(book).spec.parameters["properties"]
    assert properties["room"] == {"type": "string", "description": "Room name"}
    assert properties["guests"] == {"type": "integer", "minimum": 1, "default": 2, "description": "How many"}
    assert properties["note"] == {"type": "string", "default": "", "description": "Free text, over two lines."}
    assert FunctionTool.of(book).spec.description == "Book a room."
    assert FunctionTool.of(book).signature.bind({"room": "A"}, ToolContext())[1] == {"room": "A", "guests": 2}


def test_h007_a_docstring_types_what_the_signature_leaves_open() -> None:
    def area(width, height, names=()):  # type: ignore[no-untyped-def]
        """Area.

        Parameters
        ----------
        width, height : float
            In metres.
        names : list of str, optional
            Labels.
        """

    properties = FunctionTool.of(area).spec.parameters["properties"]
    assert properties["height"] == {"type": "number", "description": "In metres."}
    assert properties["names"]["items"] == {"type": "string"}


async def test_an_argument_that_does_not_fit_says_where_and_why() -> None:
    with pytest.raises(ToolArgumentError, match=r"spot\.x: Input should be a valid integer"):
        await FunctionTool.of(takes_spot).run({"spot": {"x": "one"}}, ToolContext())


def test_declared_parameters_take_the_place_of_the_signature() -> None:
    def order(number: str, detail: bool = False) -> None: ...

    declared = {"number": {"type": "str", "description": "Order number"}, "detail": {"type": "bool"}}
    schema = FunctionTool.of(order, parameters=declared).spec.parameters
    assert schema["properties"]["number"] == {"type": "string", "description": "Order number"}
    assert schema["required"] == ["number"]


def test_declared_parameters_reach_a_function_that_takes_any_name() -> None:
    def any_name(**named: Any) -> Any: ...

    tool = FunctionTool.of(any_name, parameters={"city": {"type": "str"}})
    assert tool.spec.parameters["required"] == ["city"]


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [({"numer": "str", "number": "str"}, "names `numer`"), ({"detail": "bool"}, "lacks `number`")],
)
def test_declared_parameters_must_fit_the_function(parameters: dict[str, Any], complaint: str) -> None:
    def order(number: str, detail: bool = False) -> None: ...

    with pytest.raises(ToolError, match=complaint):
        FunctionTool.of(order, parameters=parameters)


@dataclass
class Berth:
    """Where a ship lies.

    Attributes:
        pier: The pier's letter.
        number: Counts from the land.
    """

    pier: str
    number: int = 1


def takes_berths(berths: list[Berth]) -> None: ...


def test_h007_a_class_docstring_describes_the_fields() -> None:
    schema = parameter(takes_berths, "berths")["items"]
    assert schema["description"] == "Where a ship lies."
    assert schema["properties"] == {
        "pier": {"type": "string", "description": "The pier's letter."},
        "number": {"type": "integer", "default": 1, "description": "Counts from the land."},
    }
