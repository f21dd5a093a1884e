"""Prices and windows that users set themselves, in the settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.config.conftest import HEAD, Load

from seatrial.config.loader import load_agent

OWN = """\
models:
  openai:
    gpt-4o-mini:
      cost: {input: 1, output: 2.5, cache_read: null}
      context_window: 9
"""


def test_h003_what_is_said_of_a_model_is_kept_as_plain_values_and_an_empty_value_is_unknown(
    project: Path, load: Load
) -> None:
    (project / "seatrial.yaml").write_text(OWN)
    said = load(HEAD).model_overrides
    assert said == {
        "openai": {
            "gpt-4o-mini": {"cost": {"input": 1.0, "output": 2.5, "cache_read": None}, "context_window": 9},
        }
    }


def test_the_nearest_file_that_has_the_model_wins_for_that_model(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "agent.yaml").write_text(HEAD)
    (project / "config.yaml").write_text("models: {openai: {a: {context_window: 1}}}\n")
    (project / "seatrial.yaml").write_text("models: {openai: {a: {max_tokens: 2}, b: {max_tokens: 2}}}\n")
    (project / "home" / "seatrial").mkdir(parents=True)
    (project / "home" / "seatrial" / "config.yaml").write_text(
        "models: {openai: {b: {max_tokens: 3}}, ollama: {c: {name: Cee}}}\n"
    )
    loaded = load_agent(project, environ={"XDG_CONFIG_HOME": str(project / "home")})
    assert loaded.diagnostics == ()
    assert loaded.model_overrides == {
        "openai": {"a": {"context_window": 1}, "b": {"max_tokens": 2}},
        "ollama": {"c": {"name": "Cee"}},
    }


@pytest.mark.parametrize(
    ("text", "line", "code", "said"),
    [
        ("models:\n  openai:\n    x:\n      cost: {input: cheap}\n", 4, "ST105", "`input` must be a number"),
        ("models:\n  openai:\n    x:\n      cost: {input: -1}\n", 4, "ST405", "at least 0"),
        ("models:\n  openai:\n    x:\n      contextwindow: 5\n", 4, "ST102", "did you mean `context_window`?"),
        ("models:\n  openai:\n    x:\n      input_modalities: [smell]\n", 4, "ST406", "smell"),
        ("models:\n  openai:\n    x: cheap\n", 3, "ST105", "must be a block of keys"),
        ("models:\n  openai: 5\n", 2, "ST105", "a block of models"),
    ],
)
def test_a_mistake_of_the_projects_file_is_an_error_at_its_place_and_of_the_users_a_warning(
    project: Path, load: Load, text: str, line: int, code: str, said: str
) -> None:
    (project / "seatrial.yaml").write_text(text)
    (finding,) = load(HEAD).diagnostics
    assert (finding.severity, finding.code, finding.file.name, finding.line) == ("error", code, "seatrial.yaml", line)
    assert said in f"{finding.message} {finding.hint}"
    assert finding.snippet is not None
    (project / "seatrial.yaml").unlink()
    (project / "home" / "seatrial").mkdir(parents=True)
    (project / "home" / "seatrial" / "config.yaml").write_text(text)
    (finding,) = load(HEAD, {"XDG_CONFIG_HOME": str(project / "home")}).diagnostics
    assert (finding.severity, finding.code, finding.line) == ("warning", code, line)
