"""The core beside other agent frameworks: the same agent, the same server, the same run; CPU and import time.

Each peer has an environment of its own, made from the package registry the first time: ``python benchmarks/peers.py``.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

from measure import ROOT, compiled_environment, server

PEERS = {
    "openai-agents": ["openai-agents==0.24.0"],
    "pydantic-ai-slim": ["pydantic-ai-slim[openai]==2.68.0"],
    "langgraph": ["langgraph==1.2.24", "langchain==1.5.2", "langchain-openai==1.7.4"],
}
HOME = Path(sys.prefix) / "share" / "seatrial" / "peers"
ROUNDS = 3
Row = tuple[str, str, str]


def rows() -> list[Row]:
    """(what, figure, bar)."""
    pythons = {"bare": sys.executable, "seatrial": sys.executable, **{name: environment(name) for name in PEERS}}
    with server(ROOT / "benchmarks" / "instant_server.py") as base_url:
        found = [{name: measured(name, python, base_url) for name, python in pythons.items()} for _ in range(ROUNDS)]
    figures = {name: {key: middle(found, name, key) for key in found[0][name]} for name in pythons}
    ours = figures["seatrial"]
    return [(title(name, figure), told(figure, ours), "") for name, figure in figures.items()]


def title(name: str, figure: dict[str, Any]) -> str:
    """Who it is."""
    return f"aiohttp {figure['version']}, the bare loop" if name == "bare" else f"{name} {figure['version']}"


def told(figure: dict[str, Any], ours: dict[str, Any]) -> str:
    """One peer's figures in a line."""
    ratio = f" ({figure['cpu_ms'] / ours['cpu_ms']:.1f}x ours)" if figure is not ours else ""
    return (
        f"CPU per round trip {figure['cpu_ms']:.2f} ms{ratio}; 100 agents at once {figure['many_cpu_ms']:.2f} ms, "
        f"{figure['per_s']:.0f} round trips/s; imported in {figure['import_ms']:.0f} ms"
    )


def middle(found: list[dict[str, Any]], name: str, key: str) -> Any:
    """The median over the rounds; a version is the same in all of them."""
    values = [round_[name][key] for round_ in found]
    return values[0] if key == "version" else statistics.median(values)


def measured(name: str, python: str, base_url: str) -> dict[str, Any]:
    """What `peer_agents.py` tells of one framework."""
    command = [python, str(ROOT / "benchmarks" / "peer_agents.py"), name, base_url]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=600, cwd=ROOT, env=compiled_environment()
    )
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def environment(name: str) -> str:
    """The Python of a peer's environment, which is made when it is not there yet."""
    folder = HOME / name
    python = folder / "bin" / "python"
    if not (folder / ".installed").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PEERS[name]], check=True)
        (folder / ".installed").touch()
    return str(python)


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ", flush=True)
