"""Files written for HoloDeck: what is read differently, what is left out, and how that is said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from seatrial.config.diagnostics import Diagnostic
from seatrial.config.located import Block, Listing, locate

_METRIC_FORMS = {"standard", "geval", "rag", "code"}


@dataclass
class Dialect:
    """What was found of the other dialect. ``is_holodeck`` says that the file has a form which only HoloDeck has."""

    is_holodeck: bool = False
    findings: list[Diagnostic] = field(default_factory=list)


@cache
def rules() -> Mapping[str, Any]:
    """The data file: keys without effect, other names of keys, values and stores."""
    text = files("seatrial.config").joinpath("data/holodeck.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def ignored_keys() -> Mapping[str, str]:
    """Key paths that HoloDeck has and that mean nothing here, each with the reason."""
    ignored: dict[str, str] = rules()["ignored"]
    return ignored


def adapt(data: Block) -> Dialect:
    """Takes out of the data what means nothing here, and carries over what has another form. Changes ``data``."""
    found = Dialect()
    for tool in blocks_of(data.get("tools")):
        if tool.get("type") == "hierarchical_document":
            _carry_over_document_tool(tool, found)
    for pattern, new in rules()["renamed"].items():
        for holder, key in entries_at(data, pattern):
            found.is_holodeck = True
            if holder.get(new) is None:
                holder.rename(key, new)
            else:
                del holder[key]
    for pattern, values in rules()["renamed_values"].items():
        for holder, key in entries_at(data, pattern):
            written = holder.get(key)
            if isinstance(written, str) and written in values:
                holder[key] = values[written]
    for pattern, reason in ignored_keys().items():
        for holder, key in entries_at(data, pattern):
            found.is_holodeck = True
            message = f"`{key}` has no effect here: {reason}"
            found.findings.append(Diagnostic("warning", "ST502", message, holder.place_of_key(key)))
            del holder[key]
    found.is_holodeck = found.is_holodeck or _has_metric_form(data)
    return found


def _carry_over_document_tool(tool: Block, found: Dialect) -> None:
    found.is_holodeck = True
    message = "`hierarchical_document` is read as `vectorstore`"
    found.findings.append(Diagnostic("warning", "ST509", message, tool.place_of_value("type")))
    tool["type"] = "vectorstore"
    for old, new in rules()["renamed_in_hierarchical_document"].items():
        if old in tool and new not in tool:
            tool.rename(old, new)


def _has_metric_form(data: Block) -> bool:
    evaluations = data.get("evaluations")
    metrics = evaluations.get("metrics") if isinstance(evaluations, Block) else evaluations
    return any(metric.get("type") in _METRIC_FORMS for metric in blocks_of(metrics))


def carry_over_databases(data: Block, stores: Mapping[str, Block], found: Dialect) -> None:
    """Puts a named store's settings in place of its name, and the embedded store in place of those not here."""
    known = rules()
    for index, tool in enumerate(blocks_of(data.get("tools"))):
        database = tool.get("database")
        if isinstance(database, str) and database in stores:
            found.is_holodeck = True
            database = tool["database"] = stores[database]
        place = locate(data, ("tools", index, "database")) or data.place
        provider = database.get("provider") if isinstance(database, Block) else database
        if not isinstance(provider, str):
            continue
        if provider in known["databases"]:
            _set_provider(tool, known["databases"][provider])
        elif provider in known["databases_not_here"]:
            found.is_holodeck = True
            tool["database"] = "embedded"
            message = f"the store {provider} is not available here; the embedded one is used"
            found.findings.append(Diagnostic("warning", "ST509", message, place))


def _set_provider(tool: Block, provider: str) -> None:
    if isinstance(tool["database"], Block):
        tool["database"]["provider"] = provider
    else:
        tool["database"] = provider


def carry_over_expected_tools(data: Block, found: Dialect) -> None:
    """HoloDeck matches parts of a tool's name; here names match whole. A part of exactly one name becomes that name."""
    names = [str(tool["name"]) for tool in blocks_of(data.get("tools")) if isinstance(tool.get("name"), str)]
    for case in blocks_of(data.get("test_cases")):
        for holder in (case, *blocks_of(case.get("turns"))):
            _whole_names(holder.get("expected_tools"), names, found)


def _whole_names(expected: Any, names: list[str], found: Dialect) -> None:
    if not isinstance(expected, Listing):
        return
    for index, item in enumerate(expected):
        name = item.get("name") if isinstance(item, Block) else item
        if not isinstance(name, str) or name in names:
            continue
        meant = [known for known in names if name in known] or [known for known in names if name == f"{known}_search"]
        if len(meant) != 1:
            continue
        message = f"`{name}` is read as `{meant[0]}`: names of tools match whole"
        found.findings.append(Diagnostic("warning", "ST509", message, expected.place_of_item(index)))
        if isinstance(item, Block):
            item["name"] = meant[0]
        else:
            expected[index] = meant[0]


def blocks_of(value: Any) -> Iterator[Block]:
    """The blocks in a list; none for anything else."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, Block))


def entries_at(data: Block, pattern: str) -> list[tuple[Block, str]]:
    """The blocks and keys that a path like ``tools[].defer_loading`` leads to."""
    return list(_matches(data, pattern.split(".")))


def _matches(data: Any, steps: list[str]) -> Iterator[tuple[Block, str]]:
    if not isinstance(data, Block):
        return
    step, *rest = steps
    key = step.removesuffix("[]")
    if not rest:
        if key in data:
            yield data, key
        return
    value = data.get(key)
    for item in value if step.endswith("[]") and isinstance(value, list) else [value]:
        yield from _matches(item, rest)
