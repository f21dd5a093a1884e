"""The page on concepts: its agent file is valid, its table has every outcome, and its figures are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.pages import page

from seatrial.config.loader import load_agent
from seatrial.runs.records import OUTCOMES
from seatrial.stats.intervals import wilson

PAGE = page("concepts.md")


def test_the_agent_file_is_valid(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "agent.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "knowledge").mkdir()
    assert load_agent(tmp_path).diagnostics == ()


def test_every_outcome_is_told() -> None:
    assert tuple(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == OUTCOMES


def test_the_interval_is_the_one_that_the_page_tells() -> None:
    interval = wilson(13, 20)
    assert f"between {interval.low:.0%} and {interval.high:.0%}".replace("%", " %") in PAGE
