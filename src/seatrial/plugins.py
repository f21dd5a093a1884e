"""Registries: built-ins by dotted name, plugins by entry point, both resolved on first use."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from seatrial.errors import PluginError

T = TypeVar("T")


class Registry(Generic[T]):
    """Names and the objects behind them.

    ``builtins`` maps a name to ``"package.module:Attribute"``; ``group`` is the entry-point group in which installed
    packages add names of their own. A built-in wins over a plugin of the same name.
    """

    def __init__(self, kind: str, group: str, builtins: Mapping[str, str]) -> None:
        self.kind = kind
        self.group = group
        self.builtins = dict(builtins)

    def names(self) -> list[str]:
        """Every known name: built-ins in their order, then plugins sorted."""
        plugins = sorted({point.name for point in entry_points(group=self.group)} - self.builtins.keys())
        return [*self.builtins, *plugins]

    def __contains__(self, name: str) -> bool:
        return name in self.builtins or name in self.names()

    def load(self, name: str) -> T:
        """The object behind ``name``; raises `PluginError` when there is none or it cannot be imported."""
        target = self.builtins.get(name)
        if target is not None:
            return self._import(name, target)
        for point in entry_points(group=self.group):
            if point.name == name:
                return self._import(name, point.value)
        known = self.names()
        near = get_close_matches(name, known, n=1)
        raise PluginError(
            f"there is no {self.kind} named {name!r}",
            hint=f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}",
        )

    def _import(self, name: str, target: str) -> T:
        module_name, _, attribute = target.partition(":")
        try:
            found: T = getattr(import_module(module_name), attribute)
        except (ImportError, AttributeError) as error:
            raise PluginError(f"the {self.kind} {name!r} ({target}) cannot be loaded: {error}") from error
        return found
