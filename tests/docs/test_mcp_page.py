"""The page on MCP servers: its agent file is valid, its server answers, its tables hold."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from seatrial.assembly.check import check
from seatrial.config.loader import load_agent
from seatrial.config.mcp import McpConnectionConfig
from seatrial.core.agent import Agent
from seatrial.core.loop_config import RESULT_LIMIT_CHARS
from seatrial.providers.scripted import calls, says, scripted
from seatrial.tools.mcp.launch import launch_of
from seatrial.tools.mcp.servers import McpEntry, McpServers
from seatrial.tools.mcp.settings import McpSettings

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "mcp.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```\w+\n# ([\w.]+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))


def test_the_agent_file_is_valid(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    loaded = load_agent(tmp_path, environ={"OPENAI_API_KEY": "sk-12345678", "ORDERS_TOKEN": "t-12345678"})
    assert [finding.as_text() for finding in (*loaded.diagnostics, *check(loaded))] == []


def test_the_example_without_a_model_runs(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "seatrial", "test", "offline.yaml", "--allow-mcp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert "PASSED  1 of 1 passed" in done.stdout, done.stdout + done.stderr
    assert "✓ count" in done.stdout


async def test_its_server_counts_lamps(tmp_path: Path) -> None:
    (tmp_path / "stock.py").write_text(FILES["stock.py"], encoding="utf-8")
    launch = launch_of("stock.py", tmp_path)
    servers = McpServers([McpEntry(McpSettings(name="stock", command=launch.command, args=launch.args))])
    await servers.start()
    try:
        agent = Agent(scripted(calls("count", item="lamp"), says("12.")), tool_sources=servers.sources)
        (result,) = (await agent.run("go")).transcript.tool_results
    finally:
        await servers.stop()
    assert (result.text, result.is_error) == ("12", False)
    assert result.details == {"structured_content": {"result": 12}}


def test_its_program_runs(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "ask.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout, done.stderr) == ("Twelve.\n", "")


def test_the_table_of_limits_holds() -> None:
    told = dict(re.findall(r"^\| `(\w+)` \| `?([\w,]+)`? \|", PAGE, re.MULTILINE))
    assert told.pop("max_output") == f"{RESULT_LIMIT_CHARS:,}"
    assert told.pop("max_concurrency") == "none"
    fields = McpConnectionConfig.model_fields
    assert told == {name: f"{fields[name].default}" for name in told}
