"""Whatever is done to a valid file, loading it ends with diagnostics or success."""

from __future__ import annotations

import copy
import hashlib
import os
import random
import time
from pathlib import Path

import pytest
import yaml
from tests.unit.config.conftest import HEAD
from tests.unit.config.test_holodeck_files import FULL
from tests.unit.config.test_malformed_files import mistakes

from seatrial.config.holodeck_import import import_holodeck
from seatrial.config.loader import load_agent
from seatrial.config.source import Source
from seatrial.config.yaml_reader import read_yaml

CORPUS = Path(__file__).with_name("corpus")
ROUNDS = int(os.environ.get("SEATRIAL_MUTATIONS", "2000"))
SEED = int(os.environ.get("SEATRIAL_SEED", "20261130"))
SNIPPETS = [
    *(": ", "\n", "- ", "  ", "\t", "'", '"', "{", "}", "[", "]", "&a ", "*a", "<<: ", "!!str ", "${X}", "${", "null"),
    *("true", "1e999", "#", "|\n", ">\n", "\x00", "? ", "---\n", "...", "%", "@", "x-a: ", "9" * 400, "~", "name"),
    *("tools:", "type: mcp", "test_cases:", "checks: none", "\u2028", ".inf", "0x1F", "-", "\r", "\r\n", "not: "),
    "{{ x }}",
]
VALUES = [
    None, True, 0, -1, 1.5, "", "no", [], {}, [None], [[]], [{}], {"a": 1}, "${X}", "a" * 6000, {"type": "mcp"},
    {"regex": "("}, [1, "a", None, {}], {"not": {"not": {}}}, {"json_path": 3}, "none", 10**400, "~nobody/x", "\x00",
]  # fmt: skip
TEXTS = [HEAD + mistake.text for mistake in mistakes() if len(mistake.text) < 2000] + [FULL]
DATA = [yaml.safe_load(text) for text in (FULL, HEAD + "limits: {max_turns: 3}\nhooks: {before_tool_call: a.py:b}\n")]


def mutated_text(chance: random.Random) -> bytes:
    text = chance.choice(TEXTS)
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.randint(0, 20))
        other = chance.choice(TEXTS)
        piece = chance.choice([chance.choice(SNIPPETS), text[start:end] * 2, other[start : start + 60], ""])
        text = text[:start] + piece + text[end:]
    return text.encode("utf-8", "surrogatepass")


def mutated_data(chance: random.Random) -> bytes:
    data = copy.deepcopy(chance.choice(DATA))
    for _ in range(chance.randint(1, 3)):
        holder, key = chance.choice(list(places(data)))
        if chance.random() < 0.2 and isinstance(holder, dict):
            holder[chance.choice(["name", "type", "config", "args", "checks", "variants", "test_cases_file"])] = VALUES[
                0
            ]
        holder[key] = copy.deepcopy(chance.choice(VALUES))
    style = chance.choice([None, False, True])
    return yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False, default_flow_style=style).encode()


def places(data: object) -> list[tuple[object, object]]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    found: list[tuple[object, object]] = []
    for key, value in items:
        found.append((data, key))
        found += places(value)
    return found


def keep(content: bytes) -> Path:
    """Adds a file that broke the loader to the corpus, so that it is tried again from now on."""
    path = CORPUS / f"{hashlib.sha256(content).hexdigest()[:12]}.yaml"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.yaml")), ids=lambda path: path.stem)
def test_p012_files_that_once_broke_something_do_no_more(project: Path, path: Path) -> None:
    (project / "agent.yaml").write_bytes(path.read_bytes())
    loaded = load_agent(project, environ={})
    assert loaded.diagnostics
    assert not read_yaml(Source(path, import_holodeck(project / "agent.yaml").text)).problems


@pytest.mark.parametrize("part", range(4))
def test_p012_mutations_of_valid_files_give_diagnostics_or_success(project: Path, part: int) -> None:
    chance = random.Random(SEED + part)  # noqa: S311 - mutations, no secrets
    path = project / "agent.yaml"
    for number in range(ROUNDS // 4):
        content = mutated_text(chance) if number % 2 else mutated_data(chance)
        path.write_bytes(content)
        started = time.perf_counter()
        try:
            loaded = load_agent(path, environ={"X": "1"})
            told = [finding.as_text() + finding.as_github_annotation() for finding in loaded.diagnostics]
            if loaded.config is not None:
                loaded.public_config()
                assert not read_yaml(Source(path, import_holodeck(path).text)).problems
        except Exception as error:
            kept = keep(content)
            raise AssertionError(f"seed {SEED + part}, round {number}, kept as {kept}: {content!r}") from error
        assert loaded.config is not None or told, content
        assert time.perf_counter() - started < 5
