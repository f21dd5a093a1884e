"""Under which names the tools of servers are offered, and what people may call them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from seatrial.tools.mcp.names import ToolNames


def test_a_tool_keeps_its_servers_name_where_nobody_else_has_it() -> None:
    names = ToolNames()
    names.add([("files", "", ["read"]), ("web", "", ["fetch"])])
    assert (names.of("files", "read"), names.of("web", "fetch")) == ("read", "fetch")


def test_tools_of_one_name_all_get_the_name_of_their_entry_before_it() -> None:
    names = ToolNames()
    names.add([("docs", "", ["search", "open"]), ("web", "", ["search"])])
    assert (names.of("docs", "search"), names.of("web", "search")) == ("docs_search", "web_search")
    assert names.of("docs", "open") == "open"


def test_a_function_tool_keeps_its_name_before_a_server() -> None:
    names = ToolNames(["search"])
    names.add([("web", "", ["search"])])
    assert names.of("web", "search") == "web_search"


def test_a_prefix_goes_before_every_name_of_its_entry() -> None:
    names = ToolNames()
    names.add([("github", "gh_", ["search"])])
    assert names.of("github", "search") == "gh_search"


def test_a_name_once_given_stays_when_a_later_tool_wants_it() -> None:
    names = ToolNames()
    names.add([("one", "", ["search"])])
    names.add([("one", "", ["search"]), ("two", "", ["search"])])
    assert (names.of("one", "search"), names.of("two", "search")) == ("search", "two_search")


def test_a_prefixed_name_that_is_taken_is_counted_on() -> None:
    names = ToolNames(["search", "web_search"])
    names.add([("web", "", ["search"])])
    assert names.of("web", "search") == "web_search_2"


def test_people_may_write_the_entry_the_servers_name_or_the_name_that_a_provider_shows() -> None:
    names = ToolNames()
    names.add([("files", "", ["fs.read", "list"]), ("other", "", ["list"])])
    assert names.aliases["files"] == {"fs.read", "files_list"}
    assert names.aliases["fs_read"] == {"fs.read"}
    assert names.aliases["list"] == {"files_list", "other_list"}
    assert names.aliases.get("nobody", frozenset()) == frozenset()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.lists(st.sampled_from(["x", "a_x", "b_x", "y"])))))
def test_no_two_tools_ever_have_one_name(listed: list[tuple[str, list[str]]]) -> None:
    names = ToolNames(["x"])
    for entry, tools in listed:
        names.add([(entry, "", tools)])
    keys = {(entry, tool) for entry, tools in listed for tool in tools}
    assert len({names.of(*key) for key in keys} | {"x"}) == len(keys) + 1
