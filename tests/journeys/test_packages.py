"""The built package as its users have it: what is in it, and what it does in environments that hold nothing else."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest

from seatrial.cli.starter import TEMPLATES
from seatrial.cli.starter_model import LOCAL, providers_to_choose

ROOT = Path(__file__).parents[2]
SETUP: dict[str, Any] = runpy.run_path(str(ROOT / "scripts" / "install_packages.py"))
WITH_ENGINE = ("oldest", "newest")
# Python reads it at its start: whatever asks for an address fails, so that nothing is fetched.
NO_NETWORK = """
import socket

def refuse(*_arguments, **_settings):
    raise OSError("the network is cut")

socket.getaddrinfo = socket.socket.connect = socket.socket.connect_ex = socket.create_connection = refuse
"""
SCRIPTED = """\
name: a
model: {provider: scripted, name: script.json}
instructions: Answer.
test_cases:
  - name: open
    input: Is it open?
    checks: [{contains: open}]
"""
KEY_NOT_SET = "ST303"
MODEL = "model: {provider: scripted, name: script.json}\n"
RUN, TEST = ("run", "hello", "--allow-mcp"), ("test",)
# What asks for something of an extra: the extra, the command and the agent file.
BEYOND_BASE = {
    "engine": ("local", RUN, "model: local:minilm-extractive\n"),
    "documents": (
        "local",
        RUN,
        MODEL + "tools: [{name: t, type: vectorstore, description: d, source: agent.yaml}]\n",
    ),
    "gguf": ("llm", RUN, "model: {provider: gguf, name: x.gguf}\n"),
    "mcp": ("mcp", RUN, MODEL + "tools: [{name: t, type: mcp, description: d, command: python3}]\n"),
    "metric": (
        "metrics",
        TEST,
        MODEL + "test_cases: [{name: c, input: Hi, ground_truth: open, evaluations: [{metric: bleu}]}]\n",
    ),
    "file": ("files", TEST, MODEL + "test_cases: [{name: c, input: Hi, files: [{path: a.docx, type: word}]}]\n"),
    "store": ("postgres", ("runs", "list", "--store", "postgresql://127.0.0.1/runs"), MODEL),
    "chat": ("chat", ("chat",), MODEL),
}


@pytest.fixture(scope="module")
def built() -> Path:
    """The folder with wheel and sdist; the wheel is in the environments, too."""
    SETUP["put_in"]()
    folder: Path = SETUP["BUILT"]
    return folder


@pytest.fixture
def seatrial(built: Path, tmp_path: Path) -> Any:
    """Runs the program of an environment in a folder, without network, keys and a home of before."""
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")

    def run(environment: str, folder: Path, *arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [SETUP["program"](environment), *arguments],
            cwd=folder,
            env={"PATH": os.defpath, "HOME": str(tmp_path), "PYTHONPATH": str(cut), "LANG": "C.UTF-8", "TERM": "xterm"},
            text=True,
            timeout=100,
            check=False,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings},
        )

    return run


@pytest.fixture
def terminal() -> Iterator[int]:
    ours, theirs = os.openpty()
    yield theirs
    os.close(ours)
    os.close(theirs)


def test_p022_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        info = next(name for name in names if name.endswith("dist-info/METADATA")).rpartition("/")[0]
        points = archive.read(f"{info}/entry_points.txt").decode()
        metadata = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
        texts = [archive.read(name) for name in names]
    source = ROOT / "src"
    kept = {str(file.relative_to(source)) for file in source.rglob("*") if file.is_file()}
    kept = {name for name in kept if "__pycache__" not in name}
    assert {name for name in names if not name.startswith(info)} == kept
    assert {"seatrial/py.typed", f"{info}/licenses/LICENSE"} <= names
    assert "seatrial = seatrial.__main__:main" in points
    assert "[pytest11]\nseatrial = seatrial.pytest_plugin.hooks" in points
    assert metadata["License-Expression"] == "Apache-2.0"
    assert {"local", "chat", "mcp", "all"} <= set(metadata.get_all("Provides-Extra") or [])
    here = str(ROOT).encode()
    assert not [text for text in texts if here in text or str(Path.home()).encode() + b"/." in text]
    assert wheel.stat().st_size < 2_000_000


def test_p022_the_sdist_holds_what_the_wheel_is_built_from_and_nothing_else(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    (wheel,) = built.glob("*.whl")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    with zipfile.ZipFile(wheel) as archive:
        packed = {f"src/{name}" for name in archive.namelist() if "dist-info" not in name}
    beside = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "PKG-INFO", ".gitignore"}
    assert names == packed | beside
    assert sdist.stat().st_size < 1_500_000


@pytest.mark.parametrize("environment", ["base", "oldest", "newest"])
def test_p022_the_program_tells_its_version_and_every_commands_help(
    seatrial: Any, tmp_path: Path, environment: str
) -> None:
    shown = seatrial(environment, tmp_path, "--version")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert re.fullmatch(r"seatrial \d+\.\d+\.\d+\n", shown.stdout)
    overview = seatrial(environment, tmp_path, "--help").stdout
    commands = re.findall(r"^  ([a-z]+)  ", overview.partition("Commands:")[2], re.M)
    assert {"init", "run", "chat", "test", "doctor"} <= set(commands)
    for command in commands if environment == "base" else ("test",):
        helped = seatrial(environment, tmp_path, command, "--help")
        assert (helped.returncode, helped.stderr) == (0, ""), command


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("environment", ["base", "oldest", "newest"])
def test_p022_every_template_is_valid_with_every_provider(
    seatrial: Any, tmp_path: Path, environment: str, template: str
) -> None:
    chosen = providers_to_choose() if (environment, template) == ("base", "minimal") else [LOCAL, "openai"]
    for provider in chosen:
        name = () if provider == LOCAL else ("--model", "m")
        written = seatrial(
            environment, tmp_path, "init", provider, "--template", template, "--provider", provider, *name, "--yes"
        )
        assert written.returncode == 0, written.stderr
        checked = seatrial(environment, tmp_path / provider, "validate")
        errors = re.findall(r"error\[(\w+)\]", checked.stdout)
        assert checked.returncode in (0, 2), checked.stderr
        assert set(errors) <= {KEY_NOT_SET}, checked.stdout


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("environment", WITH_ENGINE)
def test_p022_every_template_passes_its_own_tests_without_network(
    seatrial: Any, tmp_path: Path, environment: str, template: str
) -> None:
    assert seatrial(environment, tmp_path, "init", "new", "--template", template, "--yes").returncode == 0
    checked = seatrial(environment, tmp_path / "new", "validate")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "warning" not in checked.stdout + checked.stderr
    tested = seatrial(environment, tmp_path / "new", "test", "--json")
    assert tested.returncode == 0, tested.stdout + tested.stderr
    cases = json.loads(tested.stdout)["tests"]
    assert {case["outcome"] for case in cases} == {"passed"}
    assert len(cases) >= 3


def test_p022_without_extras_a_suite_of_scripted_replies_passes(seatrial: Any, tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text('[{"text": "It is open."}]', encoding="utf-8")
    (tmp_path / "agent.yaml").write_text(SCRIPTED, encoding="utf-8")
    tested = seatrial("base", tmp_path, "test", "--json")
    assert tested.returncode == 0, tested.stdout + tested.stderr
    chatted = seatrial("base", tmp_path, "chat", input="Is it open?\n")
    assert (chatted.returncode, chatted.stdout.strip()) == (0, "It is open."), chatted.stderr


@pytest.mark.parametrize("case", BEYOND_BASE)
def test_p022_without_extras_what_needs_one_says_how_to_add_it(
    seatrial: Any, tmp_path: Path, terminal: int, case: str
) -> None:
    extra, command, block = BEYOND_BASE[case]
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    (tmp_path / "a.docx").write_bytes(b"PK")
    (tmp_path / "script.json").write_text('[{"text": "It is open."}]', encoding="utf-8")
    (tmp_path / "agent.yaml").write_text(f"name: a\n{block}instructions: Answer.\n", encoding="utf-8")
    face = {"stdin": terminal, "stdout": terminal} if case == "chat" else {}
    done = seatrial("base", tmp_path, *command, **face)
    assert done.returncode == (1 if command == TEST else 2)
    shown = " ".join(f"{done.stdout or ''} {done.stderr}".split())
    assert f"needs the extra [{extra}]" in shown
    assert re.search(rf"pip install .*seatrial\[{extra}\]", shown)
    assert "Traceback" not in shown


def test_p022_doctor_names_the_extra_that_a_metric_needs(seatrial: Any, tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text('[{"text": "It is open."}]', encoding="utf-8")
    block = "evaluations: {metrics: [{metric: bleu}, {metric: rouge}]}\n"
    (tmp_path / "agent.yaml").write_text(f"{SCRIPTED}{block}", encoding="utf-8")
    shown = " ".join(seatrial("base", tmp_path, "doctor").stdout.split())
    assert "extra [metrics] not installed, and needed by the metrics bleu, rouge" in shown


@pytest.mark.parametrize("environment", ["base", "oldest", "newest"])
def test_p022_no_module_of_the_package_fails_to_load_but_for_an_extra(
    built: Path, tmp_path: Path, environment: str
) -> None:
    del built
    code = (
        "import importlib, pkgutil, seatrial\n"
        "from seatrial.errors import MissingExtraError\n"
        "for module in pkgutil.walk_packages(seatrial.__path__, 'seatrial.'):\n"
        "    try:\n"
        "        importlib.import_module(module.name)\n"
        "    except MissingExtraError:\n"
        "        pass\n"
        "    except ModuleNotFoundError as error:\n"
        "        print(module.name, error.name)\n"
    )
    python = SETUP["program"](environment).with_name("python")
    done = subprocess.run(
        [python, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    beyond = dict(line.split() for line in done.stdout.splitlines())
    assert set(beyond.values()) <= BEHIND_A_DOOR, beyond


# Imported only by modules whose door says what is missing.
BEHIND_A_DOOR = {"mcp", "pytest", "_pytest", "pluggy", "prompt_toolkit", "markdown_it", "numpy", "anyio", "httpx2"}
