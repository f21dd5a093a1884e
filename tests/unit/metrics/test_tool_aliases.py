"""Tools of servers, expected under any name that people have for them."""

from __future__ import annotations

import pytest

from seatrial.core.model import ToolSpec
from seatrial.metrics.base import Evidence
from seatrial.metrics.trajectory.expected_tools import ExpectedTools
from seatrial.providers.scripted import calls

SPEC = ToolSpec("docs_search", "Searches.", {"type": "object"}, aliases=("docs", "search"))
EVIDENCE = Evidence("", "", messages=(calls("docs_search", q="x"),), tools=(SPEC,))


@pytest.mark.parametrize("name", ["docs_search", "docs", "search"])
async def test_h013_an_entry_and_a_servers_own_name_stand_for_the_tool(name: str) -> None:
    assert (await ExpectedTools(expected=[name]).measure(EVIDENCE)).value == 1.0
    assert (await ExpectedTools(expected=[{"name": name, "args": {"q": "x"}}]).measure(EVIDENCE)).value == 1.0
    assert (await ExpectedTools(forbidden=[name]).measure(EVIDENCE)).value == 0.0


@pytest.mark.parametrize("name", ["web", "searc", "docs_"])
async def test_a_name_of_another_tool_does_not(name: str) -> None:
    assert (await ExpectedTools(expected=[name]).measure(EVIDENCE)).value == 0.0


async def test_each_expected_call_needs_a_call_of_its_own_whatever_it_is_named() -> None:
    assert (await ExpectedTools(expected=["docs", "search"]).measure(EVIDENCE)).value == 0.5
