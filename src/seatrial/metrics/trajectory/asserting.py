"""Assertions on the tool calls of a run, for tests that users write themselves."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from seatrial.core.model import ToolSpec
from seatrial.core.result import RunResult, Transcript
from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence
from seatrial.metrics.trajectory.calls import MadeCall, calls_of
from seatrial.metrics.trajectory.expectation import ToolExpectation, expectation_of
from seatrial.metrics.trajectory.expected_tools import ExpectedTools, Order

T = TypeVar("T")


def assert_called(run: RunResult | Transcript, name: str, /, times: int | None = None, **arguments: Any) -> None:
    """Fails unless the tool was called with these arguments; others may have been given besides.

    Each argument is a value or a matcher as under `expected_tools` of an agent file: ``{"regex": "A-\\\\d+"}``,
    ``{"fuzzy": "oslo"}``, ``{"any": True}``. ``times`` is how often exactly, None for at least once.
    """
    expected = expectation_of({"name": name, "args": arguments}, {})
    calls = calls_of(_messages(run), _tools(run))
    matching = [call for call in calls if not _now(expected.complaints_about(call))]
    if times is None and not matching:
        raise AssertionError(_told(f"{expected.shown} was not called", expected, calls))
    if times is not None and len(matching) != times:
        raise AssertionError(
            _told(f"{expected.shown} was called {_often(len(matching))}, not {_often(times)}", expected, calls)
        )


def assert_not_called(run: RunResult | Transcript, name: str, /, **arguments: Any) -> None:
    """Fails when the tool was called (with these arguments, where some are given)."""
    expected = expectation_of({"name": name, "args": arguments}, {})
    for call in calls_of(_messages(run), _tools(run)):
        if not _now(expected.complaints_about(call)):
            raise AssertionError(f"{expected.shown} was called: call {call.number}, {call.shown}")


def assert_tools(
    run: RunResult | Transcript, *expected: str | Mapping[str, Any], order: Order = "any", forbidden: Sequence[str] = ()
) -> None:
    """Fails unless the calls are the expected ones, as `expected_tools` of an agent file compares them.

    Without ``expected`` no tool may have been called.
    """
    metric = ExpectedTools(expected=list(expected), order=order, forbidden=list(forbidden))
    measured = _now(metric.measure(Evidence("", "", tuple(_messages(run)), tools=tuple(_tools(run)))))
    if measured.value != 1.0:
        raise AssertionError(measured.reason)


def _messages(run: RunResult | Transcript) -> Sequence[Any]:
    return (run.added if isinstance(run, RunResult) else run).messages


def _tools(run: RunResult | Transcript) -> Sequence[ToolSpec]:
    return run.tools if isinstance(run, RunResult) else ()


def _told(what: str, expected: ToolExpectation, calls: Sequence[MadeCall]) -> str:
    """The failure, and each call with what is wrong with it."""
    if not calls:
        return f"{what}: no tool was called"
    lines = [f"  {call.number}. {call.shown}{_why_not(expected, call)}" for call in calls]
    return "\n".join([f"{what}; the calls were:", *lines])


def _why_not(expected: ToolExpectation, call: MadeCall) -> str:
    complaints = _now(expected.complaints_about(call)) if call.is_of(expected.names) else ()
    return f" - {'; '.join(complaints)}" if complaints else ""


def _often(times: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(times, f"{times} times")


def _now(work: Coroutine[Any, Any, T]) -> T:
    """The result of work that waits for nothing, also inside an event loop."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    work.close()
    raise MetricError("a matcher that waits for something cannot be used in an assertion")
