"""Random configurations never raise, what they become loads, and every key is in the new files or in the list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seatrial.config.diagnostics import Place
from seatrial.config.loader import load_agent
from seatrial.config.located import Block, Listing
from seatrial.config.promptfoo.asserts import KNOWN
from seatrial.config.promptfoo.files import read_document
from seatrial.config.promptfoo.importing import import_promptfoo
from seatrial.errors import ConfigError

WORDS = [
    *("", "x", " ", "12", "true", "null", ": x", "- x", " # c", "a'b\"c", "é\n- b: c", "${X}", "\x07x", "😀"),
    *("{{a}}", "{{ a | upper }}", "{% if a %}", "{{ a | nope }}", "file://none", "file://t.csv", "openai:gpt-5-mini"),
    '[{"role": "system", "content": "s {{a}}"}, {"role": "user", "content": "{{b}}"}]',
]
KEYS = [
    *("prompts", "providers", "tests", "defaultTest", "scenarios", "vars", "assert", "type", "value", "threshold"),
    *("weight", "metric", "id", "config", "label", "options", "prefix", "metadata", "provider", "temperature", "raw"),
    *("apiKey", "description", "evaluateOptions", "repeat", "a", "b", "context", "env", "$ref", "path", "odd"),
]
leaves = st.sampled_from([None, True, 0, -1, 2.5, 1e30, *WORDS])
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)
assertions = st.fixed_dictionaries(
    {"type": st.builds(str.__add__, st.sampled_from(["", "not-"]), st.sampled_from(sorted(KNOWN)))},
    optional={
        "value": values,
        "threshold": leaves,
        "weight": leaves,
        "metric": leaves,
        "provider": values,
        "odd": values,
    },
)
tests = st.fixed_dictionaries(
    {"vars": st.dictionaries(st.sampled_from("ab"), values), "assert": st.lists(assertions, max_size=3)},
    optional={"description": values, "options": values, "metadata": values, "threshold": leaves, "odd": values},
)
configs = st.fixed_dictionaries(
    {
        "prompts": st.lists(values, max_size=2),
        "providers": st.lists(values, max_size=2),
        "tests": st.lists(tests, max_size=2),
    },
    optional={"defaultTest": tests | values, "scenarios": values, "evaluateOptions": values, "odd": values},
) | st.dictionaries(st.sampled_from(KEYS), values)


@given(config=configs, suffix=st.sampled_from([".yaml", ".json"]))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_random_configuration_never_raises_and_what_it_becomes_loads(config: dict[str, Any], suffix: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "t.csv").write_text("a,b,__expected\n1,2,contains:x\n")
        path = folder / f"promptfooconfig{suffix}"
        path.write_text(json.dumps(config) if suffix == ".json" else yaml.safe_dump(config), encoding="utf-8")
        try:
            found = import_promptfoo(path, folder / "agent.yaml")
        except ConfigError:
            return
        for target, text in found.texts.items():
            target.write_text(text, encoding="utf-8", newline="\n")
        for agent in found.agents:
            assert not load_agent(agent, environ={}).errors


# Values that are unmistakable wherever they turn up again.
marked = st.integers(10**6, 10**7).map(lambda number: f"mark{number}")
odd = st.sampled_from([f"odd{letter}" for letter in "abc"])
marked_asserts = st.fixed_dictionaries(
    {"type": st.sampled_from(sorted(KNOWN - {"assert-set"})), "value": marked},
    optional={"metric": marked, "transform": marked, "rubricPrompt": marked, "config": st.dictionaries(odd, marked)},
)
marked_tests = st.fixed_dictionaries(
    {"vars": st.fixed_dictionaries({"a": marked, "b": st.lists(marked, max_size=2)})},
    optional={
        "description": marked,
        "assert": st.lists(marked_asserts, max_size=3),
        "metadata": st.dictionaries(odd, marked),
        "options": st.dictionaries(odd | st.sampled_from(["prefix", "suffix", "transform", "storeOutputAs"]), marked),
        "provider": marked,
        "assertScoringFunction": marked,
    },
)
# What a test says itself has precedence, so the default has other keys.
marked_default = st.fixed_dictionaries(
    {"vars": st.fixed_dictionaries({"c": marked})},
    optional={"assert": st.lists(marked_asserts, max_size=2), "options": st.dictionaries(odd, marked), "oddz": marked},
)
marked_configs = st.fixed_dictionaries(
    {
        "prompts": st.lists(marked | marked.map("{{{{a}}}} {}".format), min_size=1, max_size=2),
        "providers": st.lists(
            marked
            | marked.map("openai:{}".format)
            | st.fixed_dictionaries(
                {"id": marked.map("groq:{}".format)},
                optional={
                    "label": marked,
                    "delay": marked,
                    "config": st.dictionaries(odd | st.just("apiBaseUrl"), marked),
                },
            ),
            min_size=2,
            max_size=2,
        ),
        "tests": st.lists(marked_tests, min_size=1, max_size=2),
    },
    optional={
        "description": marked,
        "defaultTest": marked_default,
        "outputPath": marked,
        "env": st.dictionaries(odd, marked),
        "odd": st.dictionaries(odd, marked),
        "evaluateOptions": st.dictionaries(odd | st.just("delay"), marked),
    },
)


@given(config=marked_configs)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_value_is_in_the_new_files_or_in_the_list(config: dict[str, Any]) -> None:
    with TemporaryDirectory() as name:
        path = Path(name) / "promptfooconfig.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        found = import_promptfoo(path, Path(name) / "agent.yaml")
        written = "".join(found.texts.values())
        told = {note.place for note in found.notes if note.kind == "left out"}
        told_lines = {(place.line, place.column) for place in told}
        for text, places in _leaves(read_document(path), []):
            is_told = any((place.line, place.column) in told_lines for place in places)
            assert text in written or is_told or not text.startswith("mark"), text


def _leaves(value: Any, above: list[Place]) -> Iterator[tuple[str, list[Place]]]:
    """Every value with the places of its keys, and of the type of the assertion that it belongs to."""
    match value:
        case Block():
            of_type = [value.place_of_value("type")] if "type" in value else []
            for key, item in value.items():
                yield from _leaves(item, [*above, *of_type, value.place_of_key(key)])
        case Listing():
            for index, item in enumerate(value):
                yield from _leaves(item, [*above, value.place_of_item(index)])
        case str():
            yield value.removeprefix("{{a}} ").rpartition(":")[2], above
