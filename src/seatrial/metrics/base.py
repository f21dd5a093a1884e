"""What a metric sees and what it says."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import msgspec

from seatrial.core.messages import Message
from seatrial.core.model import ToolSpec
from seatrial.core.text import shows_nothing
from seatrial.core.usage import UsageTotal
from seatrial.stats.repeats import Reducer

MetricOutcome = Literal["passed", "failed", "error", "skipped", "scored"]


class Evidence(msgspec.Struct, frozen=True):
    """One finished trial as its graders see it.

    ``context`` are the passages that the answer could rest on; ``duration_s`` is wall-clock time of the trial;
    ``cost_usd`` is None when unknown. ``instructions`` are the agent's system prompt and ``tools`` what it was offered.
    ``case`` is the case's name; ``turn_index`` counts from 0; ``turn_config`` is for users' own graders.
    """

    input: str
    output: str
    messages: tuple[Message, ...] = ()
    ground_truth: str | None = None
    context: tuple[str, ...] = ()
    duration_s: float | None = None
    cost_usd: float | None = None
    instructions: str = ""
    tools: tuple[ToolSpec, ...] = ()
    case: str = ""
    turn_index: int = 0
    turn_config: dict[str, Any] = {}

    @property
    def is_answer_empty(self) -> bool:
        """Whether the answer is nothing that could be seen: never a pass by accident."""
        return shows_nothing(self.output)


class Measurement(msgspec.Struct, frozen=True, omit_defaults=True):
    """A raw value on the metric's scale; None with a ``reason`` means that the metric does not apply (skipped).

    ``is_empty_right``: the answer is empty, and that is what was asked for.
    """

    value: float | None
    reason: str = ""
    details: Any = None
    is_empty_right: bool = False


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a metric found. ``value`` is None for ``error`` and ``skipped``; ``scored`` has no threshold.

    ``reason`` is written for people. ``weight`` is the metric's share in the weighted total and in that of its
    ``group``; ``attempts`` counts the tries of a metric that was repeated after an error; ``duration_s`` is wall-clock
    time of all of them. ``is_fatal`` marks an error that makes the case errored, also where the metric has no
    threshold. ``scale`` is the scale of ``value`` and ``threshold``, its end None where it has none.
    ``is_empty_right``: see `Measurement`. ``usage`` and ``cost_usd`` are what its judges spent, None where none was
    asked; a cost of None beside a usage is unknown. ``reduce`` is how several tries of a case become one value.
    ``asks`` is a mark of what the metric was told to look for: with another mark it looks for something else.
    """

    metric: str
    outcome: MetricOutcome
    value: float | None = None
    threshold: float | None = None
    reason: str = ""
    details: Any = None
    weight: float = 1.0
    attempts: int = 1
    duration_s: float | None = None
    is_fatal: bool = False
    is_lower_better: bool = False
    scale: tuple[float, float | None] | None = None
    is_empty_right: bool = False
    usage: UsageTotal | None = None
    cost_usd: float | None = None
    group: str = ""
    reduce: Reducer = "mean"
    asks: str = ""


class Metric(Protocol):
    """Measures one trial. May be asked for several trials at once; raises `MetricError` for what it cannot measure."""

    @property
    def name(self) -> str:
        """The name under which its scores are shown."""

    async def measure(self, evidence: Evidence) -> Measurement:
        """The raw value; the verdict against a threshold is made elsewhere, once for all metrics."""
