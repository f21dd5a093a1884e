"""Names in an agent file that only catalogues know, found also in a file that has other errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seatrial.config.located import KeyPath, value_at

NameUsed = tuple[KeyPath, str]


def providers_used(data: Any) -> Iterator[NameUsed]:
    """The provider of each ``model:`` block."""
    for path in _models(data):
        model = value_at(data, path)
        if isinstance(model, str) and (":" in model or "/" in model):
            yield path, model.replace("/", ":").partition(":")[0]
        elif isinstance(model, dict):
            yield from _text(data, (*path, "provider"))


def metrics_used(data: Any) -> Iterator[NameUsed]:
    """The metrics of the evaluation block."""
    for index in _indices(data, ("evaluations", "metrics")):
        path: KeyPath = ("evaluations", "metrics", index)
        if isinstance(value_at(data, path), str):
            yield from _text(data, path)
        else:
            yield from _text(data, (*path, "metric"))


def databases_used(data: Any) -> Iterator[NameUsed]:
    """The store of each vectorstore tool that names one."""
    for index in _indices(data, ("tools",)):
        path: KeyPath = ("tools", index, "database")
        if isinstance(value_at(data, path), str):
            yield from _text(data, path)
        else:
            yield from _text(data, (*path, "provider"))


def _models(data: Any) -> Iterator[KeyPath]:
    yield ("model",)
    yield ("evaluations", "model")
    for holder in (("evaluations", "metrics"), ("tools",), ("variants",)):
        for index in _indices(data, holder):
            yield (*holder, index, "model")


def _indices(data: Any, path: KeyPath) -> range:
    value = value_at(data, path)
    return range(len(value)) if isinstance(value, list) else range(0)


def _text(data: Any, path: KeyPath) -> Iterator[NameUsed]:
    value = value_at(data, path)
    if isinstance(value, str) and value and "${" not in value:
        yield path, str(value)
