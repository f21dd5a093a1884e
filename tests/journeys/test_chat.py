"""``seatrial chat`` in a real pseudo-terminal, against models on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from PIL import Image
from tests.support.fake_model import FakeModel, fake_model
from tests.support.streaming_model import StreamingModel, streaming_model
from tests.support.terminal import CTRL_C, CTRL_D, ENTER, TAB, UP, Terminal

SOURCE = Path(__file__).parents[2] / "src"
AGENT = """\
# Our shop.
name: shop
model:
  provider: openai_compatible
  name: some-model
  endpoint: {url}
instructions: Answer briefly.  # not too briefly
tools:
  - {{name: price, type: function, description: What a thing costs., file: tools.py, function: price}}
  - {{name: fail, type: function, description: Fails., file: tools.py, function: fail}}
"""
TOOLS = '''\
def price(thing: str) -> str:
    """What it costs."""
    print("looked up", thing)
    return f"{thing}: 12 euros"


def fail() -> str:
    raise ValueError("no such thing")
'''
Chat = Callable[..., Terminal]


@pytest.fixture
def patient() -> Iterator[StreamingModel]:
    with streaming_model() as model:
        yield model


@pytest.fixture
def obedient() -> Iterator[FakeModel]:
    with fake_model() as model:
        yield model


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Path]:
    def write(url: str, more: str = "") -> Path:
        (tmp_path / "agent.yaml").write_text(AGENT.format(url=url) + more, encoding="utf-8")
        (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Chat]:
    """Starts a chat in the test's folder."""
    opened: list[Terminal] = []

    def start(*arguments: str, rows: int = 30, columns: int = 100, **env: str) -> Terminal:
        terminal = Terminal(
            [sys.executable, "-m", "seatrial", "chat", *arguments],
            tmp_path,
            {
                **os.environ,
                "PYTHONPATH": str(SOURCE),
                "TERM": "xterm-256color",
                "XDG_STATE_HOME": str(tmp_path / "state"),
                **env,
            },
            rows=rows,
            columns=columns,
        )
        opened.append(terminal)
        return terminal

    yield start
    for terminal in opened:
        terminal.__exit__(None, None, None)


def piped(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A chat that is no terminal's, with this text as its input."""
    command = [sys.executable, "-m", "seatrial", "chat", *arguments]
    return subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, timeout=60, check=False)


def said(model: StreamingModel | FakeModel) -> list[str]:
    """What the user said in the last request."""
    messages = [message for message in model.requests[-1]["messages"] if message["role"] == "user"]
    return [
        content if isinstance(content := message["content"], str) else "".join(part["text"] for part in content)
        for message in messages
    ]


def test_the_answer_is_shown_piece_by_piece_and_then_as_markdown(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel
) -> None:
    project(patient.url)
    terminal = chat()
    terminal.expect("/help lists the commands")
    terminal.enter("hello")
    patient.pieces.put("It is **very")
    terminal.expect("It is **very")
    patient.answer(" good**, really.\n\nAnd more.")
    terminal.expect("It is very good, really.")
    terminal.expect("And more.")
    terminal.expect("1,200 + 34 tokens, cost unknown")
    terminal.enter("/quit")
    assert terminal.end() == 0


def test_a_paragraph_longer_than_a_line_is_shown_to_its_end_while_it_comes(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel
) -> None:
    project(patient.url)
    terminal = chat(columns=41)  # four pieces in a row
    terminal.expect("/help lists the commands")
    terminal.enter("hello")
    for number in range(30):
        patient.pieces.put(f" piece{number:04d}")
        terminal.expect(f"piece{number:04d}")
    patient.answer(" 界" * 20 + " done.")
    terminal.expect("done.")


def test_text_that_turns_out_to_be_reasoning_does_not_stay_as_the_answer(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel
) -> None:
    project(patient.url)
    terminal = chat()
    terminal.expect("/help lists the commands")
    terminal.enter("hello")
    patient.pieces.put("hm, a greeting")
    terminal.expect("hm, a greeting")
    patient.answer("\n</think>\n\nGood day.")
    shown = terminal.expect("tokens")
    assert "Good day." in shown
    assert "a greeting" not in shown  # nothing of it was painted to stay
    assert "the text above" not in shown

    terminal.enter("and?")
    patient.pieces.put("They ask.\n\nI think")
    terminal.expect("I think")
    patient.answer("\n</think>More.")
    terminal.expect("the text above was the model's reasoning; its answer follows")
    terminal.expect("More.")

    terminal.enter("/trace on")
    terminal.expect("with reasoning")
    terminal.enter("hello")
    patient.answer("one more greeting", "\n</think>Good day again.")
    terminal.expect("one more greeting")
    assert "the text above" not in terminal.expect("Good day again.")


