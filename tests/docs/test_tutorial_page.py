"""The tutorial, followed from an empty folder to its end."""

from __future__ import annotations

from pathlib import Path

from tests.support.pages import commands_of, page
from tests.support.walk import Walk

PAGE = page("tutorial.md")


def test_a_newcomer_who_does_what_the_tutorial_says_sees_what_it_shows(tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    walk.follow(PAGE)
    assert (tmp_path / "parcel-desk" / "baseline.json").is_file()
    ran = [command[:2] for command in walk.done]
    for command in ("validate", "tools", "run", "test", "compare"):
        assert ["seatrial", command] in ran
    assert len(walk.compared) >= 30


def test_the_way_is_short() -> None:
    assert len(commands_of(PAGE)) <= 25
