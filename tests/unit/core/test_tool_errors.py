from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from seatrial.core.tool_errors import details_of, place_in_user_code, told
from seatrial.errors import ToolError


def reads_prices(text: str) -> object:
    return json.loads(text)


def raised() -> ValueError:
    with pytest.raises(ValueError, match="Expecting") as caught:
        reads_prices("{")
    return caught.value


def line_of(part: str) -> int:
    lines, first = inspect.getsourcelines(reads_prices)
    return first + next(number for number, line in enumerate(lines) if part in line)


def test_the_place_is_the_users_own_line_and_not_the_library_that_it_called() -> None:
    assert place_in_user_code(raised()) == f"{Path(__file__).name}:{line_of('json.loads')}"


def test_an_error_from_nowhere_has_no_place_and_no_details() -> None:
    assert details_of(ValueError("never raised")) is None


def test_what_the_tool_left_to_tell_stands_beside_the_place_of_the_first_error() -> None:
    first = raised()
    outer = ToolError(told(first), details={"stdout": "half way\n"})
    outer.__cause__ = first
    assert details_of(outer) == {"stdout": "half way\n", "at": place_in_user_code(first)}
    assert "Expecting property name" in told(outer)
