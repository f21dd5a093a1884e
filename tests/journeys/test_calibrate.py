"""``seatrial calibrate``, as a command, against a judge on loopback."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.judge_server import judge_server, text_of, verdict

Run = Callable[..., subprocess.CompletedProcess[str]]

AGENT = """\
name: shop
model: {{provider: openai_compatible, name: judge, endpoint: "{url}", api_key: none}}
instructions: Answer briefly.
evaluations:
  metrics:
    - {{metric: relevance, threshold: 3}}
    - metric: f1_score
test_cases:
  - {{name: day, input: When do you open?, ground_truth: At nine.}}
"""


def write_agent(folder: Path, url: str) -> None:
    (folder / "agent.yaml").write_text(AGENT.format(url=url), encoding="utf-8")


def write_labels(folder: Path, rows: Sequence[dict[str, Any]]) -> None:
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def generous(request: dict[str, Any]) -> str:
    """One level too many for long answers."""
    text = text_of(request)
    found = re.search(r"worth (\d)", text)
    assert found is not None
    level = int(found[1]) + ("at length" in text)
    return verdict(min(level, 5))


def labelled(count: int = 40) -> list[dict[str, Any]]:
    rows = []
    for number in range(count):
        level = number % 5 + 1
        tail = " and it goes on at length" * 5 if number % 2 else ""
        rows.append({"input": f"question {number}", "output": f"worth {level}{tail}", "relevance": level})
    return rows


def test_a_judge_is_held_against_people(tmp_path: Path, seatrial: Run) -> None:
    with judge_server(generous) as url:
        write_agent(tmp_path, url)
        write_labels(tmp_path, labelled())
        done = seatrial("calibrate", ".", "labels.csv", "--json-file", "found.json")
    assert done.returncode == 0, done.stderr
    assert "relevance: 40 items" in done.stdout
    assert re.search(r"quadratic kappa 0\.\d\d \(95 % interval 0\.\d\d to ", done.stdout)
    assert "the same level as people: 60 %" in done.stdout
    assert "by length: +0.00 against people in the shorter half, +0.80 in the longer" in done.stdout
    assert "by position: with the material in the opposite order +0.00, 0 % of 40 verdicts turn over" in done.stdout
    assert "asked again: 100 % of 40 items have the same number each time" in done.stdout
    assert "160 requests, 17,600 tokens" in done.stdout
    found = json.loads((tmp_path / "found.json").read_text())["judges"]["relevance"]["calibration"]
    assert found["levels"]["1"] == {"1": 4, "2": 4, "3": 0, "4": 0, "5": 0}
    assert found["verdicts"] == {"both_pass": 24, "false_pass": 4, "false_fail": 0, "both_fail": 12}
    assert found["suggestion"]["threshold"] == 4.0  # kappa 0.80 against 0.78 at 3


def test_a_better_threshold_is_suggested_with_how_sure_it_is(tmp_path: Path, seatrial: Run) -> None:
    def kind(request: dict[str, Any]) -> str:
        found = re.search(r"worth (\d)", text_of(request))
        assert found is not None
        return verdict(min(int(found[1]) + 1, 5))

    with judge_server(kind) as url:
        write_agent(tmp_path, url)
        write_labels(tmp_path, labelled())
        done = seatrial("calibrate", ".", "labels.csv", "--draws", "1", "--no-order")
    assert "suggested: 4 (kappa 1.00, 0.55 at the present 3)" in done.stdout
    assert re.search(r"\d+ % of 1,000 resamples choose the same, ", done.stdout)
    assert "of 16 that people let fail the judge lets 8 pass" in done.stdout
    assert "40 requests" in done.stdout


def test_verdicts_in_words_and_answers_of_a_stored_run_are_labels_too(tmp_path: Path, seatrial: Run) -> None:
    def answer(request: dict[str, Any]) -> str:
        return verdict(5) if "examiner" in text_of(request) else "At nine, worth 5."

    with judge_server(answer) as url:
        write_agent(tmp_path, url)
        assert seatrial("test").returncode == 0
        assert seatrial("runs", "export", "--format", "csv", "-o", "run.csv").returncode == 0
        rows = list(csv.DictReader((tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()))
        write_labels(tmp_path, [{**row, "relevance": "pass"} for row in rows])
        exported = seatrial("calibrate", ".", "labels.csv", "--json")
        (tmp_path / "labels.jsonl").write_text('{"case": "day", "metric": "relevance", "label": "fail"}\n')
        stored = seatrial("calibrate", "agent.yaml", "labels.jsonl", "--json")
    assert json.loads(exported.stdout)["judges"]["relevance"]["calibration"]["verdicts"]["both_pass"] == 1
    assert json.loads(stored.stdout)["judges"]["relevance"]["calibration"]["verdicts"]["false_pass"] == 1


def test_a_judge_that_cannot_be_read_is_counted_as_such_and_not_left_out_silently(
    tmp_path: Path, seatrial: Run
) -> None:
    def unsure(request: dict[str, Any]) -> str:
        text = text_of(request)
        return "who knows" if "worth 2" in text else generous(request)

    with judge_server(unsure) as url:
        write_agent(tmp_path, url)
        write_labels(tmp_path, labelled(10))
        done = seatrial("calibrate", ".", "labels.csv")
    assert done.returncode == 1
    assert "2 in error and in none of the numbers: line 3: the judge's reply cannot be used" in done.stdout
    assert "8 labelled items tell little" in done.stdout


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            "input,output,relevence\na,b,3\n",
            ["labels.csv:2:1: error", "`relevence` is no judge", "did you mean 'relevance'"],
        ),
        ("input,output,relevance\na,b,great\n", ["labels.csv:2:1: error", "relevance: 'great' is no label"]),
        ("input,output,relevance\na,b,nan\n", ["'nan' is no label"]),
        ("input,output,relevance\na,b,\n", ["labels.csv:2:1: error", "the row has no label"]),
        ("input,output,relevance\na,b,9\n", ["the label 9 is off the scale of relevance, 1 to 5"]),
        ("input,relevance\na,3\n", ["no `output`, and no `case`"]),
        ("input,output,relevance\na,b\n", ["labels.csv:2:1: error", "2 cells, the header has 3"]),
        ("case,relevance\nday,3\n", ["the case 'day', and no run is stored here"]),
        ("output,relevance\nb,3\nb,x\nb,y\n", ["labels.csv has 2 errors", "labels.csv:3", "labels.csv:4"]),
        ("", ["labels.csv is empty", "write a row for each answer"]),
        ("input,output,relevance\n", ["labels.csv holds no label", "write a row for each answer"]),
        ("output,relevance\nb,3\nb,9\nb,-2\n", ["labels.csv has 2 errors", "labels.csv:3:1: error", "labels.csv:4:1"]),
        ("case,relevance\nday,3\nnight,4\n", ["labels.csv has 2 errors", "labels.csv:2:1: error", "labels.csv:3:1"]),
    ],
)
def test_mistakes_are_told_by_line_before_a_judge_is_asked(
    tmp_path: Path, seatrial: Run, text: str, messages: list[str]
) -> None:
    write_agent(tmp_path, "http://127.0.0.1:9/v1")
    (tmp_path / "labels.csv").write_text(text, encoding="utf-8")
    done = seatrial("calibrate", ".", "labels.csv")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    for message in messages:
        assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "output,relevance\nb,3\nb,1\n",
            [],
            "labels.csv:3:1: error[ST112]: one person says 1 of an answer for relevance",
        ),
        (
            "output,relevance,rater\nb,3,Ann\nb,pass,Ann\n",
            [],
            "Ann says pass of an answer for relevance, and 3 of the same",
        ),
        ("output,relevance\nb,3\n", ["--pass-at", "99"], "--pass-at 99 is off the scale of relevance, 1 to 5"),
        ("output,relevance\nb,3\n", ["--run", "nope"], "no run is stored here"),
        ("output,relevance\nb,3\n", ["--draws", "1000"], "must be a whole number from 1 to 50, not '1000'"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_before_a_judge_is_asked(
    tmp_path: Path, seatrial: Run, text: str, options: list[str], message: str
) -> None:
    write_agent(tmp_path, "http://127.0.0.1:9/v1")
    (tmp_path / "labels.csv").write_text(text, encoding="utf-8")
    done = seatrial("calibrate", ".", "labels.csv", *options)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert message in done.stderr


def test_a_file_of_labels_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path, seatrial: Run) -> None:
    write_agent(tmp_path, "http://127.0.0.1:9/v1")
    none = seatrial("calibrate", ".", "people.csv")
    assert (none.returncode, "writes answers to label" in none.stderr) == (2, True)
    (tmp_path / "labels.csv").write_text("output,relevance\na,3\n", encoding="utf-8")
    near = seatrial("calibrate", ".", "label.csv")
    assert near.returncode == 2
    assert "there is no such file of labels" in near.stderr
    assert "did you mean labels.csv?" in near.stderr
    assert "in its folder: labels.csv" in seatrial("calibrate", ".", "people-of-ours.csv").stderr


def test_an_agent_whose_model_cannot_judge_is_refused_with_what_to_do(tmp_path: Path, seatrial: Run) -> None:
    text = "name: shop\nmodel: {provider: local, name: minilm-extractive}\ninstructions: Answer.\n"
    (tmp_path / "agent.yaml").write_text(text, encoding="utf-8")
    write_labels(tmp_path, labelled(3))
    done = seatrial("calibrate", ".", "labels.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "relevance has no judge: the provider 'local' is no language model" in done.stderr
    assert "name a judge: model: {provider: ..., name: ...}" in done.stderr


def test_scores_of_an_export_that_nobody_wrote_over_are_not_taken_for_labels_silently(
    tmp_path: Path, seatrial: Run
) -> None:
    def answer(request: dict[str, Any]) -> str:
        return verdict(5) if "examiner" in text_of(request) else "At nine, worth 5."

    with judge_server(answer) as url:
        write_agent(tmp_path, url)
        assert seatrial("test").returncode == 0
        seatrial("runs", "export", "--format", "csv", "-o", "labels.csv")
        as_it_is = seatrial("calibrate", ".", "labels.csv")
        rows = list(csv.DictReader((tmp_path / "labels.csv").read_text(encoding="utf-8").splitlines()))
        write_labels(tmp_path, [{**row, "relevance": 4} for row in rows])
        by_people = seatrial("calibrate", ".", "labels.csv")
    assert "warning: the one label of relevance is the judge's own of run " in as_it_is.stderr
    assert "relevance: 1 item\n" in as_it_is.stdout
    assert "warning" not in by_people.stderr
