"""Rules over the whole file: unique names, numbers of items, cases that check nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from seatrial.config.diagnostics import Diagnostic, Place, printable
from seatrial.config.located import Block, KeyPath, Listing, locate, value_at
from seatrial.config.mcp import McpConnectionConfig
from seatrial.config.names import nearest

MAX_CASES = 100
MAX_CASES_OF_HOLODECK = 1000
MAX_ITEMS = 1100
_CHECK_IT = "give it expected_tools, checks or evaluations; `checks: none` if that is meant"
# Keys of a connection that are blocks.
_BLOCKS = ("env", "headers")


def cut_long_lists(data: Block) -> Iterator[Diagnostic]:
    """Lists beyond all limits lose what nobody could read findings about; says so."""
    for path in (("tools",), ("test_cases",), ("evaluations", "metrics"), ("variants",)):
        items = value_at(data, path)
        if isinstance(items, Listing) and len(items) > MAX_ITEMS:
            place = locate(data, path, of_key=True) or data.place
            message = f"`{path[-1]}` has {len(items):,} items; only the first {MAX_ITEMS:,} are looked at"
            yield Diagnostic("error", "ST407", message, place, key_path=path)
            del items[MAX_ITEMS:]


def constraint_findings(data: Block, own_cases: int, main: Place, *, is_lenient: bool = False) -> Iterator[Diagnostic]:
    """Names used twice and too many cases; ``own_cases`` is how many stand in the agent file itself."""
    for path, what in ((("tools",), "tool"), (("test_cases",), "test case"), (("variants",), "variant")):
        yield from _twice(data, path, what, ("name",))
    yield from _twice(data, ("evaluations", "metrics"), "metric", ("name", "metric"))
    yield from _with_control_characters(data)
    if own_cases > MAX_CASES:
        place = locate(data, ("test_cases",), of_key=True) or main
        message = f"{own_cases} test cases in the agent file; at most {MAX_CASES} are allowed"
        hint = "put them into a file of their own and name it in `test_cases_file`"
        if is_lenient and own_cases <= MAX_CASES_OF_HOLODECK:
            yield Diagnostic("warning", "ST503", message, place, hint=hint, key_path=("test_cases",))
        else:
            yield Diagnostic("error", "ST407", message, place, hint=hint, key_path=("test_cases",))


def unchecked_cases(data: Block) -> Iterator[Diagnostic]:
    """Cases whose run could neither pass nor fail; of very many the first, and how many more there are."""
    cases = value_at(data, ("test_cases",))
    if not isinstance(cases, list):
        return
    has_metrics = _has_metrics(data)
    found = 0
    for index, case in enumerate(cases):
        if not isinstance(case, dict) or case.get("skip") is not None or _is_checked(case, has_metrics):
            continue
        turns = case.get("turns")
        if isinstance(turns, list) and any(isinstance(turn, dict) and _is_checked(turn, has_metrics) for turn in turns):
            continue
        found += 1
        if found > MAX_ITEMS:
            continue
        place = locate(data, ("test_cases", index)) or data.place
        message = f"test case {_label(case, index)} checks nothing"
        yield Diagnostic("warning", "ST501", message, place, hint=_CHECK_IT, key_path=("test_cases", index))
    if found > MAX_ITEMS:
        message = f"and {found - MAX_ITEMS:,} more test cases check nothing"
        place = locate(data, ("test_cases",), of_key=True) or data.place
        yield Diagnostic("warning", "ST501", message, place, hint=_CHECK_IT, key_path=("test_cases",))


def slips_in_mcp_config(data: Block) -> Iterator[Diagnostic]:
    """Keys of an MCP tool's free ``config`` that look like a connection key misspelt."""
    tools = data.get("tools")
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        config = tool.get("config") if isinstance(tool, Block) and tool.get("type") == "mcp" else None
        for key, value in config.items() if isinstance(config, Block) else ():
            if key in McpConnectionConfig.model_fields:
                continue
            meant = nearest(key, McpConnectionConfig.model_fields, McpConnectionConfig.synonyms)
            if meant is not None and (meant in _BLOCKS or not isinstance(value, dict)):
                message = f"`{key}` is handed to the server as it is"
                path = ("tools", index, "config", key)
                place = locate(data, path, of_key=True) or data.place
                yield Diagnostic("warning", "ST510", message, place, hint=f"did you mean `{meant}`?", key_path=path)


