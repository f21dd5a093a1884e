"""Completion as a shell asks for it: bash for real, the others by what their scripts send."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.pages import commands_of, page
from tests.support.terminal import TAB, Terminal

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
MAIN = "from seatrial.__main__ import main; main()"
BASH = """
eval "$(seatrial completion bash)"
COMP_WORDS=({words} "$1"); COMP_CWORD={place}
_seatrial_completion seatrial
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def run(command: list[str], folder: Path, **env: str) -> str:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PATH": path, "HOME": str(folder), **env},
    ).stdout


def in_bash(line: str, folder: Path) -> list[str]:
    """What bash offers for the last word of the line."""
    *words, begun = line.split(" ")
    script = BASH.format(words=" ".join(words), place=len(words))
    return run(["bash", "--norc", "-c", script, "bash", begun], folder).split()


def test_bash_is_offered_commands_options_and_choices(tmp_path: Path) -> None:
    assert in_bash("seatrial va", tmp_path) == ["validate"]
    assert in_bash("seatrial runs s", tmp_path) == ["show"]
    assert in_bash("seatrial test --ju", tmp_path) == ["--junit"]
    assert in_bash("seatrial test --fail-on ", tmp_path) == ["worse", "any-regression"]
    assert in_bash("seatrial completion ", tmp_path) == ["bash", "zsh", "fish"]


def test_bash_is_offered_the_newest_runs_and_none_where_there_are_none(tmp_path: Path) -> None:
    assert in_bash("seatrial runs show ", tmp_path) == ["last"]
    assert not (tmp_path / ".seatrial").exists()
    run(["seatrial", "init", ".", "--yes"], tmp_path)
    for _ in range(2):
        run(["seatrial", "test"], tmp_path)
    word, newest, older = in_bash("seatrial runs show ", tmp_path)
    assert (word, newest >= older) == ("last", True)
    assert run(["seatrial", "runs", "show", newest], tmp_path)
    assert in_bash(f"seatrial compare {older} {newest[:-1]}", tmp_path) == [newest]


def test_bash_is_offered_the_runs_of_the_agent_that_is_named(tmp_path: Path) -> None:
    run(["seatrial", "init", "shop", "--yes"], tmp_path)
    run(["seatrial", "test"], tmp_path / "shop")
    offered = in_bash("seatrial runs show -a shop ", tmp_path)
    assert offered == in_bash("seatrial compare --agent shop/agent.yaml ", tmp_path)
    assert offered == in_bash("seatrial runs show ", tmp_path / "shop")
    assert len(offered) == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_is_given_its_script_and_answered(shell: str, tmp_path: Path) -> None:
    script = run(["seatrial", "completion", shell], tmp_path)
    assert f"_SEATRIAL_COMPLETE={shell}_complete" in script
    asked = {"COMP_WORDS": "seatrial val", "COMP_CWORD": "val" if shell == "fish" else "1"}
    assert "validate" in run(["seatrial"], tmp_path, _SEATRIAL_COMPLETE=f"{shell}_complete", **asked)


def test_completing_loads_nothing_heavy(tmp_path: Path) -> None:
    asked = {"COMP_WORDS": "seatrial test --ju", "COMP_CWORD": "2", "_SEATRIAL_COMPLETE": "bash_complete"}
    code = f"import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); {MAIN}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, **asked},
    )
    loaded = set(done.stderr.split())
    assert done.stdout == "plain,--junit\n"
    assert "seatrial.cli.completing" in loaded
    assert loaded & {"pydantic", "msgspec", "numpy", "aiohttp", "yaml", "rich"} == set()


def test_the_table_of_words_is_that_of_the_commands() -> None:
    script = ROOT / "scripts" / "make_completion_words.py"
    assert subprocess.run([sys.executable, script, "--check"], check=False).returncode == 0, f"run {script}"


def test_the_lines_of_the_page_put_the_scripts_into_place(tmp_path: Path) -> None:
    for command in commands_of(page("guides/completion.md")):
        run(["bash", "-c", command], tmp_path)
    for name in (".bashrc", ".zshrc", ".config/fish/completions/seatrial.fish"):
        assert "_SEATRIAL_COMPLETE" in (tmp_path / name).read_text(encoding="utf-8")
    for command in commands_of(page("guides/completion.md")):
        if "mkdir" not in command:
            assert command in run(["seatrial", "completion", "--help"], tmp_path)


def test_the_tab_key_completes_commands_files_and_runs_in_a_bash_at_a_terminal(tmp_path: Path) -> None:
    run(["seatrial", "init", "shop", "--yes"], tmp_path)
    shop = tmp_path / "shop"
    run(["seatrial", "test"], shop)
    (name,) = in_bash("seatrial runs show 2", shop)
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb", "PS1": "ready> "}
    with Terminal(["bash", "--norc", "--noprofile", "-i"], shop, env) as terminal:
        terminal.enter('eval "$(seatrial completion bash)"; echo loa""ded')
        terminal.expect("loaded")
        terminal.send(f"seatrial vali{TAB}agen{TAB}")
        terminal.expect("seatrial validate agent.yaml ")
        terminal.enter("")
        terminal.expect("agent.yaml: valid")
        terminal.send(f"seatrial runs show {name[:6]}{TAB}")
        terminal.expect(f"seatrial runs show {name} ")
        terminal.enter("")
        terminal.expect("3 of 3 passed")
