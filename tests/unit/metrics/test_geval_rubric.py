"""G-Eval with a rubric: what scores mean, in the user's words."""

from __future__ import annotations

from typing import Any

import pytest

from seatrial.errors import MetricError
from seatrial.metrics import catalog
from seatrial.metrics.base import Evidence, Score
from seatrial.metrics.grading import GradedMetric
from seatrial.providers.scripted import ScriptedModel, scripted

TRIAL = Evidence("When?", "At nine.")
RUBRIC = [
    {"score_range": [0, 3], "expected_outcome": "The {answer} evades."},
    {"score_range": [7, 10], "expected_outcome": "It says when."},
]


async def graded(model: ScriptedModel, **options: Any) -> Score:
    metric = catalog.build("geval", model=model, criteria="It says when.", evaluation_steps=["Look."], **options)
    return await GradedMetric(metric, catalog.info("geval"), 0.5).grade(TRIAL)


async def test_the_judge_is_told_what_scores_mean() -> None:
    judge = scripted('{"reason": "it does", "score": 8}')
    assert (await graded(judge, rubric=RUBRIC)).value == 0.8
    told = judge.requests[0].system_prompt
    assert "0 to 3: The the ANSWER evades.\n7 to 10: It says when." in told


async def test_a_score_in_none_of_the_ranges_is_an_error() -> None:
    score = await graded(scripted('{"reason": "so so", "score": 5}'), rubric=RUBRIC)
    assert score.outcome == "error"
    assert "the score 5 is in none of the rubric's ranges" in score.reason


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"score_range": [0, 3]},
        {"score_range": [3, 0], "expected_outcome": "x"},
        {"score_range": [0, 11], "expected_outcome": "x"},
        {"score_range": "0-3", "expected_outcome": "x"},
        {"score_range": [0, True], "expected_outcome": "x"},
        {"score_range": [0, 3], "expected_outcome": " "},
        {"score_range": [0, 3], "expected_outcome": "x", "weight": 1},
    ],
)
def test_a_rubric_that_says_nothing_is_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(MetricError):
        catalog.build("geval", model=scripted(), criteria="c", rubric=[entry])
