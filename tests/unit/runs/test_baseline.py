"""The committed baseline: small, diffable, read back as it was, and never made of half a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.sides import F1, case, outcomes, side

from seatrial.errors import RunError
from seatrial.runs.baseline import read_baseline, write_baseline
from seatrial.runs.compare import compare
from seatrial.runs.sides import Means, Side

WHOLE = side(
    "r1",
    [
        case("day", scores={"f1": 2 / 3}, input_id="ab"),
        case("night", 2, 3, require=2, variant="", scores={"f1": 0.1}),
        case('odd "name"\n', 0, 1),
        case("unchecked", 0, 0),
    ],
    models=("openai gpt-x",),
    means=Means(1.5, 20.0, None),
)


def test_it_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    assert write_baseline(WHOLE, path) == 3
    found = read_baseline(path)
    assert list(found.cases.values()) == [each for each in WHOLE.cases.values() if each.checked]
    assert (found.run, found.models, found.metrics, found.means) == ("r1", WHOLE.models, F1, WHOLE.means)
    same = compare(found, WHOLE)
    assert (same.verdict, same.rate.found.difference, same.gained) == ("no evidence", 0.0, [])


def test_a_case_is_a_line_so_that_a_diff_shows_what_changed(tmp_path: Path) -> None:
    one, other = tmp_path / "1.json", tmp_path / "2.json"
    write_baseline(outcomes("r", "++++"), one)
    write_baseline(outcomes("r", "++-+"), other)
    lines = zip(one.read_text().splitlines(), other.read_text().splitlines(), strict=True)
    assert [after.strip() for before, after in lines if before != after] == [
        '{"case":"case 2","checked":1,"passed":0},'
    ]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (outcomes("r", "++", missing=1), "1 trials were not made"),
        (side("r", [case("a"), case("b", 0, 0, unjudged=1)]), "the provider failed in 'b'"),
        (side("r", [case("a", 0, 0)]), "no case with a verdict"),
    ],
)
def test_half_a_run_is_no_baseline(tmp_path: Path, broken: Side, message: str) -> None:
    with pytest.raises(RunError, match=message):
        write_baseline(broken, tmp_path / "baseline.json")
    assert not (tmp_path / "baseline.json").exists()


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "not json", '{"schema_version": 1}', "\x00\xff"],
)
def test_what_is_no_baseline_is_refused_in_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(RunError, match="is no baseline"):
        read_baseline(path)


def test_a_baseline_that_was_edited_into_nonsense_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    write_baseline(outcomes("r", "++"), path)
    text = path.read_text()
    path.write_text(text.replace('"passed":1', '"passed":5', 1))
    with pytest.raises(RunError, match="5 of 1 tries"):
        read_baseline(path)
    path.write_text(text.replace('"case 1"', '"case 0"'))
    with pytest.raises(RunError, match="stands in it twice"):
        read_baseline(path)
    path.write_text(text.replace('"schema_version": 1', '"schema_version": 9'))
    with pytest.raises(RunError, match="the form 9"):
        read_baseline(path)
    with pytest.raises(RunError, match="cannot be read"):
        read_baseline(tmp_path / "nowhere.json")
