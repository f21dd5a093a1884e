"""Suites written for promptfoo are carried over, validated, and run against a scripted model."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

Run = Callable[..., subprocess.CompletedProcess[str]]

TRANSLATION = """\
description: Übersetzungen
prompts:
  - 'Translate into {{language}}: {{text}}'
  - |-
    You translate for a museum.
    Into {{language}}, please:
    {{text}}
providers: [openai:gpt-5-mini, anthropic:messages:claude-sonnet-4-5]
defaultTest:
  assert:
    - {type: latency, threshold: 60000}
tests:
  - description: Greeting
    vars: {language: [French, German], text: "Hello, \\"world\\""}
    assert: [{type: icontains-any, value: [bonjour, hallo]}, {type: not-contains, value: Hello}]
"""
SUPPORT = """\
prompts: [file://support.json]
providers:
  - id: openai:chat:gpt-4o-mini
    label: small
    config: {temperature: 0, max_tokens: 200, tools: [{type: function, function: {name: order_status}}]}
tests: file://support.csv
"""
SUPPORT_FILES = {
    "support.json": json.dumps(
        [
            {"role": "system", "content": "You help the customers of {{shop}}."},
            {"role": "user", "content": "{{ question | trim }}"},
        ]
    ),
    "support.csv": "shop,question,__expected1,__expected2,__description,__metadata:area\n"
    'Zelt & Co,"  Where is it?\n",contains-all:Bonjour,"regex:B[o]n",Where,orders\n'
    "Zelt & Co,And now?,javascript:output.length > 3,contains:jour,Now,orders\n",
}
EXTRACTION = """\
{
\t"prompts": ["Give the city as JSON: {{text}}"],
\t"providers": "ollama:chat:llama3.2:3b",
\t"tests": [
\t\t{"vars": {"text": "I live in K\\u00f6ln."}, "assert": [
\t\t\t{"type": "is-json", "value": {"type": "object", "required": ["city"]}},
\t\t\t{"type": "equals", "value": {"city": "K\\u00f6ln"}},
\t\t\t{"type": "python", "value": "file://grade.py"}
\t\t]}
\t]
}
"""
SIMILAR = """\
prompts: file://prompts.txt
providers: {id: groq:llama-3.3-70b, config: {apiKeyEnvar: MY_GROQ_KEY}}
tests:
  - vars: {topic: tea}
    assert:
      - {type: levenshtein, value: Bonjour, threshold: 3, metric: distance, weight: 2}
      - {type: rouge-n, value: Bonjour}
      - {type: starts-with, value: Bon}
      - {type: assert-set, assert: [{type: contains, value: j}], metric: letters}
  - vars: {topic: '{{other}} tea', other: green}
    threshold: 0.5
    assert: [{type: is-refusal}, {type: contains, value: '{{topic}}', weight: 0}]
"""
SCENARIOS = """\
prompts: ['Say hello to {{name}}']
providers: [openrouter:meta/llama:free]
evaluateOptions: {repeat: 2, maxConcurrency: 1}
outputPath: out.json
scenarios:
  - config: [{vars: {name: Ann}}, {vars: {name: Béla}}]
    tests:
      - description: polite
        assert: [{type: contains, value: Bonjour}]
"""
SUITES: dict[str, tuple[str, str, dict[str, str], int, set[str]]] = {
    "translation": ("promptfooconfig.yaml", TRANSLATION, {}, 4, set()),
    "support": ("promptfooconfig.yaml", SUPPORT, SUPPORT_FILES, 2, {"`tools`", "the assertion javascript", "`label`"}),
    "extraction": ("promptfooconfig.json", EXTRACTION, {}, 1, {"the assertion python"}),
    "similar": (
        "promptfooconfig.yaml",
        SIMILAR,
        {"prompts.txt": "About {{topic}}?\n---\nTell me of {{topic}}.\n"},
        4,
        {"`threshold`", "the assertion is-refusal", "contains {{topic}}"},
    ),
    "scenarios": ("promptfooconfig.yaml", SCENARIOS, {}, 2, {"`outputPath`", "`maxConcurrency`"}),
}
ANSWERS = {
    "conversations": [{"when": "as JSON", "replies": ['{"city": "Köln"}']}, {"when": "", "replies": ["Bonjour"]}]
}


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_is_carried_over_validates_and_runs(seatrial: Run, tmp_path: Path, suite: str) -> None:
    name, text, files, cases, left = SUITES[suite]
    for file, content in {name: text, **files}.items():
        (tmp_path / file).write_text(content, encoding="utf-8")
    done = seatrial("import", "promptfoo", name, "-o", "agent.yaml", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {note["what"] for note in report["notes"] if note["kind"] == "left_out"} == left
    validated = seatrial("validate", "agent.yaml", OPENAI_API_KEY="x", ANTHROPIC_API_KEY="x")
    assert validated.returncode == 0, validated.stdout
    _let_a_script_answer(tmp_path / "agent.yaml")
    ran = seatrial("test", "agent.yaml", "--json")
    assert ran.returncode in (0, 1), ran.stderr
    trials = json.loads(ran.stdout)["tests"]
    assert len({trial["name"] for trial in trials}) == cases
    outcomes = {trial["outcome"] for trial in trials}
    assert outcomes <= {"passed", "unchecked"}, ran.stdout
    assert "passed" in outcomes


def _let_a_script_answer(agent: Path) -> None:
    """Every model of the file becomes one script."""
    script = {"provider": "scripted", "name": "script.json"}
    data = yaml.safe_load(agent.read_text(encoding="utf-8"))
    data["model"] = script
    for variant in data.get("variants", []):
        variant["model"] = script
    agent.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    (agent.parent / "script.json").write_text(json.dumps(ANSWERS), encoding="utf-8")


def test_nothing_is_overwritten_and_what_is_left_is_told_with_its_place(seatrial: Run, tmp_path: Path) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text(SCENARIOS, encoding="utf-8")
    first = seatrial("import", "promptfoo", ".")
    assert first.returncode == 0
    assert "promptfooconfig.yaml:4:1: left out: `outputPath`: " in first.stderr
    assert "promptfooconfig.seatrial.yaml written; left out: 2, changed: 1" in first.stdout
    assert seatrial("import", "promptfoo", ".").returncode == 2
    assert seatrial("import", "promptfoo", ".", "--force").returncode == 0


@pytest.mark.parametrize("text", ["a: 'open\n", "- a\n", ""])
def test_a_file_that_cannot_be_read_is_one_clear_error(seatrial: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text(text)
    done = seatrial("import", "promptfoo", ".")
    assert done.returncode == 2
    assert "promptfooconfig.yaml" in done.stderr
    assert "Traceback" not in done.stderr