@pytest.mark.parametrize("arguments", [(), ("--trace",)])
def test_piped_only_the_answer_is_on_stdout_when_a_model_closes_thoughts_that_it_never_opened(
    arguments: tuple[str, ...], project: Callable[..., Path], patient: StreamingModel
) -> None:
    folder = project(patient.url)
    patient.answer("They ask.\n\nI think", "\n</think>Good day.")
    done = piped(folder, "hello\n", *arguments)
    assert (done.returncode, done.stdout) == (0, "Good day.\n")
    assert ("thinks: They ask.\n\nI think" in done.stderr) == bool(arguments)


def test_plain_says_of_lines_that_stand_there_that_they_were_reasoning(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel
) -> None:
    project(patient.url)
    terminal = chat("--plain")
    terminal.expect("you: ")
    terminal.enter("hello")
    patient.answer("They ask.\nI think", "\n</think>Good day.")
    terminal.expect("agent: They ask.")
    terminal.expect("warning: the text above was the model's reasoning; its answer follows")
    terminal.expect("agent: Good day.")


def test_a_tool_call_is_shown_with_arguments_result_and_time_and_whole_with_trace(
    project: Callable[..., Path], chat: Chat, obedient: FakeModel
) -> None:
    project(obedient.url)
    terminal = chat()
    terminal.enter('call price {"thing": "tent"}')
    terminal.expect('calls   price(thing: "tent")')
    terminal.expect("gave    price: tent: 12 euros")
    terminal.expect(" s)")
    terminal.expect("40 + 12 tokens")
    terminal.enter("/trace")
    terminal.expect('"thing": "tent"')
    terminal.expect("used     20 + 6 tokens, cost unknown (openai_compatible some-model, stop)")
    terminal.enter("call fail")
    terminal.expect("failed  fail:")
    terminal.expect("no such thing")
    terminal.send(CTRL_D)
    assert terminal.end() == 0


def test_ctrl_c_stops_the_answer_and_the_conversation_goes_on(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel
) -> None:
    project(patient.url)
    terminal = chat()
    terminal.enter("one")
    patient.pieces.put("It begins")
    terminal.expect("It begins")
    terminal.send(CTRL_C)
    terminal.expect("stopped")
    patient.say_until_the_client_left()
    terminal.enter("two")
    patient.answer("second answer")
    terminal.expect("second answer")
    assert said(patient) == ["one", "two"]
    terminal.expect("tokens")
    terminal.enter("/quit")
    assert terminal.end() == 0


def test_a_second_ctrl_c_leaves_and_the_terminal_is_as_it_was(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel
) -> None:
    project(patient.url)
    terminal = chat()
    before = terminal.modes
    assert before & termios.ECHO
    terminal.enter("one")
    patient.pieces.put("It begins")
    terminal.expect("It begins")
    terminal.send(CTRL_C)
    terminal.send(CTRL_C)
    assert terminal.end() == 130
    assert terminal.modes == before


def test_ctrl_c_at_an_empty_prompt_tells_how_to_leave_and_first_clears_what_was_typed(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel
) -> None:
    project(patient.url)
    terminal = chat()
    terminal.expect("/help lists the commands")
    terminal.send("half a sentence")
    terminal.expect("half a sentence")
    terminal.send(CTRL_C)
    terminal.send(CTRL_C)
    terminal.expect("Ctrl-C once more leaves")
    terminal.send(CTRL_C)
    assert terminal.end() == 130


def test_what_is_entered_during_a_tool_call_is_told_before_the_next_step(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel, tmp_path: Path
) -> None:
    project(patient.url)
    (tmp_path / "tools.py").write_text(
        "from pathlib import Path\nfrom time import sleep\n\ndef price(thing: str) -> str:\n"
        "    while not Path('go').exists():\n        sleep(0.01)\n    return '12'\n\ndef fail():\n    return ''\n"
    )
    terminal = chat()
    terminal.enter("price?")
    call = {"index": 0, "id": "c1", "function": {"name": "price", "arguments": '{"thing": "tent"}'}}
    patient.answer({"tool_calls": [call]})
    terminal.expect("calls   price")
    terminal.enter("in dollars please")
    terminal.expect("before the agent's next step")
    (tmp_path / "go").touch()
    patient.answer("13 dollars")
    terminal.expect("13 dollars")
    assert said(patient) == ["price?", "in dollars please"]


