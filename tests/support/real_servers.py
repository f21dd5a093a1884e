"""Commands of the real MCP servers and of the conformance suite, as the set-up installed them."""

from __future__ import annotations

import os
import runpy
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SETUP: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "install_test_servers.py"))
FOLDER: Path = _SETUP["FOLDER"]
PYTHON: Path = _SETUP["PYTHON"]
PACKAGES = FOLDER / "node_modules" / "@modelcontextprotocol"


def programs() -> Path:
    """The folder with the set-up's own node, npm and npx."""
    if not _SETUP["STAMP"].is_file():
        raise FileNotFoundError("the servers of the tests are not installed: run `make test`")
    folder: Path = _SETUP["PROGRAMS"]
    return folder


def node_package(name: str, *arguments: str) -> list[str]:
    """The command that runs a package: ``node_package("server-memory")``."""
    return [str(programs() / "node"), str(PACKAGES / name / "dist" / "index.js"), *arguments]


def python_module(name: str, *arguments: str) -> list[str]:
    """The command that runs a module in the servers' own environment: ``python_module("mcp_server_time")``."""
    return [str(PYTHON), "-m", name, *arguments]


@contextmanager
def everything_over_http(kind: str = "streamableHttp", path: str = "mcp") -> Iterator[str]:
    """server-everything as a server of its own, ``kind`` streamableHttp or sse; gives its address."""
    process, port = _started(kind)
    with process:
        try:
            yield f"http://127.0.0.1:{port}/{path}"
        finally:
            process.terminate()


def _started(kind: str) -> tuple[subprocess.Popen[str], int]:
    """It must be told its port, so another program may take that first: then the next one is tried."""
    for _ in range(5):
        port = _free_port()
        process = subprocess.Popen(
            node_package("server-everything", kind),
            env={**os.environ, "PORT": str(port)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        if any(f"on port {port}" in line for line in process.stderr):
            return process, port
        process.wait()
    raise RuntimeError("server-everything found no port to listen on")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
