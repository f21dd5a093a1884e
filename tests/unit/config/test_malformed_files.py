"""What people get wrong in an agent file, and what they are told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.unit.config.conftest import HEAD, Load

from seatrial.config.loader import load_agent

_PRICE = "  - {name: price, type: function, description: Price., file: tools.py, function: price}\n"
_STAND_INS = {
    "{price tool}\n": "tools:\n" + _PRICE,
    "{51 tools}\n": "tools:\n" + "".join(_PRICE.replace("price,", f"p{i},", 1) for i in range(51)),
    "{101 cases}\n": "test_cases:\n" + "  - {input: a, checks: none}\n" * 101,
    "{11 files}\n": "      - {path: prompt.md, type: text}\n" * 11,
    "{U+0001}": "\x01",
}


class Mistake(NamedTuple):
    name: str
    line: int
    code: str
    message: str
    hint: str
    text: str


def mistakes() -> list[Mistake]:
    sections = Path(__file__).with_name("mistakes.txt").read_text("utf-8").split("=== ")[1:]
    return [read_mistake(section) for section in sections]


def read_mistake(section: str) -> Mistake:
    name, expected, text = section.split("\n", 2)
    for short, full in _STAND_INS.items():
        text = text.replace(short, full)
    match = re.fullmatch(r"--> (\d+) (\w+) (.*) \|(.*)", expected)
    assert match is not None, expected
    return Mistake(name, int(match[1]), match[2], match[3], match[4].strip(), text)


@pytest.mark.parametrize("mistake", mistakes(), ids=lambda mistake: mistake.name)
def test_a_mistake_is_told_at_its_line_with_what_to_write(load_more: Load, mistake: Mistake) -> None:
    loaded = load_more(mistake.text)
    assert [(error.line, error.code) for error in loaded.errors] == [(mistake.line, mistake.code)]
    assert mistake.message in loaded.errors[0].message
    assert mistake.hint in (loaded.errors[0].hint or "")
    assert loaded.errors[0].snippet is not None
    assert loaded.config is None


@pytest.mark.parametrize(
    ("old", "new", "line", "code", "hint"),
    [
        ("openai\n  name: gpt-4o-mini\n", "openai\n", 2, "ST104", ""),
        ("  provider: openai\n  name:", "  - provider: openai\n  - name:", 2, "ST105", "dash"),
        ("model:\n  provider: openai\n  name: gpt-4o-mini\n", "model: gpt-4o\n", 2, "ST105", "`provider:name`"),
        ("instructions", "instructionz", 5, "ST102", "did you mean `instructions`?"),
        ("instructions:\n  inline: Answer briefly.\n", "", 1, "ST104", ""),
        ("  inline: Answer briefly.\n", "", 5, "ST104", "indent"),
        ("Answer briefly.", "' '", 6, "ST404", ""),
        ("Answer briefly.", "x" * 5001, 6, "ST403", ""),
        ("  inline: Answer briefly.", "  inline: Hi.\n  file: prompt.md", 7, "ST201", "keep one"),
        ("inline: Answer briefly.", "file: promt.md", 6, "ST301", "did you mean prompt.md?"),
        ("inline: Answer briefly.", "file: data", 6, "ST302", ""),
        ("name: shop", "name: my shop", 1, "ST402", ""),
        ("name: shop", "name: 1", 1, "ST402", ""),
        ("name: shop", "name: [a]", 1, "ST105", ""),
        ("name: shop", "name: " + "a" * 101, 1, "ST403", ""),
        ("gpt-4o-mini", "gpt-4o-mini\n  temperature: 3.5", 5, "ST405", ""),
        ("gpt-4o-mini", 'gpt-4o-mini\n  temperature: "hot"', 5, "ST105", ""),
        ("gpt-4o-mini", "gpt-4o-mini\n  max_tokens: 0", 5, "ST405", ""),
        ("gpt-4o-mini", "gpt-4o-mini\n  top_p: -1", 5, "ST405", ""),
        ("gpt-4o-mini", "gpt-4o-mini\n  base_url: http://x", 5, "ST102", "did you mean `endpoint`?"),
    ],
)
def test_a_mistake_in_the_required_blocks_is_told(
    load: Load, old: str, new: str, line: int, code: str, hint: str
) -> None:
    loaded = load(HEAD.replace(old, new, 1))
    assert [(error.line, error.code) for error in loaded.errors] == [(line, code)]
    assert hint in (loaded.errors[0].hint or "")


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (b"", "ST108", "agent.yaml is empty"),
        (b"# nothing yet\n", "ST108", "agent.yaml is empty"),
        (b"- a\n", "ST108", "not a list"),
        (b"hello\n", "ST108", "holds keys"),
        ("name: caf\xe9\n".encode("latin-1"), "ST106", "not UTF-8: byte 0xe9 in line 1"),
        ("name: shop\n".encode("utf-16"), "ST106", "UTF-16"),
        (b"name shop\nmodel:\n  provider: openai\n", "ST101", "colon is missing after `name shop`"),
    ],
)
def test_a_file_that_is_no_agent_file_gives_one_finding(load: Load, content: bytes, code: str, words: str) -> None:
    loaded = load(content)
    assert [finding.code for finding in loaded.diagnostics] == [code]
    assert words in loaded.diagnostics[0].message


def test_ten_mistakes_of_all_sorts_are_told_at_once(load: Load) -> None:
    text = HEAD.replace("openai\n", "openai\n  temprature: 0.1\n").replace("shop", "my shop") + (
        "tools:\n  - {name: price, type: fuction, description: Price., file: tols.py, function: price}\n"
        "evaluations:\n  metrics:\n    - {metric: bleu, treshold: 4}\n"
        "test_cases:\n  - {input: '', expected_tool: [prize]}\n  - {input: a, checks: [regex: '(']}\n"
        "author: ${NOBODY}\nlimits: {max_turns: 0}\n"
    )
    codes = sorted(error.code for error in load(text).errors)
    assert codes == ["ST102", "ST102", "ST102", "ST301", "ST303", "ST305", "ST402", "ST404", "ST405", "ST406", "ST408"]


def test_a_folder_without_an_agent_file_is_told_with_what_is_there(project: Path) -> None:
    (project / "shop.yaml").write_text(HEAD)
    loaded = load_agent(project, environ={})
    assert [error.code for error in loaded.errors] == ["ST301"]
    assert "shop.yaml" in (loaded.errors[0].hint or "")
