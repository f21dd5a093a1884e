"""Each outside library has one home; import-linter holds the floors, this holds the homes."""

from __future__ import annotations

import re
from pathlib import Path

import grimp
import pytest

import seatrial

HOMES = {
    "sqlite3": {"seatrial.runs", "seatrial.retrieval.stores"},
    "aiohttp": {"seatrial.http_client"},
    "yaml": {"seatrial.config", "seatrial.documents"},
    "click": {"seatrial.cli"},
    "rich": {"seatrial.cli", "seatrial.reporters"},
    "prompt_toolkit": {"seatrial.cli.chat"},
    "markdown_it": {"seatrial.cli.chat"},
    "numpy": {"seatrial.retrieval", "seatrial.providers"},
    "onnxruntime": {"seatrial.providers"},
    "xllamacpp": {"seatrial.providers"},
    "pydantic": {"seatrial.config", "seatrial.tools"},
    "sacrebleu": {"seatrial.metrics"},
    "rouge_score": {"seatrial.metrics"},
    "nltk": {"seatrial.metrics"},
    "openai": set(),
    "anthropic": set(),
    "opentelemetry": set(),
    "httpx": set(),
    "httpx2": {"seatrial.tools.mcp"},
    "mcp": {"seatrial.tools.mcp"},
}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("seatrial", include_external_packages=True, cache_dir=None)


@pytest.mark.parametrize("library", sorted(HOMES))
def test_a_library_is_imported_only_in_its_home(graph: grimp.ImportGraph, library: str) -> None:
    importers = graph.find_modules_that_directly_import(library) if library in graph.modules else set()
    strangers = {
        module
        for module in importers
        if not any(module == home or module.startswith(home + ".") for home in HOMES[library])
    }
    assert strangers == set()


def test_a_broad_except_says_at_which_door_it_stands() -> None:
    files = {path: path.read_text(encoding="utf-8") for path in Path(seatrial.__file__).parent.rglob("*.py")}
    silent = [path.name for path, text in files.items() if re.search(r"BLE001\s*$", text, re.MULTILINE)]
    assert silent == []
