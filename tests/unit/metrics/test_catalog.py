"""Every name in the catalogue leads to a metric that keeps its word."""

from __future__ import annotations

from typing import Any

import pytest

from seatrial.errors import MetricError, PluginError
from seatrial.metrics import catalog
from seatrial.metrics.text.pair import PairMetric

REQUIRED: dict[str, dict[str, Any]] = {
    "expected_tools": {"expected": ["a"]},
    "tool_f1": {"expected": ["a"]},
    "json_schema": {"value": {}},
    "max_latency_ms": {"value": 1},
    "max_cost_usd": {"value": 1},
    "code": {"function": lambda context: context.agent_response == ""},
    "python": {"function": lambda evidence: evidence.output == ""},
}
CHECKS = {name for name in catalog.names() if catalog.info(name).kind == "check"}


@pytest.mark.parametrize("name", [name for name in catalog.names() if catalog.info(name).kind != "judge"])
def test_h012_every_catalogued_metric_can_be_built_and_has_a_name(name: str) -> None:
    options = REQUIRED.get(name, {"value": "x"} if name in CHECKS else {})
    metric = catalog.build(name, **options)
    assert metric.name
    assert isinstance(metric, PairMetric) is (catalog.info(name).kind == "computed")


def test_an_unknown_metric_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(PluginError) as caught:
        catalog.info("f1_scor")
    assert caught.value.hint == "did you mean 'f1_score'?"


def test_an_unknown_option_is_an_error_that_names_it() -> None:
    with pytest.raises(MetricError, match="stemm"):
        catalog.build("rouge", stemm=True)


def test_h011_only_metrics_with_a_second_scale_can_be_moved_to_it() -> None:
    assert catalog.info("bleu").on_scale(100).scale == (0, 100)
    assert catalog.info("ter").on_scale(100).factor == 100
    assert catalog.info("rouge").on_scale(1).scale == (0, 1)
    with pytest.raises(MetricError) as caught:
        catalog.info("rouge").on_scale(5)
    assert caught.value.hint == "scale: 1"


def test_h011_a_threshold_must_lie_on_the_scale() -> None:
    assert catalog.info("bleu").complaint_about(0.4) is None
    assert catalog.info("bleu").complaint_about(40) == "40 is not on the scale of bleu: 0 to 1"
    assert catalog.info("bleu").on_scale(100).complaint_about(40) is None
    assert catalog.info("ter").complaint_about(1.5) is None
    assert catalog.info("ter").complaint_about(float("nan")) is not None


def test_a_score_that_is_not_the_reference_value_says_so_in_its_name() -> None:
    assert catalog.build("meteor").name == "meteor(synonyms=off)"
    assert catalog.build("rouge").name == "rouge"
    assert catalog.build("rouge1").name == "rouge1"
    assert catalog.build("rouge", tokenizer="unicode").name == "rouge(tokenizer=unicode)"
