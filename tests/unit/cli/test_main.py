from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from seatrial.cli import main as cli_main
from seatrial.cli import terminal
from seatrial.errors import ProviderError

HEAVY = ("pydantic", "numpy", "msgspec", "aiohttp", "rich", "yaml", "asyncio", "sqlite3")


def run_in_fresh_process(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["-h"], []])
def test_help_and_version_import_nothing_heavy(arguments: list[str]) -> None:
    code = f"""
import atexit, json, sys
from seatrial.__main__ import main
atexit.register(lambda: print("MODULES" + json.dumps(sorted(sys.modules))))
main({arguments!r})
"""
    done = run_in_fresh_process(code)
    modules = json.loads(done.stdout.split("MODULES")[1])
    assert not [name for name in modules if name.split(".")[0] in HEAVY]
    assert {name for name in modules if name.startswith("seatrial.")} <= {
        "seatrial.__main__",
        "seatrial.cli",
        "seatrial.cli.main",
        "seatrial.cli.streams",
        "seatrial.cli.terminal",
        "seatrial.errors",
        "seatrial.reporters",
        "seatrial.reporters.plain",
    }


def test_help_lists_every_command_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli_main.main(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    for name, entry in cli_main.COMMANDS.items():
        assert name in shown
        assert entry.summary in shown


def test_a_mistyped_command_is_answered_with_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli_main.main(["tset"])
    assert ended.value.code == 2
    assert "did you mean 'test'?" in capsys.readouterr().err


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> list[Exception]:
    """A command that raises what the test puts into the list."""
    errors: list[Exception] = []

    @click.command()
    def command() -> None:
        raise errors[0]

    monkeypatch.setattr(cli_main.CommandTable, "get_command", lambda _self, _ctx, _name: command)
    return errors


def run_main(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli_main.main(list(arguments))
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_our_own_error_ends_with_its_exit_code_message_and_hint(
    failing: list[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    failing.append(ProviderError("the server is away", hint="start it"))
    assert run_main("test") == 3
    assert capsys.readouterr().err == "error: the server is away\n  start it\n"


def test_an_unexpected_error_is_one_line_and_no_traceback(
    failing: list[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    failing.append(KeyError("who"))
    assert run_main("test") == 1
    shown = capsys.readouterr().err
    assert "internal error: KeyError: 'who' (test_main.py:" in shown
    assert "Traceback" not in shown


def test_debug_writes_the_traceback_to_a_file(failing: list[Exception], capsys: pytest.CaptureFixture[str]) -> None:
    failing.append(KeyError("who"))
    assert run_main("--debug", "test") == 1
    shown = capsys.readouterr().err
    place = shown.split("the traceback is in ")[1].strip()
    assert "Traceback (most recent call last)" in Path(place).read_text(encoding="utf-8")
    Path(place).unlink()


def test_an_error_message_cannot_move_the_cursor(failing: list[Exception], capsys: pytest.CaptureFixture[str]) -> None:
    failing.append(ProviderError("said \x1b[2J\x9b and \u202e"))
    run_main("test")
    assert "said \\x1b[2J\\x9b and \\u202e" in capsys.readouterr().err


def test_a_console_that_cannot_show_a_character_shows_an_escape() -> None:
    code = """
from seatrial.cli import streams, terminal
streams.prepare()
terminal.say("naïve 日本")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, check=False
    )
    assert done.stdout == "na\\xefve \\u65e5\\u672c\n"
    assert done.returncode == 0


def test_the_first_interrupt_stops_and_the_second_kills_even_a_deaf_program() -> None:
    code = """
import os, signal, sys
from seatrial.cli import terminal
with terminal.interruptible(lambda: print("stopping", flush=True)):
    os.kill(os.getpid(), signal.SIGINT)
    print("still here", flush=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, [])
    os.kill(os.getpid(), signal.SIGINT)
    print("never", flush=True)
"""
    done = run_in_fresh_process(code)
    assert done.stdout == "stopping\nstill here\n"
    assert done.returncode == -2


def test_handlers_are_put_back_after_the_command() -> None:
    import signal

    before = signal.getsignal(signal.SIGINT)
    with terminal.interruptible(lambda: None):
        pass
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("name", cli_main.COMMANDS)
def test_every_command_of_the_table_can_be_loaded_and_explains_itself(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(name, "--help") == 0
    assert "Usage: seatrial " + name in capsys.readouterr().out
