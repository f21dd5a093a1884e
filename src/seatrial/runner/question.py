"""One question to an agent, outside of any suite: for tests that users write themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from seatrial.assembly.allowed import require_allowed
from seatrial.assembly.live import assemble
from seatrial.assembly.valid import load_valid
from seatrial.config.secrets import MASK
from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.core.waiting import is_in_event_loop
from seatrial.errors import RunError
from seatrial.providers.scripted import SCRIPT_OVER
from seatrial.recording.deck import Deck, Masking
from seatrial.runs.masking import Masker

if TYPE_CHECKING:
    from seatrial.config.loaded import LoadedAgent
    from seatrial.core.events import EventSink
    from seatrial.core.messages import Message, UserMessage
    from seatrial.core.model import Model
    from seatrial.core.result import RunResult


def run_agent(
    agent: Agent | Path | str,
    prompt: str | UserMessage,
    *,
    model: Model | None = None,
    record: Path | str | None = None,
    replay: Path | str | None = None,
    case: str | None = None,
    history: Sequence[Message] = (),
    sink: EventSink | None = None,
) -> RunResult:
    """What the agent makes of the prompt, however that ends.

    ``agent`` is an `Agent`, or an agent file (or its folder): its tools are real, its model is ``model`` where one is
    given. ``record`` and ``replay`` are folders of recordings, in which this question goes by the name of ``case`` (the
    prompt itself where there is none); what `seatrial test --record` made can be replayed. ``sink`` is told every step.
    With a ``model`` or in a replay no keys are needed.

    Raises `ConfigError` for an agent file with errors and for MCP servers that nobody has allowed, `RunError` when a
    replay or a script lacks something (it says what), and RuntimeError inside an event loop, where
    ``await run_agent_async(...)`` takes the same arguments.
    """
    if is_in_event_loop():
        raise RuntimeError("run_agent was called inside a running event loop: write 'await run_agent_async(...)' there")
    return asyncio.run(
        run_agent_async(agent, prompt, model=model, record=record, replay=replay, case=case, history=history, sink=sink)
    )


async def run_agent_async(
    agent: Agent | Path | str,
    prompt: str | UserMessage,
    *,
    model: Model | None = None,
    record: Path | str | None = None,
    replay: Path | str | None = None,
    case: str | None = None,
    history: Sequence[Message] = (),
    sink: EventSink | None = None,
) -> RunResult:
    """As `run_agent`, inside an event loop."""
    if isinstance(agent, Agent):
        _refuse_what_needs_a_file(model, record, replay)
        return await _asked(agent, prompt, history, sink)
    if record is not None and replay is not None:
        raise ValueError("give one of record and replay")
    has_no_calls = replay is not None or model is not None
    loaded, _ = load_valid(Path(agent), stand_in=MASK if has_no_calls else None, is_offline=replay is not None)
    if replay is None:
        require_allowed(loaded)
    name = case or (prompt if isinstance(prompt, str) else prompt.text)
    deck = _deck(loaded, record, replay, name)
    live = assemble(loaded, deck=deck, answering=model)
    try:
        await live.prepare(for_cases=True)
        with nullcontext() if deck is None else deck.trial(name, "", 1) as tape:
            async with live.for_trial(AbortSignal()) as core:
                result = await _asked(core, prompt, history, sink)
    finally:
        await live.close()
    if tape is not None and tape.missing is not None:
        raise RunError(tape.missing, hint="record it anew: run_agent(..., record=DIR)")
    return result


async def _asked(
    agent: Agent, prompt: str | UserMessage, history: Sequence[Message], sink: EventSink | None
) -> RunResult:
    result = await agent.run(prompt, history=history, sink=sink)
    if result.error_code == SCRIPT_OVER:
        raise RunError(result.error_message or "the script is over", hint="the script needs a reply for each request")
    return result


def _deck(loaded: LoadedAgent, record: Path | str | None, replay: Path | str | None, case: str) -> Deck | None:
    folder = record if replay is None else replay
    if folder is None:
        return None
    masker = Masker(loaded.secrets)
    masking = Masking(masker.text, masker.record)
    is_replaying = replay is not None
    return Deck(Path(folder), [case], is_recording=not is_replaying, is_replaying=is_replaying, masking=masking)


def _refuse_what_needs_a_file(model: Model | None, record: Path | str | None, replay: Path | str | None) -> None:
    given = {"model": model, "record": record, "replay": replay}
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise ValueError(f"{' and '.join(names)}: only for an agent file; an Agent has its model already")
