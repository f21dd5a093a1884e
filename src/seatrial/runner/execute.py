"""One trial: the case goes in, what the agent made of it comes out."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from seatrial.core.messages import AssistantMessage, utc_now
from seatrial.core.text import shows_nothing
from seatrial.errors import AbortedError, DocumentError, McpError, ProviderError, SeatrialError
from seatrial.runs.records import ErrorKind, TrialError

if TYPE_CHECKING:
    from seatrial.assembly.live import LiveAgent
    from seatrial.config.cases import CaseConfig, TurnConfig
    from seatrial.core.abort import AbortSignal
    from seatrial.core.agent import Agent
    from seatrial.core.messages import Message, UserMessage
    from seatrial.core.result import RunResult

# What a run's error code says of whose fault the error is; any other error is the provider's.
_OWN_FAULTS: dict[str, ErrorKind] = {"empty_response": "empty_answer", "invalid_answer": "invalid_answer"}


class Turn(msgspec.Struct, frozen=True):
    """One turn as it went: what was asked of it, what came, and how long it took.

    ``answer`` is the result's text; ``retries`` counts the requests that were sent again. ``duration_s`` is the agent's
    own time: waiting for a turn at a model on this machine is left out. ``latency_s`` is how long its longest whole
    request took, None when there was none.
    """

    config: CaseConfig | TurnConfig
    result: RunResult
    answer: str
    duration_s: float
    retries: int
    latency_s: float | None = None


class Attempt(msgspec.Struct, frozen=True):
    """What came of one trial before it is graded: its turns so far, and the error that was in its way.

    ``never_began``: stop was said before the first turn.
    """

    started_at: datetime
    turns: Sequence[Turn] = ()
    error: TrialError | None = None
    never_began: bool = False

    @property
    def last(self) -> RunResult | None:
        """How it ended, None when it never began."""
        return self.turns[-1].result if self.turns else None

    @property
    def duration_s(self) -> float:
        """Wall-clock seconds of the turns; reading files is not counted."""
        return sum(turn.duration_s for turn in self.turns)

    @property
    def was_held_back(self) -> bool:
        """Whether the provider made a request wait or be sent again."""
        return any(turn.retries for turn in self.turns)

    @property
    def latency_s(self) -> float | None:
        """Seconds that the longest whole request took, None when there was none."""
        return max((turn.latency_s for turn in self.turns if turn.latency_s is not None), default=None)

    @property
    def is_aborted(self) -> bool:
        """Whether it was stopped from outside: such a trial counts as not run."""
        return self.never_began or (self.last is not None and self.last.stop_reason == "aborted")


async def execute(case: CaseConfig, agent: LiveAgent, stop: AbortSignal, *, seed: int | None = None) -> Attempt:
    """Runs the agent on the case, all turns in one conversation; the first that goes wrong is the last.

    ``seed`` is what the model is asked to draw by.
    Whatever fails is an error of this one trial. Only cancellation gets through.
    """
    started_at = utc_now()
    turns: list[Turn] = []
    error: TrialError | None = None
    try:
        async with agent.for_trial(stop) as core:
            if seed is not None:
                core = core.with_seed(seed)
            for config in case.turns or (case,):
                message = await _read(config, agent) if config.files else agent.message_for(config)
                turn = await _turn(config, core, message, turns[-1].result.transcript.messages if turns else (), stop)
                turns.append(turn)
                error = _error_in(turn)
                if error is not None or turn.result.stop_reason != "stop":
                    break
    except AbortedError:
        return Attempt(started_at, turns, never_began=not turns)
    except DocumentError as raised:
        error = TrialError("file", raised.message, raised.hint)
    except (ProviderError, McpError) as raised:
        error = TrialError("provider", raised.message, raised.hint)
    except SeatrialError as raised:
        error = TrialError("internal", raised.message, raised.hint)
    except Exception as raised:  # noqa: BLE001 - the door of a trial
        error = TrialError("internal", f"{type(raised).__name__}: {raised}{_place_of(raised)}")
    return Attempt(started_at, turns, error)


async def _read(config: CaseConfig | TurnConfig, agent: LiveAgent) -> UserMessage:
    """What the agent is told, with its files, which are read in a thread."""
    return await asyncio.to_thread(agent.message_for, config)


async def _turn(
    config: CaseConfig | TurnConfig, agent: Agent, message: UserMessage, history: Sequence[Message], stop: AbortSignal
) -> Turn:
    started = time.perf_counter()
    result = await agent.run(message, history=history, signal=stop)
    duration_s = time.perf_counter() - started
    retries = 0
    for reply in result.added.messages:
        if isinstance(reply, AssistantMessage):
            retries += len(reply.failed_tries)
            duration_s -= reply.waited_s
    latency_s = None
    for record in result.requests:
        if record.duration_s and (latency_s is None or record.duration_s > latency_s):
            latency_s = record.duration_s
    return Turn(config, result, result.text, round(max(duration_s, 0.0), 6), retries, latency_s)


def _place_of(error: Exception) -> str:
    """Where it was raised, for the report of a bug."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""


def _error_in(turn: Turn) -> TrialError | None:
    """Why there is no answer to judge, where there is none, or none that a failed hook would have let come about."""
    result = turn.result
    if result.hook_errors:
        return TrialError(
            "hook", "\n".join(result.hook_errors), "mend the hook; the calls that it failed at went wrong"
        )
    match result.stop_reason:
        case "error" | "incomplete":
            kind = _OWN_FAULTS.get(result.error_code or "", "provider")
            return TrialError(kind, result.error_message or "the model's reply was not whole")
        case "awaiting_approval":
            return TrialError("stopped", "a tool call waits for an approval that nobody can give in a test")
        case "aborted" | "terminated" | "limit" | "length":
            return None
        case "refusal" | "content_filter" if shows_nothing(turn.answer):
            return TrialError("empty_answer", result.error_message or f"no answer: {result.stop_reason}")
        case _:
            return TrialError("empty_answer", "the model gave an empty answer") if shows_nothing(turn.answer) else None
