"""One trial: the case goes in, what the agent made of it comes out."""

from __future__ import annotations

import asyncio
import time
import traceback
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from seatrial.core.messages import utc_now
from seatrial.errors import DocumentError, ProviderError, SeatrialError
from seatrial.runs.records import TrialError

if TYPE_CHECKING:
    from seatrial.assembly.live import LiveAgent
    from seatrial.config.cases import CaseConfig
    from seatrial.core.abort import AbortSignal
    from seatrial.core.messages import UserMessage
    from seatrial.core.result import RunResult


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of one trial before it is graded: a result, or the error that was in its way."""

    started_at: datetime
    duration_s: float
    result: RunResult | None = None
    error: TrialError | None = None

    @property
    def is_aborted(self) -> bool:
        """Whether it was stopped from outside: such a trial counts as not run."""
        return self.result is not None and self.result.stop_reason == "aborted"


async def execute(case: CaseConfig, agent: LiveAgent, stop: AbortSignal) -> Attempt:
    """Runs the agent on the case; whatever fails is an error of this one trial. Only cancellation gets through."""
    started_at = utc_now()
    started = time.perf_counter()
    result: RunResult | None = None
    error: TrialError | None = None
    try:
        message = await _message_of(case, agent)
        started = time.perf_counter()
        result = await agent.agent.run(message, signal=stop)
        error = _error_in(result)
    except DocumentError as raised:
        error = TrialError("file", raised.message, raised.hint)
    except ProviderError as raised:
        error = TrialError("provider", raised.message, raised.hint)
    except SeatrialError as raised:
        error = TrialError("internal", raised.message, raised.hint)
    except Exception as raised:  # noqa: BLE001 - the door of a trial
        error = TrialError("internal", f"{type(raised).__name__}: {raised}{_place_of(raised)}")
    return Attempt(started_at, time.perf_counter() - started, result, error)


async def _message_of(case: CaseConfig, agent: LiveAgent) -> UserMessage:
    """The case as the agent is told it. Files are read in a thread."""
    if case.files:
        return await asyncio.to_thread(agent.message_for, case)
    return agent.message_for(case)


def _place_of(error: Exception) -> str:
    """Where it was raised, for the report of a bug."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""


def _error_in(result: RunResult) -> TrialError | None:
    """Why there is no answer to judge, where there is none."""
    match result.stop_reason:
        case "error" | "incomplete":
            return TrialError("provider", result.error_message or "the model's reply was not whole")
        case "awaiting_approval":
            return TrialError("stopped", "a tool call waits for an approval that nobody can give in a test")
        case "aborted" | "terminated" | "limit" | "length":
            return None
        case "refusal" | "content_filter" if not result.text.strip():
            return TrialError("empty_answer", result.error_message or f"no answer: {result.stop_reason}")
        case _:
            return None if result.text.strip() else TrialError("empty_answer", "the model gave an empty answer")
