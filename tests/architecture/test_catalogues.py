"""Catalogues name their classes as text, so a test resolves every name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import seatrial
from seatrial.plugins import Registry


def registries() -> Iterator[Registry[object]]:
    for found in pkgutil.walk_packages(seatrial.__path__, "seatrial."):
        if found.name.endswith(".catalog"):
            module = importlib.import_module(found.name)
            yield from (value for value in vars(module).values() if isinstance(value, Registry))


ENTRIES = [(registry, name) for registry in registries() for name in registry.builtins]


@pytest.mark.parametrize(("registry", "name"), ENTRIES, ids=[f"{r.kind}-{n}" for r, n in ENTRIES])
def test_every_catalogued_name_leads_to_an_object(registry: Registry[object], name: str) -> None:
    assert callable(registry.load(name))


def test_there_are_catalogues() -> None:
    assert {registry.kind for registry, _ in ENTRIES} >= {"provider", "metric"}


def test_every_public_name_resolves() -> None:
    for name in seatrial.__all__:
        assert getattr(seatrial, name) is not None
