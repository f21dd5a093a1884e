"""Suite runners of others over the same cases and the same server, each in an environment of its own.

The environments are made from the package registries the first time, with the Node.js of the test servers.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

from measure import Measured, measure

PEERS = {"inspect_ai": "0.3.285", "promptfoo": "0.123.1"}
HOME = Path(sys.prefix) / "share" / "seatrial" / "peers"
NODE = Path(sys.prefix) / "share" / "seatrial" / "servers" / "bin"
INSTALL_S = 900
INSTRUCTIONS = "Answer."

TASK = """\
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, system_message


@task
def bench(data: str) -> Task:
    return Task(dataset=json_dataset(data), solver=[system_message("Answer."), generate()], scorer=includes())
"""


def inspect_ai(folder: Path, base_url: str, cases: int, concurrency: int) -> Measured:
    """``inspect eval`` over the cases."""
    (folder / "task.py").write_text(TASK, encoding="utf-8")
    rows = ({"id": n, "input": _question(n), "target": _answer(n)} for n in range(cases))
    (folder / "cases.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    program = _python_environment("inspect_ai", ["inspect-ai==" + PEERS["inspect_ai"], "openai"]) / "inspect"
    options = ["--max-connections", str(concurrency), "--max-samples", str(concurrency)]
    options += ["--display", "none", "--log-format", "json"]
    command = [program, "eval", "task.py", "-T", f"data={folder / 'cases.jsonl'}", "--model", "openai-api/fake/fake"]
    environment = {"FAKE_BASE_URL": base_url, "FAKE_API_KEY": "x"}
    done = measure([*command, "--log-dir", folder / "logs", *options], folder=folder, more_environment=environment)
    assert done.exit_code == 0, done.stdout
    (log,) = (folder / "logs").glob("*.json")
    results = json.loads(log.read_text(encoding="utf-8"))["results"]
    assert results["completed_samples"] == cases
    assert results["scores"][0]["metrics"]["accuracy"]["value"] == 1
    return done


def promptfoo(folder: Path, base_url: str, cases: int, concurrency: int) -> Measured:
    """``promptfoo eval`` over the cases; everything that would talk to others is switched off."""
    tests = [{"vars": {"question": _question(n), "expected": _answer(n)}} for n in range(cases)]
    settings = {
        "prompts": [f"{INSTRUCTIONS} {{{{question}}}}"],
        "providers": [{"id": "openai:chat:fake", "config": {"apiBaseUrl": base_url, "apiKey": "x"}}],
        "defaultTest": {"assert": [{"type": "contains", "value": "{{expected}}"}]},
        "tests": tests,
    }
    (folder / "promptfooconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    program = _promptfoo_environment() / "promptfoo"
    quiet = ["--no-cache", "--no-progress-bar", "--no-table", "--no-share", "-j", str(concurrency)]
    report = folder / "report.json"
    environment = {
        "PATH": f"{NODE}{os.pathsep}{os.environ.get('PATH', '')}",
        "PROMPTFOO_CONFIG_DIR": str(folder),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
        "PROMPTFOO_DISABLE_SHARING": "1",
        "PROMPTFOO_SELF_HOSTED": "1",
    }
    command = [program, "eval", "-c", folder / "promptfooconfig.json", *quiet, "-o", report]
    done = measure(command, folder=folder, more_environment=environment)
    assert done.exit_code == 0, done.stdout
    assert json.loads(report.read_text(encoding="utf-8"))["results"]["stats"]["successes"] == cases
    return done


RUNNERS: dict[str, Callable[[Path, str, int, int], Measured]] = {"inspect_ai": inspect_ai, "promptfoo": promptfoo}


def _question(number: int) -> str:
    return f"What is the number of item {number}?"


def _answer(number: int) -> str:
    return f"The answer is {number}."


def _python_environment(name: str, packages: list[str]) -> Path:
    """The programs of the peer's environment, which is made when it is not there yet."""
    folder = HOME / name
    if not (folder / ".installed").exists():
        venv.create(folder, with_pip=True, clear=True)
        command = [folder / "bin" / "python", "-m", "pip", "install", "-q", *packages]
        subprocess.run(command, check=True, timeout=INSTALL_S)
        (folder / ".installed").touch()
    return folder / "bin"


def _promptfoo_environment() -> Path:
    """The same with npm, without what is optional (that is 2.2 GB) but for the database that it cannot do without."""
    folder = HOME / "promptfoo"
    if not (folder / ".installed").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        _npm_install("promptfoo@" + PEERS["promptfoo"], folder)
        about = json.loads((folder / "node_modules" / "libsql" / "package.json").read_text(encoding="utf-8"))
        for name, version in about["optionalDependencies"].items():
            if name.startswith(_binding()) and not name.endswith("musl"):
                _npm_install(f"{name}@{version}", folder)
        (folder / ".installed").touch()
    return folder / "node_modules" / ".bin"


def _npm_install(package: str, folder: Path) -> None:
    options = ["--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    environment = {**os.environ, "PATH": f"{NODE}{os.pathsep}{os.environ.get('PATH', '')}"}
    command = [NODE / "npm", "install", package, *options]
    subprocess.run(command, cwd=folder, env=environment, check=True, timeout=INSTALL_S)


def _binding() -> str:
    """How the packages with the database for this machine begin."""
    processor = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(platform.machine().lower())
    return f"@libsql/{sys.platform}-{processor or platform.machine()}"
