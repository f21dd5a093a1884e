"""From entries of ``tools:`` to live tools: every key arrives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seatrial.assembly.tools import build_tools
from seatrial.config.loaded import LoadedAgent
from seatrial.core.tool import max_output_of
from seatrial.errors import ConfigError
from seatrial.tools.function import FunctionTool

Load = Callable[[str], LoadedAgent]
CODE = "def price(sku: str, currency: str = 'EUR'): return sku\n"


@pytest.fixture(autouse=True)
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(CODE, encoding="utf-8")
    return tmp_path


def test_h007_every_key_of_a_function_tool_arrives(load: Load) -> None:
    (tool,) = build_tools(
        load("""\
        tools:
          - name: price
            type: function
            description: The price.
            file: shop.py
            function: price
            parameters: {sku: {type: str, description: The article.}}
            examples: [What is it?]
            timeout_s: 2
            execution_mode: sequential
            thread: main
            max_output: 100
        """)
    )
    assert isinstance(tool, FunctionTool)
    assert (tool.spec.name, tool.spec.description, tool.spec.examples) == ("price", "The price.", ("What is it?",))
    assert tool.spec.parameters["properties"] == {"sku": {"type": "string", "description": "The article."}}
    assert (tool.timeout_s, tool.execution_mode, tool.thread, max_output_of(tool)) == (2, "sequential", "main", 100)


def test_what_a_vectorstore_tool_shares_with_the_others_arrives(load: Load, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n")
    (tool,) = build_tools(
        load(
            "tools: [{name: docs, type: vectorstore, description: d, source: docs, timeout_s: 3,"
            " execution_mode: sequential, max_output: 100}]\n"
        )
    )
    assert (tool.timeout_s, tool.execution_mode, max_output_of(tool)) == (3, "sequential", 100)


def test_every_tool_that_cannot_be_built_is_told_at_once_with_its_line(load: Load, tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text("def f(): ...\nraise ValueError('no')\n")
    entry = "  - {{name: {0}, type: function, description: d, file: {1}, function: {2}, parameters: {3}}}\n"
    text = "tools:\n" + entry.format("a", "shop.py", "price", "{size: {type: int}}")
    text += entry.format("b", "crash.py", "f", "{}").replace(", parameters: {}", "")
    with pytest.raises(ConfigError) as caught:
        build_tools(load(text))
    first, second = caught.value.diagnostics
    assert (first.line, second.line) == (5, 6)
    assert "`parameters` names `size`, which the function does not take (it takes sku, currency)" in first.message
    assert "line 2: ValueError: no" in second.message
