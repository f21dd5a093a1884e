"""From a prompt in the agent file to a tool that asks a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seatrial.assembly.live import assemble
from seatrial.assembly.tools import build_tools
from seatrial.config.loaded import LoadedAgent
from seatrial.config.model import ModelConfig
from seatrial.core.model import Model
from seatrial.core.tool import max_output_of
from seatrial.errors import ConfigError
from seatrial.providers.scripted import scripted
from seatrial.tools.prompt import PromptTool

Load = Callable[[str], LoadedAgent]
TOOL = """\
tools:
  - name: shorten
    type: prompt
    description: Shortens a text.
    %s
    max_output: 500
    parameters:
      text: {type: str, description: The text.}
      words: {type: int, default: 20}
"""


def built(loaded: LoadedAgent) -> tuple[PromptTool, list[ModelConfig]]:
    asked: list[ModelConfig] = []

    def model_for(config: ModelConfig) -> Model:
        asked.append(config)
        return scripted()

    (tool,) = build_tools(loaded, model_for)
    assert isinstance(tool, PromptTool)
    return tool, asked


def test_h009_the_agents_model_answers_unless_the_tool_names_one(load: Load) -> None:
    _, asked = built(load(TOOL % "template: 'Shorten {{text}} to {{words}} words.'"))
    assert [(model.provider, model.name) for model in asked] == [("local", "minilm-extractive")]
    _, asked = built(load(TOOL % "template: '{{text}} {{words}}'\n    model: {provider: openai, name: gpt-5-mini}"))
    assert [(model.provider, model.name) for model in asked] == [("openai", "gpt-5-mini")]


def test_h009_the_template_may_be_a_file(load: Load, tmp_path: Path) -> None:
    (tmp_path / "shorten.md").write_text("Shorten to {{$words}} words:\n{{$text}}\n", encoding="utf-8")
    tool, _ = built(load(TOOL % "file: shorten.md"))
    assert tool.prompt({"text": "Grüße"}) == "Shorten to 20 words:\nGrüße\n"
    assert tool.spec.parameters["required"] == ["text"]
    assert max_output_of(tool) == 500


def test_a_key_that_the_tools_own_model_lacks_is_told_at_its_line(load: Load) -> None:
    with pytest.raises(ConfigError) as caught:
        assemble(load(TOOL % "template: '{{text}} {{words}}'\n    model: {provider: openai, name: gpt-5-mini}"))
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.line) == ("ST303", 9)
    assert "OPENAI_API_KEY" in (finding.hint or "")
