"""The committed baseline: small, diffable, read back as it was, and never made of half a run."""

from __future__ import annotations

import json
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
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
        '{"case":"case 2","checked":1,"passed":0,"asks":"ab"},'
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
    with pytest.raises(RunError, match="stands in cases\\[0\\], too"):
        read_baseline(path)
    path.write_text(text.replace('"schema_version": 1', '"schema_version": 9'))
    with pytest.raises(RunError, match="the form 9"):
        read_baseline(path)
    with pytest.raises(RunError, match="cannot be read"):
        read_baseline(tmp_path / "nowhere.json")


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**30),
    st.sampled_from([1e308, -1e308, 0.5, "x", "", [], {}, [1], {"f1": 1}, {"f1": "x"}, {"other": 0.5}, "\u0000"]),
)
PLACES = st.sampled_from(
    [
        *(
            (key,)
            for key in ("agent", "run", "started_at", "models", "variants", "commit", "files", "means", "metrics")
        ),
        ("cases",),
        ("means", "tokens"),
        ("metrics", "f1"),
        ("metrics", "f1", "threshold"),
        ("metrics", "f1", "scale"),
        *(("cases", 0, key) for key in ("case", "checked", "passed", "variant", "require", "scores", "thresholds")),
        ("cases", 1, "scores", "f1"),
        ("cases", 1),
        ("what",),
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(PLACES, ODD), min_size=1, max_size=4))
def test_whatever_is_written_into_it_it_is_compared_or_refused(
    tmp_path: Path, changes: list[tuple[tuple[Any, ...], Any]]
) -> None:
    path = tmp_path / "baseline.json"
    write_baseline(WHOLE, path)
    document = json.loads(path.read_text())
    for (*way, last), value in changes:
        block = document
        for key in way:
            inner = block[key] if isinstance(block, dict | list) and _has(block, key) else None
            block = inner if isinstance(inner, dict | list) else block
        if _has(block, last) or isinstance(block, dict):
            block[last] = deepcopy(value)
    path.write_text(json.dumps(document))
    with suppress(RunError):
        assert compare(read_baseline(path), WHOLE).verdict in ("better", "worse", "no evidence")


def _has(block: Any, key: Any) -> bool:
    return key in block if isinstance(block, dict) else isinstance(key, int) and key < len(block)


def test_everything_that_is_wrong_is_told_at_once_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    write_baseline(WHOLE, path)
    document = json.loads(path.read_text())
    document["means"]["tokens"] = "many"
    document["cases"][0]["scores"] = {"f2": 0.5, "f1": 1e308}
    document["cases"][1]["checked"] = 10**12
    document["cases"][2]["extra"] = 1
    path.write_text(json.dumps(document))
    with pytest.raises(RunError) as caught:
        read_baseline(path)
    for words in ("means.tokens", "cases[0]: ", "cases[1]: ", "<= 10000", "cases[2]: ", "`extra`"):
        assert words in caught.value.message
    document = json.loads(path.read_text())
    document["means"]["tokens"] = 1.0
    document["cases"] = [{"case": "a", "checked": 1, "passed": 1, "asks": "x", "scores": {"f1": 7.0}}]
    path.write_text(json.dumps(document))
    with pytest.raises(RunError, match="7 is off the scale of f1"):
        read_baseline(path)
    document["metrics"]["f1"]["scale"] = [1.0, 0.0]
    path.write_text(json.dumps(document))
    with pytest.raises(RunError, match="the scale 1 to 0 is none"):
        read_baseline(path)
    document["metrics"]["f1"]["scale"] = [0.0, 1.0]
    del document["cases"][0]["asks"]
    path.write_text(json.dumps(document))
    with pytest.raises(RunError, match="missing required field `asks`"):
        read_baseline(path)
    document["cases"] = [{"case": "a", "checked": 1, "passed": 1, "asks": "x", "scores": {"f2": 0.5}, "variant": "v"}]
    path.write_text(json.dumps(document))
    with pytest.raises(RunError, match=r"(?s)no variant 'v'.*says nothing of 'f2'"):
        read_baseline(path)
