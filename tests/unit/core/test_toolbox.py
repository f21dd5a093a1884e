"""Tools by name, and the names that a model sees."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.simple_tools import tool

from seatrial.core.agent import Agent
from seatrial.core.context import AgentContext
from seatrial.core.tool import Tool
from seatrial.core.toolbox import Toolbox, wire_form
from seatrial.errors import ToolError
from seatrial.providers.scripted import calls, calls_many, says, scripted


def test_y019_tools_are_found_by_name_and_kept_in_order() -> None:
    toolbox = Toolbox([tool("b"), tool("a"), tool("c")])
    context = AgentContext("Be kind.", (), toolbox)
    assert context.tools.names == ("b", "a", "c")
    assert [found.spec.name for found in context.tools] == ["b", "a", "c"]
    assert context.tools.get("a").label == "a"
    assert (context.tools.get("x"), "c" in context.tools, len(toolbox)) == (None, True, 3)
    assert toolbox.specs is toolbox.specs


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ToolError, match="two tools are named 'a'"):
        Agent(scripted(), tools=[tool("a"), tool("a")])


ODD = ["a.b/c:d", "a" * 65, "ünïcode", "with space", "a_b_c_d", "", "a.b_c_d", "a" * 200]


def test_edge_086_names_that_providers_refuse_have_one_legal_alias_each() -> None:
    toolbox = Toolbox([tool(name) for name in ODD])
    aliases = [spec.name for spec in toolbox.specs]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", alias) for alias in aliases)
    assert len(set(aliases)) == len(ODD)
    assert [toolbox.name_of(alias) for alias in aliases] == ODD
    assert toolbox.wire_name("a_b_c_d") == "a_b_c_d"
    assert aliases == [spec.name for spec in Toolbox([tool(name) for name in ODD]).specs]


async def test_edge_086_a_call_of_the_alias_runs_the_tool_under_its_own_name() -> None:
    model = scripted(calls("github_search_v2"), says("ok"))
    result = await Agent(model, tools=[tool("github.search/v2")]).run("go")
    assert [call.name for call in result.transcript.tool_calls] == ["github.search/v2"]
    assert result.transcript.tool_results[0].text == "github.search/v2"
    assert [call.name for call in model.requests[1].messages[1].tool_calls] == ["github_search_v2"]
    assert model.requests[1].messages[2].tool_name == "github_search_v2"


@given(st.lists(st.text(max_size=80), unique=True, max_size=12))
def test_p009_aliases_are_legal_unique_and_lead_back(names: list[str]) -> None:
    toolbox = Toolbox([tool(name) for name in names])
    aliases = [toolbox.wire_name(name) for name in names]
    assert len(set(aliases)) == len(names)
    assert [toolbox.name_of(alias) for alias in aliases] == names
    assert all(wire_form(alias) == alias for alias in aliases)


class Server:
    """A tool source that can be given another list."""

    def __init__(self, name: str, *names: str) -> None:
        self.name = name
        self.asked = 0
        self.error: Exception | None = None
        self.list(*names)

    def list(self, *names: str) -> None:
        self._tools: Sequence[Tool] = [tool(name) for name in names]

    async def current_tools(self) -> Sequence[Tool]:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return self._tools


async def test_edge_086_two_servers_with_the_same_tool_are_told_apart() -> None:
    model = scripted(calls_many(("search", {}), ("web_search", {})), says("ok"))
    result = await Agent(model, tool_sources=[Server("wiki", "search"), Server("web", "search")]).run("go")
    assert [spec.name for spec in model.requests[0].tools] == ["search", "web_search"]
    assert [item.is_error for item in result.transcript.tool_results] == [False, False]


async def test_tools_of_a_source_change_between_requests_and_keep_their_place() -> None:
    server = Server("s", "b", "c")

    def change(_: object) -> object:
        server.list("d", "c")
        return calls("c")

    model = scripted(calls("b"), change, calls_many(("b", {}), ("d", {})), says("ok"))
    result = await Agent(model, tools=[tool("a")], tool_sources=[server]).run("go")
    offered = [[spec.name for spec in request.tools] for request in model.requests]
    assert offered == [["a", "b", "c"], ["a", "b", "c"], ["a", "c", "d"], ["a", "c", "d"]]
    assert model.requests[0].tools is model.requests[1].tools
    assert [item.is_error for item in result.transcript.tool_results] == [False, False, True, False]


async def test_a_source_that_fails_leaves_the_tools_as_they_were() -> None:
    server = Server("s", "b")

    def fail(_: object) -> object:
        server.error = ConnectionError("gone")
        return calls("b")

    model = scripted(fail, says("ok"))
    result = await Agent(model, tool_sources=[server]).run("go")
    assert [spec.name for spec in model.requests[1].tools] == ["b"]
    assert "the tools of s cannot be listed: ConnectionError: gone" in result.warnings
    assert server.asked == 2


async def test_runs_do_not_share_the_tools_of_a_source() -> None:
    server = Server("s", "b")
    model = scripted(says("one"), says("two"))
    agent = Agent(model, tools=[tool("a")], tool_sources=[server])
    await agent.run("go")
    server.list()
    await agent.run("go")
    assert [[spec.name for spec in request.tools] for request in model.requests] == [["a", "b"], ["a"]]
    assert agent.tools.names == ("a",)
