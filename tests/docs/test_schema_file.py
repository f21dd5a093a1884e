"""The schema file in the repository is the one that `seatrial schema` prints, and the example names it."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from seatrial.cli.main import cli

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "reference" / "agent.schema.json"


def test_the_schema_file_is_up_to_date() -> None:
    made = CliRunner().invoke(cli, ["schema"], standalone_mode=False).output
    assert FILE.read_text(encoding="utf-8") == made, f"run: seatrial schema > {FILE.relative_to(ROOT)}"


def test_the_first_line_of_the_example_leads_editors_to_the_schema_file() -> None:
    example = ROOT / "examples" / "support" / "agent.yaml"
    first = example.read_text(encoding="utf-8").split("\n")[0]
    mark, _, path = first.partition("$schema=")
    assert mark == "# yaml-language-server: "
    assert (example.parent / path).resolve() == FILE
