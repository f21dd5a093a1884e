"""Defaults from the project and the user, and how the file as used is shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.unit.config.conftest import HEAD, Load

from seatrial.config.effective import effective_lines
from seatrial.config.loaded import LoadedAgent
from seatrial.config.loader import load_agent


@pytest.fixture
def layers(project: Path) -> Path:
    """The same key in a user's file, in a project's and in none; the agent lies one folder below the project."""
    (project / ".git").mkdir()
    (project / "seatrial.yaml").write_text("providers:\n  openai:\n    endpoint: http://project\n    api_version: v1\n")
    (project / "home" / "seatrial").mkdir(parents=True)
    (project / "home" / "seatrial" / "config.yaml").write_text(
        "providers:\n  openai: {endpoint: http://user, timeout_s: 9, api_key_env: MY_KEY}\n"
        "  other: {api_key: '${NEVER}'}\n"
    )
    (project / "agents").mkdir()
    return project


def load_in(layers: Path, text: str, environ: Mapping[str, str] | None = None) -> LoadedAgent:
    (layers / "agents" / "agent.yaml").write_text(text)
    return load_agent(layers / "agents", environ={"XDG_CONFIG_HOME": str(layers / "home"), **(environ or {})})


def test_nearer_settings_win(layers: Path) -> None:
    model = load_in(layers, HEAD, {"MY_KEY": "sk-12345678"}).require().model
    assert (model.endpoint, model.api_version, model.timeout_s) == ("http://project", "v1", 9)
    assert model.api_key is not None
    assert model.api_key.get_secret_value() == "sk-12345678"


def test_the_agent_file_wins_over_all_settings(layers: Path) -> None:
    text = HEAD.replace("gpt-4o-mini", "gpt-4o-mini\n  endpoint: http://agent")
    assert load_in(layers, text).require().model.endpoint == "http://agent"


def test_a_variable_of_the_environment_wins_over_project_and_user(layers: Path) -> None:
    model = load_in(layers, HEAD, {"OPENAI_BASE_URL": "http://environment"}).require().model
    assert model.endpoint is None  # the provider reads the variable itself
    assert model.api_version == "v1"


def test_a_config_file_beside_the_agent_counts_as_a_part_of_it(layers: Path) -> None:
    (layers / "agents" / "config.yaml").write_text("providers: {openai: {endpoint: http://sibling}}\n")
    model = load_in(layers, HEAD, {"OPENAI_BASE_URL": "http://environment"}).require().model
    assert model.endpoint == "http://sibling"


def test_every_block_that_names_the_provider_is_completed(layers: Path) -> None:
    config = load_in(
        layers,
        "name: a\nmodel: openai:x\ninstructions: Hi.\nembedding: {provider: openai, name: e}\n"
        "evaluations: {model: 'openai:j', metrics: [{metric: relevance, model: 'openai:k'}, bleu]}\n"
        "variants: [{name: v, model: 'openai:y'}, {name: w, model: 'anthropic:z'}]\n",
    ).require()
    assert config.evaluations is not None
    assert config.embedding is not None
    models = [config.model, config.evaluations.model, config.evaluations.metrics[0].model, config.variants[0].model]
    assert [model and model.endpoint for model in models] == ["http://project"] * 4
    assert (config.embedding.endpoint, config.embedding.name) == ("http://project", "e")
    assert config.variants[1].model is not None
    assert config.variants[1].model.endpoint is None


def test_settings_of_providers_that_are_not_used_need_no_variables(layers: Path) -> None:
    assert load_in(layers, HEAD).diagnostics == ()


def test_a_mistake_in_the_projects_settings_is_told_there(layers: Path) -> None:
    (layers / "seatrial.yaml").write_text("providers:\n  openai:\n    endpiont: http://x\n")
    errors = load_in(layers, HEAD).errors
    assert [(error.file.name, error.line, error.hint) for error in errors] == [
        ("seatrial.yaml", 3, "did you mean `endpoint`?")
    ]


def test_settings_beyond_the_repository_are_not_looked_at(layers: Path) -> None:
    (layers / "agents" / ".git").mkdir()
    assert load_in(layers, HEAD).require().model.api_version is None


def test_a_literal_dollar_brace_stays_literal_in_settings_used_twice(layers: Path) -> None:
    (layers / "seatrial.yaml").write_text("providers:\n  openai:\n    endpoint: http://$${X}\n")
    text = HEAD + "evaluations: {model: 'openai:j', metrics: [bleu]}\n"
    config = load_in(layers, text).require()
    assert config.evaluations is not None
    assert config.evaluations.model is not None
    assert (config.model.endpoint, config.evaluations.model.endpoint) == ("http://${X}", "http://${X}")


def test_the_file_as_used_shows_each_value_with_its_origin_and_no_secret(load: Load, project: Path) -> None:
    (project / "config.yaml").write_text("providers: {openai: {api_key: '${MY_KEY}'}}\n")
    loaded = load(HEAD + "tools: []\ntest_cases: [{input: a}]\nauthor:\n", {"MY_KEY": "sk-12345678"})
    lines = [" ".join(line.replace(str(project) + "/", "").split()) for line in effective_lines(loaded)]
    assert lines == [
        'name: "shop" # agent.yaml:1',
        "model:",
        'provider: "openai" # agent.yaml:3',
        'name: "gpt-4o-mini" # agent.yaml:4',
        'api_key: "[secret]" # config.yaml:1, ${MY_KEY}',
        "instructions:",
        'inline: "Answer briefly." # agent.yaml:6',
        "tools: [] # agent.yaml:7",
        "test_cases: # 1 in all # agent.yaml:8",
        "author: # agent.yaml:9",
    ]
