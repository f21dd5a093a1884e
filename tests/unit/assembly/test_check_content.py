"""Folders, schemas and texts that an agent file holds are looked at before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seatrial.assembly.check import check
from seatrial.config.loaded import LoadedAgent

Load = Callable[[str], LoadedAgent]


def told(loaded: LoadedAgent) -> list[tuple[str, int, str]]:
    assert loaded.errors == ()
    return [(finding.code, finding.line, f"{finding.message} {finding.hint}") for finding in check(loaded)]


def test_a_folder_without_a_file_of_a_known_type_is_an_error_with_the_known_types(load: Load, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    text = "tools:\n  - {name: s, type: vectorstore, description: d, source: docs}\n"
    ((code, line, said),) = told(load(text))
    assert (code, line) == ("ST302", 5)
    assert ".md" in said
    assert ".pdf" in said
    (tmp_path / "docs" / "a.xyz").write_text("?")
    assert [code for code, _, _ in told(load(text))] == ["ST302"]
    (tmp_path / "docs" / "below").mkdir()
    (tmp_path / "docs" / "below" / "a.md").write_text("# A")
    assert told(load(text)) == []


def test_globs_that_leave_nothing_to_search_are_an_error_at_their_key(load: Load, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A")
    head = "tools:\n  - name: s\n    type: vectorstore\n    description: d\n    source: docs\n"
    assert told(load(f"{head}    include: ['*.md', b.*]\n    exclude: old/\n")) == []
    for key, said in (("include: notes/**", "`include` leaves none"), ("exclude: '*.md'", "`exclude` leaves none")):
        ((code, line, words),) = told(load(f"{head}    {key}\n"))
        assert (code, line) == ("ST302", 9)
        assert said in words


@pytest.mark.parametrize(
    ("schema", "line", "said"),
    [
        ("{type: objekt}", 4, "did you mean `object`?"),
        ("\n  type: object\n  properties:\n    day: {type: str}\n", 7, "did you mean `string`?"),
        ("{type: object, required: day}", 4, "not a valid JSON Schema"),
        ("[a]", 4, "must be a block of keys"),
        ("schema.json", 4, "in schema.json, 'objekt' is no type"),
    ],
)
def test_a_schema_that_is_none_is_found(load: Load, tmp_path: Path, schema: str, line: int, said: str) -> None:
    (tmp_path / "schema.json").write_text('{"type": "objekt"}')
    ((code, found, words),) = told(load(f"response_format: {schema}\n"))
    assert (code, found) == ("ST408", line)
    assert said in words


def test_a_schema_of_a_check_is_looked_at_too(load: Load) -> None:
    text = "test_cases:\n  - input: a\n    checks:\n      - json_schema: {type: strnig}\n"
    assert [(code, line) for code, line, _ in told(load(text))] == [("ST408", 7)]


@pytest.mark.parametrize(
    ("check_line", "hint"),
    [
        ("regex: “10:00”", 'write "10:00" with straight quotes'),
        ("contains: [fine, „so“]", 'write "so"'),
        ('contains: 10:00"', "if only 10:00 is meant"),
        ('contains: 99"', None),
        ('contains: a wheel of 27.5"', None),
        ("contains: it’s", None),
        ('contains: \'"yes" and "no"\'', None),
    ],
)
def test_quotes_that_are_a_part_of_the_text_are_a_warning(load: Load, check_line: str, hint: str | None) -> None:
    findings = told(load(f"test_cases:\n  - input: a\n    checks:\n      - {check_line}\n"))
    assert [(code, line) for code, line, _ in findings] == ([] if hint is None else [("ST512", 7)])
    assert all(hint is not None and hint in said for _, _, said in findings)
