"""Variants, models and a selection in one run, and every report of it written at once."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
AGENT = """\
name: shop
model: {provider: scripted, name: good.json}
instructions: Answer.
variants: [{name: terse, instructions: Be terse.}]
test_cases:
  - {name: price, input: price, tags: [money], checks: [{contains: fine}]}
  - {name: refund, input: refund, tags: [money, slow], checks: [{contains: fine}]}
  - {name: hours, input: hours, tags: [shop], checks: [{contains: fine}]}
  - {name: later, input: later, tags: [money], skip: not built yet, checks: [{contains: fine}]}
"""
MODELS = ("good.json", "bad.json")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "agent.yaml").write_text(AGENT, encoding="utf-8")
    for name, text in zip(MODELS, ("fine", "no idea"), strict=True):
        (tmp_path / name).write_text(json.dumps({"conversations": [{"when": "", "replies": [text]}]}), encoding="utf-8")
    return tmp_path


def test_all_variants_and_models_stand_in_every_report_of_one_run(shop: Path, seatrial: Run) -> None:
    names = {"json-file": "r.json", "jsonl": "r.jsonl", "junit": "r.xml", "md": "r.md", "html": "r.html"}
    options = [part for option, name in names.items() for part in (f"--{option}", name)]
    models = [part for name in MODELS for part in ("--model", f"scripted:{name}")]
    summary = shop / "summary.md"
    done = seatrial("test", *models, *options, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1, done.stderr
    variants = ["good.json", "bad.json", "terse good.json", "terse bad.json"]
    reports = {name: (shop / name).read_text(encoding="utf-8") for name in names.values()}
    csv = seatrial("runs", "export", "--format", "csv").stdout
    for report in (*reports.values(), summary.read_text(encoding="utf-8"), csv, done.stdout):
        assert not [name for name in variants if name not in report], report[:3000]
    whole = json.loads(reports["r.json"])
    first, *lines = map(json.loads, reports["r.jsonl"].splitlines())
    assert (first["type"], first["summary"]) == ("run", whole["summary"])
    assert [{**test, "type": "test"} for test in whole["tests"]] == lines
    suite = ET.fromstring(reports["r.xml"])
    cases = list(suite.iter("testcase"))
    assert (len(cases), len(list(suite.iter("failure")))) == (16, 6)
    assert sum("not built yet" in ET.tostring(case, "unicode") for case in cases) == 4
    assert done.stderr.count("::error file=agent.yaml,line=6") == 2


def test_cases_are_chosen_by_their_tags(shop: Path, seatrial: Run) -> None:
    del shop

    def chosen(*options: str) -> list[tuple[str, str]]:
        tests = json.loads(seatrial("test", "--json", *options).stdout)["tests"]
        return [(test["name"], test["reason"]) for test in tests if test["variant"] == "terse"]

    skipped = ("later", "skipped: not built yet")
    assert chosen("--tag", "money") == [("price", ""), ("refund", ""), skipped]
    assert chosen("--tag", "slow", "--tag", "shop") == [("refund", ""), ("hours", "")]
    assert chosen("--tag", "money", "--limit", "1") == [("price", "")]
    refused = seatrial("test", "--tag", "monney")
    assert (refused.returncode, "did you mean 'money'?" in refused.stderr) == (2, True)
