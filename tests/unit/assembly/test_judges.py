"""What an agent file says of its judges: how often they are asked, who else is, in which words, for which total."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seatrial.assembly.check import check
from seatrial.assembly.judges import judges_of, named_judges
from seatrial.assembly.metrics import Metrics
from seatrial.config.loaded import LoadedAgent
from seatrial.config.model import ModelConfig
from seatrial.core.model import Model
from seatrial.metrics.base import Evidence, Score
from seatrial.providers.scripted import scripted

Load = Callable[[str], LoadedAgent]
JUDGE = "model: {provider: scripted, name: j.json}"
TRIAL = Evidence("When?", "At nine.", ground_truth="At nine.")


@pytest.fixture(autouse=True)
def scripts(tmp_path: Path) -> None:
    for name in ("j.json", "k.json"):
        (tmp_path / name).write_text("[]", encoding="utf-8")


async def scores(loaded: LoadedAgent, replies: dict[str, list[str]]) -> dict[str, Score]:
    def model_for(config: ModelConfig) -> Model:
        return scripted(*replies[config.name])

    metrics = Metrics(loaded, model_for).of(loaded.require().test_cases[0])
    return {metric.shown_name: await metric.grade(TRIAL) for metric in metrics}


def entry(text: str) -> str:
    return f"evaluations:\n  {JUDGE}\n  metrics:\n    - {text}\ntest_cases: [{{input: q, ground_truth: x}}]\n"


@pytest.mark.parametrize(
    "text",
    [
        "{metric: relevance, threshold: 3, draws: 3}",
        "{metric: relevance, threshold: 3, options: {draws: 3}}",
        "{metric: relevance, threshold: 3, draws: 3, combine: majority}",
    ],
)
async def test_a_judge_is_asked_as_often_as_the_file_says(load: Load, text: str) -> None:
    loaded = load(entry(text))
    assert list(check(loaded)) == []
    found = await scores(loaded, {"j.json": ['{"score": 2}', '{"score": 5}', '{"score": 5}']})
    assert found["relevance"].value == 5
    assert [draw["value"] for draw in found["relevance"].details["draws"]] == [2, 5, 5]


async def test_further_judges_are_models_of_the_file(load: Load) -> None:
    text = "{metric: relevance, threshold: 3, models: [{provider: scripted, name: k.json}], combine: mean}"
    loaded = load(entry(text))
    assert list(check(loaded)) == []
    found = await scores(loaded, {"j.json": ['{"score": 2}'], "k.json": ['{"score": 5}']})
    assert found["relevance"].value == 3.5


def test_further_models_of_what_is_no_judge_are_refused(load: Load) -> None:
    loaded = load(entry("{metric: f1_score, threshold: 0.5, models: [{provider: scripted, name: k.json}]}"))
    assert [finding.code for finding in check(loaded) if finding.severity == "error"] == ["ST102"]


async def test_own_words_take_the_place_of_the_rubric(load: Load) -> None:
    loaded = load(entry('{metric: relevance, threshold: 3, custom_prompt: "Look at {response} only."}'))
    assert list(check(loaded)) == []
    assert (await scores(loaded, {"j.json": ['{"score": 4}']}))["relevance"].outcome == "passed"


async def test_weights_and_groups_reach_the_scores(load: Load) -> None:
    loaded = load(
        """
        evaluations: {metrics: [{metric: f1_score, threshold: 0.5, weight: 3, group: facts}]}
        test_cases: [{input: q, ground_truth: At nine., checks: [{contains: nine, weight: 2, group: tone}]}]
        """
    )
    found = await scores(loaded, {})
    assert {name: (score.weight, score.group) for name, score in found.items()} == {
        "f1_score": (3, "facts"),
        "contains": (2, "tone"),
    }


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (
            "{metric: f1_score, threshold: 0}",
            "every score of f1_score reaches the threshold 0: it lets everything pass",
        ),
        ("{metric: relevance, threshold: 1}", "every score of relevance reaches the threshold 1"),
        ("{metric: bleu, threshold: 0.4, scale: 100}", "bleu is on the scale 0 to 100, and its threshold is 0.4"),
    ],
)
def test_a_threshold_that_lets_everything_pass_is_warned_of(load: Load, metric: str, message: str) -> None:
    (finding,) = check(load(entry(metric)))
    assert (finding.code, finding.severity) == ("ST511", "warning")
    assert message in finding.message


def test_a_threshold_of_zero_is_strict_where_lower_is_better(load: Load) -> None:
    assert list(check(load(entry("{metric: ter, threshold: 0}")))) == []


def test_all_judges_can_be_named_those_of_the_file_first(load: Load) -> None:
    loaded = load(entry("{metric: relevance, name: fit, threshold: 3}"))
    names = list(judges_of(loaded))
    assert names[0] == "fit"
    assert {"relevance", "groundedness", "faithfulness"} <= set(names)
    assert not {"geval", "f1_score"} & set(names)
    assert named_judges(loaded) == ["fit"]
