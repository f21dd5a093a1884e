"""The judges that an agent file names, and those that it could."""

from __future__ import annotations

from collections.abc import Iterator

from seatrial.assembly.check_metrics import known_info
from seatrial.assembly.metrics import shown_name
from seatrial.config.evaluations import MetricConfig
from seatrial.config.loaded import LoadedAgent
from seatrial.metrics import catalog


def judges_of(loaded: LoadedAgent) -> dict[str, MetricConfig]:
    """By the name that is shown: the judges of the evaluation block, those of cases, and all others by their defaults.

    A judge that needs criteria (`geval`) is there only where the file gives them.
    """
    found: dict[str, MetricConfig] = {}
    for config in _named(loaded):
        info = known_info(config.metric)
        if info is not None and info.kind == "judge":
            found.setdefault(shown_name(config), config)
    for name in catalog.names():
        if catalog.info(name).kind == "judge" and name not in ("geval", *found):
            found[name] = MetricConfig(metric=name)
    return found


def judge_provider(loaded: LoadedAgent, metric: MetricConfig) -> str:
    """Who hosts the model that the metric asks; one of `NO_JUDGES` cannot judge."""
    config = loaded.require()
    block = config.evaluations
    return (metric.model or (block.model if block is not None else None) or config.model).provider


def named_judges(loaded: LoadedAgent) -> list[str]:
    """Those of them that the file itself names."""
    return [name for name, config in judges_of(loaded).items() if any(config is named for named in _named(loaded))]


def _named(loaded: LoadedAgent) -> Iterator[MetricConfig]:
    config = loaded.require()
    if config.evaluations is not None:
        yield from config.evaluations.metrics
    for case in config.test_cases:
        for asked in (case, *case.turns):
            yield from (entry for entry in asked.evaluations or () if isinstance(entry, MetricConfig))
