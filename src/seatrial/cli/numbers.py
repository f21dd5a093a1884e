"""Numbers on the command line, refused in words."""

from __future__ import annotations

import math

import click

from seatrial.core.text import excerpt

_SHOWN_BYTES = 40


class Whole(click.ParamType[int]):
    """A whole number of at least ``least``, and at most ``most``."""

    name = "whole number"

    def __init__(self, least: int = 1, most: int | None = None) -> None:
        self._least = least
        self._most = most

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; fails in words."""
        try:
            number = int(str(value))
        except ValueError:
            number = None
        if number is None or number < self._least or (self._most is not None and number > self._most):
            bounds = f"of at least {self._least}" if self._most is None else f"from {self._least} to {self._most}"
            self.fail(f"must be a whole number {bounds}, not {excerpt(str(value), _SHOWN_BYTES)!r}", param, ctx)
        return number


class Number(click.ParamType[float]):
    """A number above zero, or within two bounds."""

    name = "number"

    def __init__(self, low: float | None = None, high: float | None = None) -> None:
        self._bounds = None if low is None or high is None else (low, high)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; fails in words."""
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not self._has(number):
            self.fail(f"must be a number {self._where()}, not {str(value)!r}", param, ctx)
        return number

    def _has(self, number: float) -> bool:
        if self._bounds is None:
            return 0 < number < math.inf
        return self._bounds[0] <= number <= self._bounds[1]

    def _where(self) -> str:
        return "above 0" if self._bounds is None else f"between {self._bounds[0]:g} and {self._bounds[1]:g}"
