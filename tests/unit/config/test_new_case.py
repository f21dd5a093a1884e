"""A case put into an agent file; everything else of the file stays byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.config.loader import load_agent
from seatrial.config.new_case import NewCase, NewTurn, add_case
from seatrial.errors import ConfigError

HEAD = "# mine\nname: a   # the name\nmodel: local:minilm-extractive\ninstructions: Hi.\n"
TOOL = "tools:\n  - {name: t, type: prompt, description: d, template: '{q}', parameters: {q: {type: string}}}\n"
CASE = NewCase("new", (NewTurn("ask", ("t", "t")),))


def added(folder: Path, text: str, case: NewCase = CASE) -> str:
    path = folder / "agent.yaml"
    path.write_bytes(text.encode())
    add_case(path, case)
    return path.read_bytes().decode()


@pytest.mark.parametrize(
    ("cases", "end"),
    [
        ("", "\ntest_cases:\n  "),
        ("test_cases:\n  - input: x\n    expected_tools: []\n", "  "),
        (
            "test_cases:\n  - input: x\n    expected_tools: []\n\n  # second\n  - input: y\n    expected_tools: []\n",
            None,
        ),
        ("test_cases: []\n", None),
        ("test_cases:\n", None),
        ("test_cases:\n- input: x\n  expected_tools: []\nlimits: {max_turns: 3}\n", None),
    ],
)
def test_it_stands_behind_the_others_and_the_rest_stays(tmp_path: Path, cases: str, end: str | None) -> None:
    before = HEAD + TOOL + cases
    after = added(tmp_path, before)
    config = load_agent(tmp_path).require()
    assert config.test_cases[-1].label == "new"
    assert [(tool.name, tool.count) for tool in config.test_cases[-1].expected_tools or ()] == [("t", 2)]
    kept = [line for line in before.splitlines() if not line.startswith("test_cases")]
    assert [line for line in after.splitlines() if line in kept] == kept
    if end is not None:
        assert after.startswith(before + end)


def test_line_ends_byte_order_mark_and_rights_stay(tmp_path: Path) -> None:
    path = tmp_path / "agent.yaml"
    before = b"\xef\xbb\xbf" + (HEAD + TOOL).replace("\n", "\r\n").encode()
    path.write_bytes(before)
    path.chmod(0o640)
    add_case(path, CASE)
    after = path.read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == after.count(b"\r\n")
    assert path.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["agent.yaml"]


def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "agent.yaml").write_text(HEAD + TOOL)
    (tmp_path / "agent.yaml").symlink_to(tmp_path / "real" / "agent.yaml")
    add_case(tmp_path, CASE)
    assert (tmp_path / "agent.yaml").is_symlink()
    assert load_agent(tmp_path / "real").require().test_cases


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEAD + TOOL + "test_cases: [{input: x, expected_tools: []}]\n", "no list of lines with dashes"),
        (HEAD + TOOL + "test_cases:\n  - {name: new, input: x, expected_tools: []}\n", "has a test case 'new' already"),
        (HEAD, "would not be valid with it"),
        ("- a list\n", "cannot be read as YAML keys"),
    ],
)
def test_what_it_cannot_do_it_says_and_leaves_the_file_alone(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        added(tmp_path, text)
    assert told in caught.value.message
    assert (tmp_path / "agent.yaml").read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["agent.yaml"]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n"), min_size=1, max_size=80))
def test_whatever_was_asked_is_asked_again(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    if not text.strip():
        return
    folder = tmp_path_factory.mktemp("case")
    added(folder, HEAD + TOOL, NewCase("new", (NewTurn(text), NewTurn("${HOME} and $${x}", ("t",))), "truth"))
    case = load_agent(folder, environ={"HOME": "wrong"}).require().test_cases[0]
    assert [turn.input for turn in case.turns] == [text, "${HOME} and $${x}"]
    assert case.turns[1].ground_truth == "truth"
