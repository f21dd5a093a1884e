"""What the parts of one run share."""

from __future__ import annotations

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.context import AgentContext, AgentState
from seatrial.core.conversation import Conversation
from seatrial.core.events import AgentEvent, EventSink, RunEnded, WarningRaised
from seatrial.core.journal import Journal
from seatrial.core.limits import Meter
from seatrial.core.loop_config import LoopConfig
from seatrial.core.result import RequestRecord


class Scope(msgspec.Struct, eq=False):
    """One run's state, bounds and listeners; made for the run and dropped with it."""

    state: AgentState
    conversation: Conversation
    config: LoopConfig
    meter: Meter
    signal: AbortSignal
    sink: EventSink | None = None
    with_deltas: bool = True
    journal: Journal | None = None
    records: list[RequestRecord] = []
    warnings: list[str] = []
    hook_errors: list[str] = []

    def emit(self, event: AgentEvent) -> None:
        """Tells the listener, if there is one."""
        if self.sink is not None:
            self.sink(event)

    def end(self, event: RunEnded) -> None:
        """Tells the last event; what a stray tool says later reaches nobody."""
        self.emit(event)
        self.sink = None

    def warn(self, text: str) -> None:
        """Notes something for people, once."""
        if text not in self.warnings:
            self.warnings.append(text)
            self.emit(WarningRaised(text))

    def hook_failed(self, text: str) -> None:
        """Notes that a hook could not do its work: what it should have seen to is unknown."""
        if text not in self.hook_errors:
            self.hook_errors.append(text)
            self.warn(text)

    def context(self) -> AgentContext:
        """What a request would be made from now."""
        return AgentContext(self.state.system_prompt, self.conversation.sent(), self.state.tools)
