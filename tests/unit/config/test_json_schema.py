"""The schema that editors use says the same as the loader, as far as a schema can."""

from __future__ import annotations

from pathlib import Path

import jsonschema_rs
import pytest
from tests.unit.config.conftest import HEAD, Load
from tests.unit.config.test_holodeck_files import FULL
from tests.unit.config.test_malformed_files import Mistake, mistakes

from seatrial.config.json_schema import agent_json_schema
from seatrial.config.located import plain
from seatrial.config.source import Source
from seatrial.config.yaml_reader import read_yaml

SCHEMA = agent_json_schema(["openai"], ["bleu"])
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
# What no schema can say: names that clash, files, functions, patterns that compile, numbers that depend on each other.
BEYOND_A_SCHEMA = {"ST301", "ST302", "ST303", "ST304", "ST305", "ST401", "ST203"}
ALSO_BEYOND = {
    "overlap",
    "101 cases",
    "bad answer pattern",
    "bad argument pattern",
    "geval without criteria",
    "code without grader",
    "two checks in one",
    "two embedding blocks",
    "key twice over",
    "command and url",
    "no such check",
    "no such matcher",
    "fuzzy with a slip beside it",
    "regex with a key of a check",
    "wrong type in config",
    "hook without a function",
    "misspelt parameter type",
    "source on the net",
}


def accepts(text: str) -> bool:
    document = read_yaml(Source(Path("agent.yaml"), text))
    assert document.problems == []
    return VALIDATOR.is_valid(plain(document.data))


def test_the_schema_is_a_schema() -> None:
    assert jsonschema_rs.meta.is_valid(SCHEMA)


def structural() -> list[Mistake]:
    return [
        mistake
        for mistake in mistakes()
        if not read_yaml(Source(Path("a"), HEAD + mistake.text)).problems
        and mistake.code not in BEYOND_A_SCHEMA
        and mistake.name not in ALSO_BEYOND
    ]


@pytest.mark.parametrize("mistake", structural(), ids=lambda mistake: mistake.name)
def test_what_the_loader_refuses_the_schema_refuses_too(mistake: Mistake) -> None:
    assert not accepts(HEAD + mistake.text)


VALID = Path(__file__).with_name("valid.txt").read_text("utf-8").split("===\n")[1:]


@pytest.mark.parametrize("more", VALID)
def test_what_the_loader_accepts_the_schema_accepts_too(load_more: Load, more: str) -> None:
    loaded = load_more(more, {"T": "3", "MODE": "parallel"})
    assert loaded.errors == ()
    assert accepts(HEAD + more)


def test_h020_a_file_of_the_other_dialect_passes_but_for_its_looser_limits() -> None:
    changes = {
        "legal_assistant": "legal",
        "knowledge-base": "kb",
        "description: ''": "description: d",
        "hierarchical_document": "vectorstore",
        "max_chunk_tokens": "chunk_size",
        "min_score": "min_similarity_score",
    }
    text = FULL
    for old, new in changes.items():
        text = text.replace(old, new)
    assert accepts(text)


def test_known_names_are_offered() -> None:
    provider = SCHEMA["$defs"]["ModelConfig"]["anyOf"][0]["properties"]["provider"]
    assert {"enum": ["openai"]} in provider["anyOf"]


def test_every_key_of_the_schema_is_described() -> None:
    for name, definition in SCHEMA["$defs"].items():
        block = definition if "properties" in definition else definition["anyOf"][0]
        for key, part in block["properties"].items():
            if name != "ParameterConfig" and "$ref" not in part:
                assert part.get("description"), f"{name}.{key}"
