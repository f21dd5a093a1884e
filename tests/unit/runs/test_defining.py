"""What a run remembers of the files that make its agent what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from seatrial.config.loaded import LoadedAgent
from seatrial.config.loader import load_agent
from seatrial.runs.changes import FileChange, changes_between
from seatrial.runs.defining import sources_of
from seatrial.runs.records import Source

KEY = "sk-canary-4711-do-not-write"
FILES = {
    "agent.yaml": """\
name: shop
model: {provider: scripted, name: script.json, api_key: sk-canary-4711-do-not-write}
instructions: {file: instructions.md}
response_format: answer.json
hooks: {before_tool_call: "hooks.py:before"}
tools:
  - {name: price, type: function, description: A price., file: tools.py, function: price}
  - {name: sum_up, type: prompt, description: Sums up., file: sum.md, parameters: {x: {type: str, description: X.}}}
  - {name: search, type: vectorstore, description: Searches., source: docs}
  - {name: stock, type: mcp, description: Stock., server: python stock.py --fast}
evaluations:
  metrics:
    - {type: code, name: mine, grader: "graders.py:grade"}
test_cases_file: cases.yaml
""",
    "script.json": '["Hi."]',
    "instructions.md": "Be kind.",
    "answer.json": '{"type": "object"}',
    "hooks.py": "def before(call): ...",
    "tools.py": "import json\nfrom pathlib import Path\nfrom rates import RATE\n"
    'DATA = json.loads((Path(__file__).parent / "data" / "prices.json").read_text())\n'
    f'KEY = "{KEY}"\n'
    "def price(item: str) -> int: ...",
    "rates.py": "RATE = 1",
    "unrelated.py": "",
    "data/prices.json": "{}",
    "sum.md": "{{x}}",
    "docs/a.md": "A tent.",
    "docs/__pycache__/a.pyc": "",
    "stock.py": "",
    "graders.py": "def grade(case): ...",
    "cases.yaml": '- {name: a, input: Hi, checks: [{python: "checks.py:check"}]}',
    "checks.py": "def check(answer): ...",
    ".env": "SHOP=1",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def load(folder: Path) -> LoadedAgent:
    loaded = load_agent(folder / "agent.yaml")
    assert not loaded.errors, loaded.errors
    return loaded


def kept(folder: Path) -> dict[str, Source]:
    return {source.path: source for source in sources_of(load(folder))}


def test_every_file_that_defines_the_agent_is_kept_and_no_other(shop: Path) -> None:
    found = kept(shop)
    others = {"unrelated.py", ".env", "docs/a.md", "docs/__pycache__/a.pyc"}
    assert set(found) == {*FILES, "docs/"} - others
    assert found["rates.py"].text == "RATE = 1"
    assert found["docs/"].text == ""


@pytest.mark.parametrize("name", sorted({*FILES} - {"unrelated.py", ".env", "docs/__pycache__/a.pyc"}))
def test_a_change_of_each_is_a_change_of_the_agent(shop: Path, name: str) -> None:
    before = kept(shop)
    with (shop / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    after = kept(shop)
    expected = "docs/" if name.startswith("docs/") else name
    assert [path for path in before if before[path] != after[path]] == [expected]


def test_secrets_are_masked_and_line_ends_are_no_change(shop: Path) -> None:
    before = kept(shop)
    assert KEY not in "".join(source.text for source in before.values())
    assert "[secret]" in before["tools.py"].text
    text = (shop / "tools.py").read_bytes()
    (shop / "tools.py").write_bytes(text.replace(b"\n", b"\r\n"))
    assert kept(shop)["tools.py"] == before["tools.py"]


def test_of_large_files_and_of_what_is_no_text_only_the_hash_is_kept(shop: Path) -> None:
    (shop / "data/prices.json").write_text(" " * 1_000_001 + "{}", encoding="utf-8")
    (shop / "stock.py").write_bytes(b"\xff\x00")
    found = kept(shop)
    assert (found["data/prices.json"].text, found["stock.py"].text) == ("", "")
    (shop / "stock.py").write_bytes(b"\xff\x01")
    assert kept(shop)["stock.py"].sha256 != found["stock.py"].sha256


def test_what_the_code_itself_writes_to_is_no_part_of_the_agent(shop: Path) -> None:
    log = 'open("log.txt", "a").write(item)'
    (shop / "tools.py").write_text(f"def price(item: str) -> None:\n    {log}\n", encoding="utf-8")
    (shop / "log.txt").write_text("", encoding="utf-8")
    assert "log.txt" not in kept(shop)


def test_a_list_written_when_fewer_files_were_kept_tells_nothing_of_the_others(shop: Path) -> None:
    now = [*kept(shop).values()]
    old = [source for source in now if source.path == "agent.yaml"]
    assert changes_between(old, now, are_whole=False).files == ()
    assert FileChange("tools.py", "added") in changes_between(old, now).files
