"""From an entry of ``checks:`` to a metric that is 1 or 0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from seatrial.config.checks import CheckConfig
from seatrial.config.entity import Entity
from seatrial.config.hooks import split_reference
from seatrial.config.loaded import LoadedAgent
from seatrial.errors import ConfigError
from seatrial.metrics import catalog
from seatrial.metrics.checks.negated import Negated
from seatrial.metrics.grading import GradedMetric
from seatrial.tools.user_module import load_function

_OF_TOTALS = {
    *("threshold", "weight", "group", "name", "enabled"),
    *("retry_on_failure", "timeout_ms", "model", "models"),
}


def build_check(config: CheckConfig, loaded: LoadedAgent) -> GradedMetric:
    """The check as a metric that must reach 1. A ``python`` check's file is executed."""
    metric = catalog.build(config.kind, **_options(config, loaded), **config.settings)
    judged = Negated(metric) if config.negated else metric
    return GradedMetric(
        judged,
        catalog.info(config.kind),
        threshold=1.0,
        weight=config.weight,
        group=config.group or "",
        name=config.name,
        asks=mark_of(config),
    )


def mark_of(config: Entity, calls: Mapping[str, Any] | None = None) -> str:
    """A short mark of what an entry looks for and of the ``calls`` that it compares, without thresholds and totals."""
    told = config.model_dump(mode="json", exclude=_OF_TOTALS, exclude_defaults=True)
    return short_mark({"entry": told, "calls": calls or None})


def short_mark(value: Any) -> str:
    """The same for whatever is the same as JSON."""
    return blake2b(msgspec.json.encode(value, enc_hook=str, order="deterministic"), digest_size=4).hexdigest()


def read_json(value: Any, loaded: LoadedAgent) -> Any:
    """The value itself, or where it is a text the JSON in the file of that name. Raises `ConfigError`."""
    if not isinstance(value, str):
        return value
    path = loaded.path_to(value)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not valid JSON: {error}") from error


def _options(config: CheckConfig, loaded: LoadedAgent) -> dict[str, Any]:
    match config.kind:
        case "python":
            file, function = split_reference(config.python or "")
            return {"function": load_function(loaded.path_to(file), function)}
        case "json_schema":
            return {"value": read_json(config.json_schema, loaded)}
        case _:
            return {"value": config.value}
