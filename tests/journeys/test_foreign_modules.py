"""Modules that nobody wrote for this work as they are, as the ``file`` of a function tool."""

from __future__ import annotations

import difflib
import importlib
import json
import statistics
import textwrap
from pathlib import Path
from typing import Any

import idna.core
import markdown_it.common.utils
import packaging.utils
import pytest
import yaml
from click.testing import CliRunner
from jsonschema_rs import validator_for

from seatrial.cli.main import cli
from seatrial.core.schema import compiled
from seatrial.errors import ToolError
from seatrial.tools.function import FunctionTool

TOOLS: list[tuple[Any, str, dict[str, Any], Any]] = [
    (statistics, "quantiles", {"data": [1, 2, 3, 4, 5], "n": 4}, [1.5, 3.0, 4.5]),
    (textwrap, "shorten", {"text": "a longer line of text", "width": 12}, "a [...]"),
    (difflib, "get_close_matches", {"word": "appel", "possibilities": ["ape", "apple"], "n": 1}, ["apple"]),
    (idna.core, "encode", {"s": "grüße.example"}, "xn--gre-6ka8l.example"),
    (packaging.utils, "canonicalize_name", {"name": "Flying_Fish"}, "flying-fish"),
    (yaml, "safe_load", {"stream": "a: [1, two]"}, {"a": [1, "two"]}),
    (markdown_it.common.utils, "escapeHtml", {"raw": "<b>"}, "&lt;b&gt;"),
]


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    entries = [
        {"name": function, "type": "function", "description": "Foreign.", "file": module.__file__, "function": function}
        for module, function, _, _ in TOOLS
    ]
    monkeypatch.chdir(tmp_path)
    text = json.dumps({"name": "a", "model": "local:minilm-extractive", "instructions": "Answer.", "tools": entries})
    (tmp_path / "agent.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def test_each_has_a_schema_that_its_call_meets(agent: Path) -> None:
    done = CliRunner().invoke(cli, ["tools", "--json"], standalone_mode=False)
    found = json.loads(done.stdout)["tools"]
    assert len(found) == len(TOOLS)
    for entry, (_, function, arguments, _) in zip(found, TOOLS, strict=True):
        assert entry["name"] == function
        assert set(arguments) <= entry["parameters"]["properties"].keys()
        assert validator_for(entry["parameters"]).is_valid(arguments)
        assert set(entry["parameters"]["required"]) <= arguments.keys()


@pytest.mark.parametrize(("module", "function", "arguments", "answer"), TOOLS, ids=[tool[1] for tool in TOOLS])
def test_each_can_be_called(agent: Path, module: Any, function: str, arguments: dict[str, Any], answer: Any) -> None:
    done = CliRunner().invoke(cli, ["tools", "call", function, json.dumps(arguments)], standalone_mode=False)
    assert (done.exception, done.return_value) == (None, 0)
    assert (done.stdout.rstrip("\n") if isinstance(answer, str) else json.loads(done.stdout)) == answer


MODULES = ("calendar", "colorsys", "email.utils", "html", "ipaddress", "json", "os.path", "random", "shutil", "zipfile")


@pytest.mark.parametrize("name", [*MODULES, "click", "numpy", "pydantic", "psycopg", "markdown_it", "yarl"])
def test_every_public_callable_has_a_valid_schema_or_says_why_not(name: str) -> None:
    for key, value in list(vars(importlib.import_module(name)).items()):
        if callable(value) and not key.startswith("_"):
            schema = schema_of(value)
            assert schema is None or compiled(schema).problem is None, f"{name}.{key}"
            json.dumps(schema, allow_nan=False)


def schema_of(function: Any) -> dict[str, Any] | None:
    """None for what Python itself cannot tell the signature of."""
    try:
        return FunctionTool.of(function).spec.parameters
    except ToolError as error:
        if "cannot be read" not in error.message:
            raise
        return None
