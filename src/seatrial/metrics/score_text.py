"""One computed metric of one pair of texts, without an agent, a file or an event loop."""

from __future__ import annotations

import math
from typing import Any

from seatrial.errors import MetricError
from seatrial.metrics import catalog
from seatrial.metrics.text.pair import PairMetric


def score_text(metric: str, answer: str, ground_truth: str, **options: Any) -> float:
    """The value of ``metric`` on the scale of the catalogue (``bleu`` from 0 to 1).

    ``options`` are the metric's own; ``scale=100`` is understood where the metric has that scale. Raises `MetricError`
    for a metric that needs more than two texts and `PluginError` for an unknown name.
    """
    info = catalog.info(metric).on_scale(options.pop("scale", None))
    found = catalog.build(metric, **options)
    if not isinstance(found, PairMetric):
        raise MetricError(f"{metric} needs more than an answer and a ground truth", hint="run it with `seatrial test`")
    value = found.compare(answer, ground_truth).value
    if value is None or not math.isfinite(value):
        raise MetricError(f"{metric} gave no value")
    return value * info.factor
