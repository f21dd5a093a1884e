from __future__ import annotations

from pathlib import Path

import pytest

from seatrial.config.loaded import LoadedAgent
from seatrial.config.loader import load_agent
from seatrial.errors import ConfigError
from seatrial.runner.begin import begin
from seatrial.runner.variants import variants_of
from seatrial.runs.records import Selection

AGENT = """\
name: shop
model: {provider: openai, name: gpt-5-mini, temperature: 0.5, endpoint: "https://example.org/v1", api_key: sk-abcdef}
instructions: Be kind.
limits: {max_turns: 5, timeout_s: 30}
tools:
  - {name: one, type: prompt, description: A., template: "{x}", parameters: {x: {type: str, description: X.}}}
  - {name: two, type: prompt, description: B., template: "{x}", parameters: {x: {type: str, description: X.}}}
test_cases:
  - {name: a, input: hi, ground_truth: ho}
"""


def load(folder: Path, more: str = "") -> LoadedAgent:
    path = folder / "agent.yaml"
    path.write_text(AGENT + more, encoding="utf-8")
    loaded = load_agent(path)
    assert not loaded.errors, loaded.errors
    return loaded


def test_an_agent_without_variants_is_one_without_a_name(tmp_path: Path) -> None:
    (only,) = variants_of(load(tmp_path))
    assert only.name == ""
    assert (only.record.provider, only.record.model) == ("openai", "gpt-5-mini")


def test_a_variant_is_the_agent_with_what_it_changes(tmp_path: Path) -> None:
    (tmp_path / "terse.md").write_text("Be terse.", encoding="utf-8")
    more = """
variants:
  - {name: cold, model: {provider: openai, name: gpt-5-nano, temperature: 0}}
  - {name: terse, instructions: {file: terse.md}, limits: {max_turns: 1}}
  - {name: poor, tools: [two]}
"""
    base, cold, terse, poor = variants_of(load(tmp_path, more))
    assert base.name == "base"
    model = cold.loaded.require().model
    assert (model.name, model.temperature, model.endpoint) == ("gpt-5-nano", 0, "https://example.org/v1")
    assert terse.loaded.instructions_text == "Be terse."
    limits = terse.loaded.require().limits
    assert (limits.max_turns, limits.timeout_s) == (1, 30)
    assert [tool.name for tool in poor.loaded.require().tools] == ["two"]
    assert [tool.name for tool in base.loaded.require().tools] == ["one", "two"]


def test_another_provider_takes_over_how_to_draw_but_no_key_and_no_address(tmp_path: Path) -> None:
    (only,) = variants_of(load(tmp_path), ["anthropic:claude-sonnet-4-5"])
    model = only.loaded.require().model
    assert (model.provider, model.name, model.temperature) == ("anthropic", "claude-sonnet-4-5", 0.5)
    assert (model.endpoint, model.api_key) == (None, None)


def test_several_models_stand_side_by_side_with_every_variant(tmp_path: Path) -> None:
    more = "variants:\n  - {name: poor, tools: [two]}\n"
    names = [variant.name for variant in variants_of(load(tmp_path, more), ["gpt-5-nano", "ollama:qwen3"])]
    assert names == ["gpt-5-nano", "ollama:qwen3", "poor gpt-5-nano", "poor ollama:qwen3"]


def test_a_tool_that_the_agent_does_not_have_is_a_mistake(tmp_path: Path) -> None:
    loaded = load_agent(tmp_path / "agent.yaml")
    (tmp_path / "agent.yaml").write_text(AGENT + "variants:\n  - {name: x, tools: [three]}\n", encoding="utf-8")
    loaded = load_agent(tmp_path / "agent.yaml")
    if loaded.config is None:
        return
    with pytest.raises(ConfigError, match="three"):
        variants_of(loaded)


def test_a_model_without_a_name_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="names no model"):
        variants_of(load(tmp_path), ["openai:"])


def test_a_run_plans_every_case_in_every_variant_and_keeps_their_files(tmp_path: Path) -> None:
    (tmp_path / "terse.md").write_text("Be terse.", encoding="utf-8")
    begun = begin(load(tmp_path, "variants:\n  - {name: terse, instructions: {file: terse.md}}\n"), Selection())
    assert [(trial.case.name, trial.variant) for trial in begun.plan] == [("a", "base"), ("a", "terse")]
    assert {source.path for source in begun.run.sources} == {"agent.yaml", "terse.md"}
    assert "sk-abcdef" not in begun.run.sources[0].text
    assert begun.run.planned == 2
