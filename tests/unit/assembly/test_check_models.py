"""What a model lacks is found before anything runs, and told at the model's own line."""

from __future__ import annotations

from pathlib import Path

import pytest

from seatrial.assembly.check import check
from seatrial.assembly.live import assemble
from seatrial.config.loader import load_agent
from seatrial.errors import ConfigError

AGENT = """\
name: shop
model: {model}
instructions: Be kind.
tools:
  - {{name: cut, type: prompt, description: A, template: "{{{{x}}}}", parameters: {{x: {{type: str, description: X}}}}}}
test_cases:
  - {{name: a, input: hi, ground_truth: ho}}
"""


def write(folder: Path, model: str) -> Path:
    path = folder / "agent.yaml"
    path.write_text(AGENT.format(model=model), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("model", "code", "column", "said"),
    [
        ("{provider: openai_compatible, name: x}", "ST104", 8, "needs `endpoint:`"),
        ("{provider: openai, name: gpt-5-mini, endpoint: api.x.org}", "ST402", 55, "is no URL"),
        (
            "{provider: anthropic, name: claude-haiku-4-5, auth_provider: vertex}",
            "ST406",
            69,
            "`auth_provider: vertex`",
        ),
        ("{provider: scripted, name: none.json}", "ST301", 35, "none.json cannot be read"),
        ("{provider: scripted, name: bad.json}", "ST302", 35, "bad.json:1:3: there is no field `say`"),
    ],
)
def test_what_a_provider_needs_is_asked_for_at_the_model(
    tmp_path: Path, model: str, code: str, column: int, said: str
) -> None:
    (tmp_path / "bad.json").write_text('[{"say": "Hi."}]', encoding="utf-8")
    (finding,) = check(load_agent(write(tmp_path, model)))
    assert (finding.code, finding.line, finding.column, finding.severity) == (code, 2, column, "error")
    assert said in finding.message


def test_a_missing_key_is_the_models_fault_and_not_that_of_a_tool_that_asks_it(tmp_path: Path) -> None:
    loaded = load_agent(write(tmp_path, "{provider: openai, name: gpt-5-mini}"), environ={})
    with pytest.raises(ConfigError, match="names a model that cannot be used") as caught:
        assemble(loaded)
    (finding,) = caught.value.diagnostics
    assert (finding.line, finding.key_path) == (2, ("model",))
    assert "OPENAI_API_KEY" in finding.message


def test_a_tools_own_model_stays_the_tools_fault(tmp_path: Path) -> None:
    path = write(tmp_path, "{provider: scripted, name: script.json}")
    (tmp_path / "script.json").write_text("[]", encoding="utf-8")
    text = path.read_text(encoding="utf-8").replace("type: prompt,", "type: prompt, model: openai:gpt-5-mini,")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="names tools that cannot be used") as caught:
        assemble(load_agent(path, environ={}))
    assert [finding.line for finding in caught.value.diagnostics] == [5]
