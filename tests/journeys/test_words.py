"""Small things that commands say, read as a person reads them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
WriteAgent = Callable[..., Path]

SHOP = """\
import datetime

def price(city: str, days: int = 1, hot: bool = False) -> str:
    \"\"\"Tells a price.

    Args:
        city: The city.
    \"\"\"
    return city

def both() -> str:
    \"\"\"Fails twice.\"\"\"
    raise ExceptionGroup("both failed", [ValueError("one"), ExceptionGroup("more", [KeyError("two")])])

def book(first: datetime.date, last: datetime.date) -> str:
    \"\"\"Books.\"\"\"
    return "booked"
"""
TOOLS = "tools:\n" + "".join(
    f"  - {{name: {name}, type: function, file: shop.py, function: {name}, description: Does it.}}\n"
    for name in ("price", "both", "book")
)


@pytest.fixture
def shop(write_agent: WriteAgent) -> Path:
    folder = write_agent([("one", "a", "a")], more=TOOLS)
    (folder / "shop.py").write_text(SHOP, encoding="utf-8")
    return folder


@pytest.mark.usefixtures("shop")
def test_everything_that_is_wrong_with_arguments_is_told_at_once(seatrial: Run) -> None:
    done = seatrial("tools", "call", "price", '{"days": "x", "hot": "perhaps"}')
    assert 'Missing required arguments: city; days: "x" is not of type "integer"; hot: "perhaps" is' in done.stderr
    assert "it takes city (string, required): The city; days (integer, default 1)" in done.stderr
    dates = seatrial("tools", "call", "book", '{"first": "soon", "last": "later"}')
    assert "first: " in dates.stdout
    assert "last: " in dates.stdout


@pytest.mark.usefixtures("shop")
def test_the_errors_in_a_group_are_told(seatrial: Run) -> None:
    done = seatrial("tools", "call", "both")
    assert "both failed (2 sub-exceptions): ValueError: one; ExceptionGroup: more" in done.stdout
    assert "KeyError: 'two'" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "near"),
    [(["tools", "cal", "x"], "call"), (["runs", "lst"], "list"), (["import", "holodek"], "holodeck")],
)
def test_a_slip_in_the_second_word_is_answered_with_the_nearest_command(
    seatrial: Run, arguments: list[str], near: str
) -> None:
    done = seatrial(*arguments)
    assert done.returncode == 2
    assert f"there is no command {arguments[1]!r}; did you mean {near}?" in done.stderr


def test_a_secret_is_not_to_be_written_into_the_file_as_a_default(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent([("one", "a", "a")])
    text = (folder / "agent.yaml").read_text(encoding="utf-8")
    for name, hint in (("SHOP_API_KEY", "set it, or put it into .env"), ("SHOP_PLACE", "write ${SHOP_PLACE:-default}")):
        changed = text.replace("Answer briefly.", f"Answer ${{{name}}}.")
        (folder / "agent.yaml").write_text(changed, encoding="utf-8")
        told = seatrial("validate").stdout
        assert hint in told
        assert ("SHOP_API_KEY:-" in told) is False


@pytest.mark.usefixtures("shop")
def test_a_comparison_points_to_where_it_says_what_changed(shop: Path, seatrial: Run) -> None:
    seatrial("test")
    text = (shop / "agent.yaml").read_text(encoding="utf-8")
    (shop / "agent.yaml").write_text(text.replace("threshold: 0.5", "threshold: 0.6"), encoding="utf-8")
    seatrial("test")
    told = seatrial("compare").stdout
    assert "changed too (see What changed)" in told
    assert "What changed" in told.replace("(see What changed)", "")
