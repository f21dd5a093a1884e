from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from seatrial.cli.main import cli
from seatrial.errors import ConfigError


def test_cases_lie_beside_the_table_and_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("question;answer;id\nÄ?;b;1\n")
    call = ["import", "dataset", str(tmp_path / "d.csv"), "--map", "input=question", "--map", "ground_truth=answer"]
    result = CliRunner().invoke(cli, call, standalone_mode=False)
    assert (result.exception, result.return_value) == (None, 0)
    assert "not used: id" in result.stderr
    assert "d.cases.jsonl written: 1 test case\n" in result.stdout
    assert (tmp_path / "d.cases.jsonl").read_text() == '{"input": "Ä?", "ground_truth": "b"}\n'
    assert isinstance(CliRunner().invoke(cli, call, standalone_mode=False).exception, ConfigError)
    forced = CliRunner().invoke(cli, [*call, "--force", "--json"], standalone_mode=False)
    assert (json.loads(forced.stdout)["cases"], json.loads(forced.stdout)["unmapped"]) == (1, ["id"])


@pytest.mark.parametrize(("output", "told"), [("d.csv", "is what is imported"), ("no/d.jsonl", "there is no folder")])
def test_a_place_that_cannot_be_is_refused_before_the_table_is_read(tmp_path: Path, output: str, told: str) -> None:
    (tmp_path / "d.csv").write_text("input\na\n")
    call = ["import", "dataset", str(tmp_path / "d.csv"), "-o", str(tmp_path / output), "--force"]
    result = CliRunner().invoke(cli, call, standalone_mode=False)
    assert isinstance(result.exception, ConfigError)
    assert told in result.exception.message
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("d.csv", "input\na\n")]


def test_a_table_that_breaks_off_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("input,b\na,b\nc\n")
    result = CliRunner().invoke(cli, ["import", "dataset", str(tmp_path / "d.csv")], standalone_mode=False)
    assert isinstance(result.exception, ConfigError)
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]


@pytest.mark.parametrize("pair", ["input", "=a", "input="])
def test_a_mapping_without_both_sides_is_refused(tmp_path: Path, pair: str) -> None:
    (tmp_path / "d.csv").write_text("input\na\n")
    result = CliRunner().invoke(cli, ["import", "dataset", str(tmp_path / "d.csv"), "--map", pair])
    assert result.exit_code == 2
