from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from seatrial.cli.main import cli
from seatrial.errors import ConfigError

TEXT = "name: my_shop\nmodel: {provider: openai, name: gpt-4o}\ninstructions: {inline: Hi.}\nclaude: {max_turns: 3}\n"


def test_the_new_file_lies_beside_the_old_one_and_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(TEXT)
    call = ["import", "holodeck", str(tmp_path)]
    result = CliRunner().invoke(cli, call, standalone_mode=False)
    assert result.exception is None
    assert result.return_value == 0
    assert "line 4: `claude` is left out" in result.output
    assert "agent.seatrial.yaml written, 4 changes" in result.output
    assert (tmp_path / "agent.seatrial.yaml").read_text().startswith("name: my-shop\n")
    assert (tmp_path / "agent.yaml").read_text() == TEXT
    again = CliRunner().invoke(cli, call, standalone_mode=False)
    assert isinstance(again.exception, ConfigError)
    forced = CliRunner().invoke(cli, [*call, "--force"], standalone_mode=False)
    assert forced.return_value == 0


@pytest.mark.parametrize("text", ["a: 'open\n", "- a\n"])
def test_what_cannot_be_read_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "agent.yaml").write_text(text)
    result = CliRunner().invoke(cli, ["import", "holodeck", str(tmp_path)], standalone_mode=False)
    assert isinstance(result.exception, ConfigError)