@pytest.mark.parametrize(("answer", "shown"), [("yes", "gave    price: tent: 12 euros"), ("too dear", "too dear")])
def test_a_call_that_waits_for_approval_is_asked_for(
    project: Callable[..., Path], chat: Chat, obedient: FakeModel, tmp_path: Path, answer: str, shown: str
) -> None:
    project(obedient.url, "hooks: {before_tool_call: ['hooks.py:ask']}\n")
    (tmp_path / "hooks.py").write_text(
        "from seatrial.core.hooks import Ask\n\ndef ask(ahead):\n    return Ask('it costs money')\n"
    )
    terminal = chat()
    terminal.enter('call price {"thing": "tent"}')
    terminal.expect('May it call price(thing: "tent")? (it costs money)')
    terminal.expect("answer>")
    terminal.enter(answer)
    terminal.expect(shown)
    terminal.expect("tokens")


def test_p017_an_answer_cannot_move_the_cursor_or_hide_where_a_link_leads(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel
) -> None:
    project(patient.url)
    terminal = chat()
    terminal.expect("/help lists the commands")
    terminal.enter("go")
    evil = "\x1b]0;owned\x07\x1b[2J\x1b[31m [bank](https://evil.example/x) a\u202eb &#x202e; <b>c</b> \x9b5n\r gone"
    patient.pieces.put(evil)
    terminal.expect("\\x1b]0;owned\\x07\\x1b[2J")
    patient.answer(".")
    terminal.expect("bank (https://evil.example/x)")
    terminal.expect("tokens")
    for harm in ("\x1b]0;owned", "\x1b[2J\x1b[31m", "\u202e", "\x9b", "\x1b]8"):
        assert harm not in terminal.raw
    assert "a\\u202eb \\u202e <b>c</b>" in terminal.text


def test_a_secret_that_the_model_says_piece_by_piece_is_not_shown(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel
) -> None:
    project(patient.url)
    terminal = chat(SHOP_API_KEY="sk-canary-0123456789")
    terminal.expect("/help lists the commands")
    terminal.enter("go")
    patient.answer("the key is ", "sk-ca", "nary-", "0123", "456789", " indeed")
    terminal.expect("the key is [secret] indeed")
    assert "canary" not in terminal.raw


def test_save_makes_a_test_case_and_keeps_the_rest_of_the_file(
    project: Callable[..., Path], chat: Chat, obedient: FakeModel
) -> None:
    folder = project(obedient.url)
    before = (folder / "agent.yaml").read_text(encoding="utf-8")
    terminal = chat()
    terminal.enter('call price {"thing": "${HOME}"}')
    terminal.expect("tokens")
    terminal.enter("thank you")
    terminal.expect("tokens")
    terminal.enter("/save price of a tent --answer")
    terminal.expect("the case 'price of a tent' expects price")
    terminal.expect("seatrial test agent.yaml --case 'price of a tent'")
    text = (folder / "agent.yaml").read_text(encoding="utf-8")
    assert text.startswith(before)
    case = yaml.safe_load(text)["test_cases"][0]
    assert case["name"] == "price of a tent"
    assert [turn["expected_tools"] for turn in case["turns"]] == [["price"], []]
    assert case["turns"][0]["input"] == 'call price {"thing": "$${HOME}"}'
    terminal.enter("/save price of a tent")
    terminal.expect("has a test case 'price of a tent' already")
    terminal.enter("/reset")
    terminal.expect("a new conversation")
    terminal.enter("/load price of a tent")
    terminal.expect('calls   price(thing: "${HOME}")')


def test_a_conversation_with_a_call_of_a_tool_that_there_is_not_can_be_saved(
    project: Callable[..., Path], patient: StreamingModel
) -> None:
    folder = project(patient.url)
    call = {"index": 0, "id": "c1", "function": {"name": "pirce", "arguments": "{}"}}
    right = {"index": 0, "id": "c2", "function": {"name": "price", "arguments": '{"thing": "tent"}'}}
    patient.answer({"tool_calls": [call]})
    patient.answer({"tool_calls": [right]})
    patient.answer("12 euros.")
    done = piped(folder, "What costs a tent?\n/save tent\n")
    assert done.returncode == 0, done.stderr
    assert "the case 'tent' expects price" in done.stderr
    case = yaml.safe_load((folder / "agent.yaml").read_text(encoding="utf-8"))["test_cases"][0]
    assert case["expected_tools"] == ["price"]


