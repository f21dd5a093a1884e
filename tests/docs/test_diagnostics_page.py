"""The page about findings has a section for every code, and its examples do what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seatrial.assembly.check import check
from seatrial.config.diagnostics import CODES
from seatrial.config.loader import load_agent

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "diagnostics.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (ST\d{3})\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
HEAD = "name: shop\nmodel: local:minilm-extractive\ninstructions: Answer briefly.\n"
FILES = {
    "tools.py": "def price(sku: str) -> str:\n    return sku\n",
    "broken.py": "def price(:\n",
    "prompt.md": "You help.\n",
    "bad-frontmatter.md": "---\na: b: c\n---\nYou help.\n",
    "data/faq.md": "# FAQ\n",
    "cases.csv": "input,checks\nHello,none\n",
    "ragged.csv": "input,checks\nHello,none,more\n",
}


def test_the_page_has_a_section_for_every_code_and_no_other() -> None:
    assert SECTIONS.keys() == CODES.keys()


@pytest.mark.parametrize("code", CODES)
def test_the_wrong_example_gives_the_code_and_the_right_one_does_not(code: str, tmp_path: Path) -> None:
    wrong, right = re.findall(r"^```yaml\n(.*?)^```", SECTIONS[code], re.MULTILINE | re.DOTALL)
    assert code in codes_of(wrong, tmp_path)
    assert code not in codes_of(right, tmp_path)
    assert codes_of(right, tmp_path) <= {"ST502", "ST503", "ST508", "ST302"}


def codes_of(example: str, folder: Path) -> set[str]:
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    text = example.replace("→", "\t").replace("␇", "\a")
    is_whole = text.startswith(("name:", "- "))
    (folder / "agent.yaml").write_text(text if is_whole else HEAD + text)
    loaded = load_agent(folder, environ={})
    return {finding.code for finding in (*loaded.diagnostics, *check(loaded))}
