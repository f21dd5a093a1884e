"""Tests in tables: CSV and JSONL, with the columns that begin with two underscores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from seatrial.config.diagnostics import Place
from seatrial.config.located import Block
from seatrial.config.notes import Notes
from seatrial.config.promptfoo.files import Files, located
from seatrial.config.tables import JSON_LINES

_ASSERTION = r"(?P<type>(?:not-)?(?:{}))(?:\((?P<number>\d+(?:\.\d+)?)\))?(?::(?P<value>.*))?"
_OLD = {"fn": "javascript", "eval": "javascript", "grade": "llm-rubric"}
_LISTS = ("contains-all", "contains-any", "icontains-all", "icontains-any")
_GRADED = {"similar": 0.8}
_BY_NUMBER = {"cost", "latency", "levenshtein", "rouge-n", "answer-relevance", "starts-with"} | {
    f"context-{name}" for name in ("faithfulness", "recall", "relevance")
}
_WITHOUT_VALUE = {"is-json", "contains-json", "is-refusal", "is-valid-openai-tools-call", "cost", "latency"}
_SETTING = re.compile(r"__config:__expected(\d*):(\w+)")
_COMMA = re.compile(r"(?<!\\),")


def read_tests(path: Path, place: Place, files: Files, known: frozenset[str]) -> list[Block]:
    """The tests of a table as blocks in the form that they have in a configuration; a bad file is noted."""
    rows = files.rows(path, place)
    if path.suffix.lower() in JSON_LINES:
        return [located(row, Place(path, line)) for line, row in rows]
    return [_test(row, Place(path, line), files.notes, known) for line, row in rows]


def _test(row: Mapping[str, str], place: Place, notes: Notes, known: frozenset[str]) -> Block:
    test: dict[str, Any] = {"vars": {}, "assert": [], "options": {}, "metadata": {}}
    settings: dict[str, dict[str, str]] = {}
    for column, cell in row.items():
        setting = _SETTING.fullmatch(column)
        if setting is not None:
            settings.setdefault(setting[1], {})[setting[2]] = cell
        elif column.startswith("__expected"):
            if cell.strip():
                test["assert"].append({**_assertion(cell, known), "column": column.removeprefix("__expected")})
        elif column in ("__prefix", "__suffix"):
            test["options"][column[2:]] = cell
        elif column == "__metric":
            test["metric"] = cell
        elif column in ("__description", "__threshold", "__providerOutput"):
            if cell:
                test[column[2:]] = cell
        elif column.startswith("__metadata:"):
            name = column.removeprefix("__metadata:")
            parts = [part.strip().replace("\\,", ",") for part in _COMMA.split(cell)]
            test["metadata"][name.removesuffix("[]")] = parts if name.endswith("[]") else cell
        elif column.startswith("__"):
            notes.left(Place(place.file, 1), f"the column `{column}`", "there is nothing like it here")
        else:
            test["vars"][column] = cell
    metric = test.pop("metric", "")
    for item in test["assert"]:
        number = item.pop("column")
        item.update({**settings.get("", {}), **settings.get(number or "1", {})})
        if metric:
            item["metric"] = metric
    block: Block = located({key: value for key, value in test.items() if value}, place)
    return block


@cache
def _form(known: frozenset[str]) -> re.Pattern[str]:
    names = sorted({*known, *_OLD}, key=len, reverse=True)
    return re.compile(_ASSERTION.format("|".join(map(re.escape, names))), re.DOTALL)


def _assertion(cell: str, known: frozenset[str]) -> dict[str, Any]:
    """What a cell of ``__expected`` means: ``type(threshold): value``, else a text that the answer equals."""
    if cell.startswith("file://"):
        return {"type": "python" if ".py" in cell else "javascript", "value": cell}
    found = _form(known).fullmatch(cell)
    kind = _OLD.get(found["type"], found["type"]) if found is not None else ""
    base = kind.removeprefix("not-")
    if (
        found is None
        or base not in known
        or (found["value"] is None and not found["number"] and base not in _WITHOUT_VALUE)
    ):
        return {"type": "equals", "value": cell}
    value: Any = (found["value"] or "").strip()
    made: dict[str, Any] = {"type": kind}
    if base in _LISTS:
        made["value"] = [part.strip().strip('"') for part in re.findall(r'\s*"[^"]*"|[^,]+', value)]
    elif value:
        made["value"] = value
    if found["number"]:
        made["threshold"] = float(found["number"])
    elif base in _GRADED:
        made["threshold"] = _GRADED[base]
    elif base in _BY_NUMBER and base != "starts-with":
        made["threshold"] = 0.75
    return made