def _has_metrics(data: Block) -> bool:
    metrics = value_at(data, ("evaluations", "metrics"))
    metrics = data.get("evaluations") if metrics is None else metrics
    if not isinstance(metrics, list):
        return metrics is not None
    return any(
        not isinstance(metric, dict) or str(metric.get("enabled")).lower() not in ("false", "no", "off")
        for metric in metrics
    )


def _is_checked(case: dict[str, Any], has_metrics: bool) -> bool:
    if any(case.get(key) is not None for key in ("expected_tools", "checks")) or case.get("forbidden_tools"):
        return True
    metrics = case.get("evaluations")
    return bool(metrics) if metrics is not None else has_metrics


def _label(case: dict[str, Any], index: int) -> str:
    name = case.get("name")
    return f"`{name}`" if isinstance(name, str) and name else str(index + 1)


def _with_control_characters(data: Block) -> Iterator[Diagnostic]:
    """Names and tags that would move a cursor, or reorder what is read, wherever they are shown."""
    for path, name in _names(data):
        if printable(name) != name:
            place = locate(data, path) or data.place
            message = f"the name `{printable(name)[:80]}` holds control characters"
            yield Diagnostic("error", "ST410", message, place, hint="take them out", key_path=path)


def _names(data: Block) -> Iterator[tuple[KeyPath, str]]:
    for path in (("variants",), ("evaluations", "metrics")):
        yield from _names_in(value_at(data, path), path)
    cases = data.get("test_cases")
    for index, case in enumerate(cases if isinstance(cases, list) else ()):
        yield from _names_of_case(case, ("test_cases", index))


def _names_of_case(case: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if not isinstance(case, dict):
        return
    yield from _name_in(case, path)
    tags = case.get("tags")
    for index, tag in enumerate(tags if isinstance(tags, list) else ()):
        if isinstance(tag, str):
            yield (*path, "tags", index), tag
    for key in ("checks", "evaluations"):
        yield from _names_in(case.get(key), (*path, key))
    turns = case.get("turns")
    for index, turn in enumerate(turns if isinstance(turns, list) else ()):
        yield from _names_of_case(turn, (*path, "turns", index))


def _names_in(items: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(items, dict):
        yield from _name_in(items, path)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield from _name_in(item, (*path, index))


def _name_in(holder: dict[str, Any], path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(holder.get("name"), str):
        yield (*path, "name"), holder["name"]


def _twice(data: Block, path: KeyPath, what: str, keys: Iterable[str]) -> Iterator[Diagnostic]:
    items = value_at(data, path)
    if not isinstance(items, list):
        return
    first: dict[str, int] = {}
    for index, item in enumerate(items):
        key, name = _name_of(item, keys)
        if name is None:
            continue
        if name not in first:
            first[name] = index
            continue
        before = locate(data, (*path, first[name], key or "name"))
        where = f" in line {before.line}" if before is not None else ""
        place = locate(data, (*path, index, *([key] if key else []))) or data.place
        message = f"a {what} is already named `{name}`{where}"
        hint = "give one of the two a `name` of its own" if what == "metric" else "give one of the two another name"
        yield Diagnostic("error", "ST401", message, place, hint=hint, key_path=(*path, index))


def _name_of(item: Any, keys: Iterable[str]) -> tuple[str | None, str | None]:
    if isinstance(item, str) and "metric" in keys:
        return None, str(item)
    if isinstance(item, dict):
        for key in ("name", "grader") if item.get("type") == "code" and "metric" in keys else keys:
            if isinstance(item.get(key), str) and item[key]:
                return key, str(item[key])
    return None, None