def test_a_file_goes_with_the_message_that_names_it(
    project: Callable[..., Path], chat: Chat, obedient: FakeModel
) -> None:
    folder = project(obedient.url)
    (folder / "notes.md").write_text("Tents are sold out.", encoding="utf-8")
    terminal = chat()
    terminal.enter("see @notes.md, and write to me@example.org")
    terminal.expect("tokens")
    assert "Tents are sold out." in str(obedient.requests[-1]["messages"])
    terminal.enter("/files")
    terminal.expect("notes.md  (sent)")
    terminal.enter("see @missing/notes.md")
    terminal.expect("there is no file missing/notes.md")


def test_a_picture_is_seen_and_a_case_with_files_of_any_kind_can_be_saved(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel
) -> None:
    folder = project(patient.url)
    Image.new("RGB", (8, 8), "red").save(folder / "red.png")
    for name in ("notes.md", "rows.jsonl", "odd.thing"):
        (folder / name).write_text("{}", encoding="utf-8")
    terminal = chat()
    patient.answer("Red.")
    terminal.enter("see @red.png @notes.md @rows.jsonl @odd.thing")
    terminal.expect("tokens")
    assert "data:image/" in str(patient.requests[-1]["messages"])
    terminal.enter("/save files")
    terminal.expect("the case 'files' expects no tool call")
    (case,) = yaml.safe_load((folder / "agent.yaml").read_text(encoding="utf-8"))["test_cases"]
    assert [file["type"] for file in case["files"]] == ["image", "text", "text", "text"]


def test_history_lasts_over_sessions_and_commands_are_completed(
    project: Callable[..., Path], chat: Chat, obedient: FakeModel
) -> None:
    project(obedient.url)
    first = chat()
    first.enter("remember me")
    first.expect("tokens")
    first.enter("/quit")
    assert first.end() == 0
    second = chat()
    second.expect("/help lists the commands")
    second.send(UP + UP)
    second.expect("remember me")
    second.send(CTRL_C)
    second.send("/us")
    second.expect("tokens and cost until now")
    second.send(TAB + ENTER + ENTER)
    second.expect("0 turns")


def test_several_lines_are_one_message(project: Callable[..., Path], chat: Chat, obedient: FakeModel) -> None:
    project(obedient.url)
    terminal = chat()
    terminal.expect("/help lists the commands")
    terminal.send("first\\\rsecond\x1b\rthird\r")
    terminal.expect("tokens")
    assert said(obedient) == ["first\nsecond\nthird"]


@pytest.mark.parametrize("size", [(6, 20), (24, 80)])
def test_no_colour_where_it_is_not_wanted_also_in_a_narrow_window(
    project: Callable[..., Path], chat: Chat, obedient: FakeModel, size: tuple[int, int]
) -> None:
    project(obedient.url)
    terminal = chat(rows=size[0], columns=size[1], NO_COLOR="1")
    terminal.enter('call price {"thing": "tent"}')
    terminal.expect("euros")
    terminal.expect("tokens")
    assert not [code for code in ("\x1b[31", "\x1b[36", "\x1b[33", "\x1b[9", "38;5") if code in terminal.raw]


def test_plain_says_in_words_who_speaks_and_draws_nothing(
    project: Callable[..., Path], chat: Chat, obedient: FakeModel
) -> None:
    project(obedient.url)
    terminal = chat("--plain")
    terminal.expect("you: ")
    terminal.enter('call price {"thing": "tent"}')
    terminal.expect('calls   price(thing: "tent")')
    terminal.expect("agent: tent: 12 euros")
    terminal.expect("you: ")
    terminal.send(CTRL_D)
    assert terminal.end() == 0
    assert "\x1b" not in terminal.raw


def test_plain_ctrl_c_stops_the_answer_and_then_leaves(
    project: Callable[..., Path], chat: Chat, patient: StreamingModel
) -> None:
    project(patient.url)
    terminal = chat("--plain")
    terminal.expect("you: ")
    terminal.enter("go")
    patient.pieces.put("first line\nsecond")
    terminal.expect("agent: first line")
    terminal.send(CTRL_C)
    terminal.expect("stopped")
    terminal.expect("you: ")
    terminal.send(CTRL_C)
    assert terminal.end() == 130
