"""``seatrial run`` from end to end, with a model that follows a script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.fake_model import FakeModel, fake_model
from tests.support.streaming_model import StreamingModel, streaming_model
from tests.support.terminal import CTRL_C, Terminal

Run = Callable[..., subprocess.CompletedProcess[str]]
WriteAgent = Callable[..., Path]

CASES = [
    ("hello", "hello yourself", "x"),
    ("broken", {"error": "401: wrong key"}, "x"),
    ("evil", "\x1b[2J gone", "x"),
]


@pytest.fixture
def obedient() -> Iterator[FakeModel]:
    with fake_model() as model:
        yield model


@pytest.fixture
def patient() -> Iterator[StreamingModel]:
    with streaming_model() as model:
        yield model


def test_the_answer_is_all_that_stands_on_stdout(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    done = seatrial("run", "ask hello.")
    assert (done.returncode, done.stdout) == (0, "hello yourself\n")


def test_a_prompt_comes_through_a_pipe(write_agent: WriteAgent) -> None:
    folder = write_agent(CASES)
    done = subprocess.run(
        [sys.executable, "-m", "seatrial", "run"],
        cwd=folder,
        input="ask hello.\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "hello yourself\n")


def test_a_failing_provider_is_exit_code_3_and_its_own_words(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    done = seatrial("run", "ask broken.")
    assert (done.returncode, done.stdout) == (3, "")
    assert "401: wrong key" in done.stderr


def test_p017_an_answer_cannot_move_the_cursor(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    assert seatrial("run", "ask evil.").stdout == "\\x1b[2J gone\n"


def test_json_is_the_whole_result_with_exact_texts(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    found = json.loads(seatrial("run", "ask evil.", "--json").stdout)
    assert found["stop_reason"] == "stop"
    assert found["transcript"]["messages"][-1]["content"][0]["text"] == "\x1b[2J gone"


def test_steps_are_told_on_stderr(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    done = seatrial("run", "ask hello.", "--trace")
    assert done.stdout == "hello yourself\n"
    assert done.stderr.splitlines()[0] == "turn 1"
    assert done.stderr.splitlines()[-1] == "ended: stop"


def test_a_file_goes_with_the_prompt(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent(CASES)
    (folder / "notes.md").write_text("# Notes\n\nask hello.\n", encoding="utf-8")
    assert seatrial("run", "see the file", "--file", "notes.md").stdout == "hello yourself\n"
    assert seatrial("run", "see the file", "--file", "missing.md").returncode == 2


def run_with_input(folder: Path, data: bytes, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "seatrial", "run", *arguments]
    done = subprocess.run(command, cwd=folder, input=data, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def asked_of(folder: Path, model: StreamingModel, data: bytes, *arguments: str) -> str:
    write_endpoint(folder, model.url)
    model.answer("ok")
    code, _, told = run_with_input(folder, data, *arguments)
    assert code == 0, told
    return str(model.requests[-1]["messages"][-1]["content"][0]["text"])


def write_endpoint(folder: Path, url: str, more: str = "") -> None:
    model = f"model: {{provider: openai_compatible, name: m, endpoint: '{url}'}}"
    (folder / "agent.yaml").write_text(f"name: a\n{model}\ninstructions: x\n{more}", encoding="utf-8")


def test_stdin_goes_below_the_prompt_when_it_is_asked_for(tmp_path: Path, patient: StreamingModel) -> None:
    text = b"\xef\xbb\xbffirst\r\nsecond\n"
    assert asked_of(tmp_path, patient, text, "Shorten this:", "-") == "Shorten this:\n\nfirst\nsecond\n"
    assert asked_of(tmp_path, patient, text, "Hi.") == "Hi."
    assert asked_of(tmp_path, patient, text, "-") == "first\nsecond\n"
    assert asked_of(tmp_path, patient, b"", "Hi.", "-") == "Hi."


def test_ten_megabytes_are_a_prompt(tmp_path: Path, patient: StreamingModel) -> None:
    assert len(asked_of(tmp_path, patient, b"0123456789" * 1_000_000)) == 10_000_000


def test_stdin_that_is_no_text_is_told_with_the_way_to_attach_it(write_agent: WriteAgent) -> None:
    code, shown, told = run_with_input(write_agent(CASES), b"\x89PNG\r\n\x1a\n\x00")
    assert (code, shown) == (2, "")
    assert "standard input is no UTF-8 text (byte 1 of 9)" in told
    assert "--file PATH" in told


def test_a_prompt_without_quotes_is_told(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    done = seatrial("run", "ask", "hello.")
    assert done.returncode == 2
    assert "hello. is one argument too many: a prompt of several words needs quotes" in done.stderr


def test_streamed_text_is_there_before_the_answer_is_whole(tmp_path: Path) -> None:
    with streaming_model() as model:
        write_endpoint(tmp_path, model.url)
        with subprocess.Popen(
            [sys.executable, "-m", "seatrial", "run", "hi", "--stream"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            model.pieces.put("first")
            assert process.stdout.read(5) == "first"
            model.answer(" \x1b[2J", " last")
            shown, told = process.communicate(timeout=60)
    assert (process.returncode, shown, told) == (0, " \\x1b[2J last\n", "")


def test_of_streamed_text_that_was_reasoning_it_is_told(tmp_path: Path, seatrial: Run) -> None:
    with streaming_model() as model:
        write_endpoint(tmp_path, model.url)
        model.answer("They ask.", "\n</think>\nGood day.")
        done = seatrial("run", "hi", "--stream")
    assert (done.returncode, done.stdout) == (0, "They ask.\nGood day.\n")
    assert done.stderr == "the text above was the model's reasoning; its answer follows\n"


def test_without_streaming_reasoning_is_no_answer(tmp_path: Path, seatrial: Run) -> None:
    with streaming_model() as model:
        write_endpoint(tmp_path, model.url)
        model.answer("They ask.", "\n</think>\nGood day.")
        done = seatrial("run", "hi")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Good day.\n", "")


def test_a_model_that_does_not_stream_answers_all_the_same(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    done = seatrial("run", "ask hello.", "--stream")
    assert (done.returncode, done.stdout) == (0, "hello yourself\n")


def test_streamed_output_that_cannot_be_written_is_a_failure_and_a_reader_that_left_is_none(
    write_agent: WriteAgent,
) -> None:
    folder = write_agent(CASES)
    command = f"'{sys.executable}' -m seatrial run 'ask hello.' --stream"

    def shell(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=60, check=False)

    full = shell(f"{command} > /dev/full")
    assert (full.returncode, full.stderr) == (3, "error: the output cannot be written: No space left on device\n")
    left = shell(f"{command} | true; echo ${{PIPESTATUS[0]}}; {command} >&-")
    assert (left.returncode, left.stdout, left.stderr) == (0, "0\n", "")


def test_steps_do_not_run_into_streamed_text(tmp_path: Path, patient: StreamingModel) -> None:
    write_endpoint(tmp_path, patient.url)
    patient.answer("good ", "day")
    command = [sys.executable, "-m", "seatrial", "run", "hi", "--stream", "--trace"]
    with Terminal(command, tmp_path, os.environ) as terminal:
        assert terminal.end() == 0
        assert terminal.text.splitlines()[1:3] == ["good day", "  used    1200 + 34 tokens, cost unknown"]


def test_json_and_stream_are_two_things(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    done = seatrial("run", "ask hello.", "--stream", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--json and --stream both write to stdout: leave one of them out" in done.stderr


def test_turns_are_bounded_from_the_command_line(tmp_path: Path, obedient: FakeModel, seatrial: Run) -> None:
    tool = "tools: [{name: now, type: function, description: d, file: tools.py, function: now}]\n"
    write_endpoint(tmp_path, obedient.url, tool)
    (tmp_path / "tools.py").write_text("def now() -> str:\n    return 'noon'\n", encoding="utf-8")
    done = seatrial("run", "call now", "--max-turns", "1")
    assert (done.returncode, len(obedient.requests)) == (1, 1)
    assert "max_turns" in done.stderr
    assert seatrial("run", "call now", "--max-turns", "2").stdout == "noon\n"
    assert seatrial("run", "hi", "--max-turns", "0").returncode == 2


def test_ctrl_c_ends_a_streamed_answer_with_its_line_and_130(tmp_path: Path) -> None:
    with streaming_model() as model:
        write_endpoint(tmp_path, model.url)
        command = [sys.executable, "-m", "seatrial", "run", "hi", "--stream"]
        with Terminal(command, tmp_path, os.environ) as terminal:
            model.pieces.put("first")
            terminal.expect("first")
            terminal.send(CTRL_C)
            terminal.expect("\r\ninterrupted")
            assert terminal.end() == 130


def test_no_prompt_is_a_mistake(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    done = seatrial("run", "  ")
    assert done.returncode == 2
    assert "there is no prompt" in done.stderr
