"""Code of the user's tools, hooks and checks cannot make a suite green by ending it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

AGENT = """\
name: x
model: {provider: scripted, name: script.json}
instructions: hi
tools: [{name: t, type: function, description: d, file: code.py, function: t}]
hooks: {before_tool_call: "code.py:hook"}
test_cases:
  - {name: before, input: plain, checks: [{contains: fine}]}
  - {name: hostile, input: hostile, checks: [{python: "code.py:check"}]}
  - {name: after, input: plain, checks: [{contains: fine}]}
"""
SCRIPT = """{"conversations": [
  {"when": "hostile", "replies": [{"calls": [{"name": "t"}]}, "fine"]}, {"when": "", "replies": ["fine"]}]}"""
HARMLESS = """\
import asyncio, os, sys, time
def t(): return "ok"
def hook(call): return None
def check(output): return True
"""
LIMITED = "instructions: hi\nlimits: {timeout_s: 0.25}"
DEAF = """
async def t():
    while True:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            pass
"""
FORKS = """\
def check(output):
    child = os.fork()
    if child == 0:
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0
"""


def seatrial(
    folder: Path, code: str, *options: str, agent: str = AGENT, start: Sequence[str] = ("-m", "seatrial")
) -> subprocess.CompletedProcess[str]:
    """Runs the suite with this code of the user's, put after code that does no harm."""
    for name, text in (("agent.yaml", agent), ("script.json", SCRIPT), ("code.py", f"{HARMLESS}{code}\n")):
        (folder / name).write_text(text, encoding="utf-8")
    return run(folder, *start, "test", *options)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    "hostile",
    [
        "def check(output): raise asyncio.CancelledError",
        "async def check(output):\n    asyncio.current_task().cancel()\n    await asyncio.sleep(0)",
        "def check(output): sys.exit(0)",
        "def check(output): raise KeyboardInterrupt",
        "class Own(BaseException): ...\ndef check(output): raise Own('sk-canary-0123456789')",
        "def hook(call): sys.exit(0)",
        "async def hook(call): sys.exit(0)",
        "async def t():\n    asyncio.current_task().cancel()\n    await asyncio.sleep(0)",
        "async def t():\n    asyncio.get_running_loop().call_soon(sys.exit, 0)\n    await asyncio.sleep(1)",
    ],
)
def test_code_that_ends_itself_or_the_program_is_never_a_success(tmp_path: Path, hostile: str) -> None:
    ended = seatrial(tmp_path, hostile, "--concurrency", "1")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr
    assert "sk-canary-0123456789" not in ended.stderr
    if "call_soon" not in hostile:
        assert "2 of 3 passed" in ended.stdout


@pytest.mark.parametrize(
    "hostile",
    [
        "def t(): sys.exit(0)",
        "async def t(): sys.exit(0)",
        "async def t(): raise asyncio.CancelledError",
    ],
)
def test_a_tool_that_ends_itself_is_an_error_result_and_every_case_is_still_run(tmp_path: Path, hostile: str) -> None:
    ended = seatrial(tmp_path, hostile, "--concurrency", "1")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "3 of 3 passed" in ended.stdout
    assert "t: error" in ended.stdout


@pytest.mark.parametrize("hook", ["def hook(call): raise RuntimeError('no user')", "def hook(call): return 'yes'"])
@pytest.mark.parametrize("moment", ["before_tool_call", "after_tool_call"])
def test_a_hook_that_fails_makes_its_cases_errored_and_says_why(tmp_path: Path, hook: str, moment: str) -> None:
    agent = AGENT.replace("before_tool_call", moment)
    ended = seatrial(tmp_path, hook, agent=agent)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "2 of 3 passed" in ended.stdout
    assert f"the hook {moment} failed at t" in ended.stdout
    assert "✗ t: error" in ended.stdout


@pytest.mark.parametrize(
    "hostile", ["def check(output): os._exit(0)", "def t(): os._exit(0)", "def hook(call): os._exit(0)"]
)
def test_code_that_ends_the_process_at_once_is_told_and_no_success(tmp_path: Path, hostile: str) -> None:
    ended = seatrial(tmp_path, hostile, "--concurrency", "1")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "ended the process with os._exit(0)" in ended.stderr


def test_a_child_that_a_tool_forks_ends_as_it_likes(tmp_path: Path) -> None:
    ended = seatrial(tmp_path, FORKS, "--concurrency", "1")
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_a_tool_that_takes_no_notice_of_being_stopped_holds_up_nothing(tmp_path: Path) -> None:
    ended = seatrial(tmp_path, DEAF, agent=AGENT.replace("function: t}", "function: t, timeout_s: 0.2}"))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "3 of 3 passed" in ended.stdout
    assert "destroyed" not in ended.stderr


@pytest.mark.parametrize(
    "blocking",
    [
        "async def hook(call): time.sleep(0.3)",
        "def t():\n    time.sleep(0.3)\n    return 'late'",
        "async def t():\n    time.sleep(0.3)\n    return 'late'",
    ],
)
def test_code_that_holds_the_event_loop_beyond_the_time_limit_does_not_pass(tmp_path: Path, blocking: str) -> None:
    limited = AGENT.replace("function: t}", "function: t, thread: main}").replace("instructions: hi", LIMITED)
    ended = seatrial(tmp_path, blocking, "--concurrency", "1", agent=limited)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "stopped by its limit timeout_s after 0.3" in ended.stdout


@pytest.mark.parametrize("loop", ["uvloop", "asyncio"])
@pytest.mark.parametrize("where", ["async def t():", "async def hook(call):", "async def check(output):"])
def test_code_that_stops_the_event_loop_is_named_and_what_was_finished_is_kept(
    tmp_path: Path, loop: str, where: str
) -> None:
    stops = f"{where}\n    asyncio.get_running_loop().stop()\n    return None\n"
    slow = "import seatrial.cli.running as r; r._fast_loop = lambda: None; " if loop == "asyncio" else ""
    start = f"import sys; sys.argv[0] = 'seatrial'; {slow}from seatrial.__main__ import main; sys.exit(main())"
    ended = seatrial(tmp_path, stops, "--concurrency", "1", start=("-c", start))
    assert ended.returncode == 3, ended.stdout + ended.stderr
    assert "code of a tool, a hook or a check stopped the event loop" in ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr
    assert "internal error" not in ended.stdout + ended.stderr
    assert "before" in run(tmp_path, "-m", "seatrial", "runs", "show").stdout
