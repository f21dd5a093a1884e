"""A user's Python function as a check or as a metric."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, SupportsFloat

from seatrial.core.threads import in_thread
from seatrial.core.values import plain
from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement


class PythonFunction:
    """What a function says of a trial. It may be plain or async; a plain one runs in a thread.

    It is called with the `Evidence`, or with those of ``output``, ``input``, ``ground_truth``, ``context``,
    ``messages``, ``duration_s``, ``cost_usd`` and ``evidence`` that its parameters name. It gives back a truth value, a
    number, a pair (value, reason), a mapping or an object with ``score`` (or ``value``, or ``passed``) and perhaps
    ``reason`` and ``details``; None means that it does not apply.
    """

    def __init__(self, *, function: Callable[..., Any], name: str | None = None) -> None:
        self.name = name or str(getattr(function, "__name__", "python"))
        self._function = function
        self._parameters = _parameters(self.name, function)

    async def measure(self, evidence: Evidence) -> Measurement:
        """The function's value; raises what the function raises, and `MetricError` for what is no value."""
        arguments = {name: evidence if name == "evidence" else getattr(evidence, name) for name in self._parameters}
        positional = () if arguments else (evidence,)
        if inspect.iscoroutinefunction(self._function):
            found = await self._function(*positional, **arguments)
        else:
            found = await in_thread(partial(self._function, *positional, **arguments))
            if inspect.isawaitable(found):
                found = await found
        return measurement_of(self.name, found)


def measurement_of(name: str, found: object) -> Measurement:
    """The measurement that a user's return value means. Raises `MetricError`."""
    match found:
        case Measurement(value, reason, details):
            return Measurement(value, reason, plain(details))
        case None:
            return Measurement(None, f"{name} says that it does not apply")
        case SupportsFloat() if not hasattr(found, "score"):
            return Measurement(float(found))
        case (value, str(reason)):
            return Measurement(measurement_of(name, value).value, reason)
        case Mapping():
            return _from_fields(name, found.get)
        case _ if any(hasattr(found, key) for key in ("score", "value", "passed")):
            return _from_fields(name, lambda key: getattr(found, key, None))
    raise MetricError(
        f"{name} gave back {found!r:.80} of type {type(found).__name__}",
        hint="give back True or False, a number, (number, reason) or {'score': ..., 'reason': ...}",
    )


def _from_fields(name: str, field: Callable[[str], Any]) -> Measurement:
    value = next((field(key) for key in ("score", "value", "passed") if field(key) is not None), None)
    reason = str(field("reason") or "")
    if value is None:
        if not reason:
            raise MetricError(f"{name} gave back neither score nor reason")
        return Measurement(None, reason)
    if not isinstance(value, SupportsFloat):
        raise MetricError(f"{name} gave back the score {value!r}, which is no number")
    return Measurement(float(value), reason, plain(field("details")))


def _parameters(name: str, function: Callable[..., Any]) -> tuple[str, ...]:
    """The names to pass by keyword; empty when the function takes the evidence as its one argument."""
    known = {"evidence", *Evidence.__struct_fields__}
    parameters = list(inspect.signature(function).parameters.values())
    names = [each.name for each in parameters if each.name in known and each.kind is not each.POSITIONAL_ONLY]
    needed = [
        each.name
        for each in parameters
        if each.default is each.empty and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    if len(needed) == 1 and not names:
        return ()
    unknown = [each for each in needed if each not in names]
    if unknown or not names:
        shown = ", ".join(unknown) or "none"
        raise MetricError(
            f"the function {name} has parameters that nothing is known for: {shown}",
            hint=f"it may take one argument (the evidence) or any of: {', '.join(sorted(known))}",
        )
    return tuple(names)
