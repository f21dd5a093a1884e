from __future__ import annotations

import re
from pathlib import Path

from tests.unit.config.conftest import Load

from seatrial.config.diagnostics import CODES, Diagnostic, Place

FINDING = Diagnostic(
    "error",
    "ST102",
    "`a` is unknown",
    Place(Path("x/agent.yaml"), 3, 5, 2),
    hint="did you mean `b`?",
    snippet="    aa: 1",
)


def test_a_finding_points_at_the_offending_characters() -> None:
    assert FINDING.as_text().splitlines() == [
        "x/agent.yaml:3:5: error[ST102]: `a` is unknown",
        "  3 |     aa: 1",
        "    |     ^^",
        "  = did you mean `b`?",
    ]


def test_a_tab_before_the_place_is_kept_so_that_the_caret_stands_right() -> None:
    finding = Diagnostic("error", "ST107", "tab", Place(Path("a"), 1, 2), snippet="\tkey: 1")
    assert finding.as_text().splitlines()[2] == "    | \t^"


def test_a_long_line_is_shown_around_the_place() -> None:
    finding = Diagnostic("error", "ST101", "x", Place(Path("a"), 1, 5001), snippet="x" * 5000 + "HERE" + "y" * 5000)
    lines = finding.as_text().splitlines()
    assert len(lines[1]) < 140
    assert lines[1][lines[2].index("^") :].startswith("HERE")


def test_control_characters_of_the_file_do_not_reach_the_terminal() -> None:
    finding = Diagnostic("error", "ST101", "x", Place(Path("a\x1b[2J"), 1), snippet="a\x1b[31m\u202e")
    assert "\x1b" not in finding.as_text()
    assert "\u202e" not in finding.as_text()


def test_a_finding_is_plain_data_for_json() -> None:
    assert FINDING.as_dict() == {
        "severity": "error",
        "code": "ST102",
        "message": "`a` is unknown",
        "hint": "did you mean `b`?",
        "file": "x/agent.yaml",
        "line": 3,
        "column": 5,
        "snippet": "    aa: 1",
        "path": [],
    }


def test_an_annotation_escapes_what_the_workflow_command_would_read() -> None:
    finding = Diagnostic("warning", "ST501", "100 %\nsure", Place(Path("a,b:c.yaml"), 2, 3), hint="x")
    assert finding.as_github_annotation() == (
        "::warning file=a%2Cb%3Ac.yaml,line=2,col=3,endColumn=4,title=ST501::100 %25%0Asure%0Ax"
    )


def test_a_finding_about_a_whole_file_names_no_line() -> None:
    finding = Diagnostic("error", "ST301", "missing", Place(Path("a.yaml")))
    assert finding.as_text() == "a.yaml: error[ST301]: missing"
    assert "line=" not in finding.as_github_annotation()


def test_h015_findings_come_by_phase_then_file_then_line(load_more: Load) -> None:
    loaded = load_more(
        "limits: {max_turns: 0}\n"  # a constraint
        "hooks: {before_tool_call: nope.py:f}\n"  # a reference
        "embedding: local\nembedding_provider: local\n"  # exclusion
        "toolz: []\n"  # a type
        "test_cases:\n  - input: a\n"  # a warning
    )
    assert [finding.code for finding in loaded.diagnostics] == ["ST102", "ST201", "ST301", "ST405", "ST501"]


def test_every_code_that_the_program_uses_is_in_the_table_and_the_reverse() -> None:
    source = Path(__file__).parents[3] / "src" / "seatrial"
    used = {
        code
        for path in source.rglob("*.py")
        if path.name != "diagnostics.py"
        for code in re.findall(r"\bST\d{3}\b", path.read_text("utf-8"))
    }
    assert used == CODES.keys()
