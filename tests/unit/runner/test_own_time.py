"""The time of a trial is the agent's own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import perf_counter

from seatrial.assembly.live import assemble
from seatrial.config.loader import load_agent
from seatrial.core.abort import AbortSignal
from seatrial.core.messages import AssistantMessage
from seatrial.runner.execute import Attempt, execute

AGENT = """\
name: shop
model: {provider: local, name: minilm-extractive}
instructions: Answer.
tools: [{name: wait, type: function, description: Waits for the shop to open., file: tools.py, function: wait}]
test_cases: [{input: Wait for the shop to open.}]
"""
TOOL = "import time\n\n\ndef wait() -> str:\n    time.sleep(0.2)\n    return 'The shop is open.'\n"
AT_ONCE = 12


async def test_waiting_for_a_turn_at_the_engine_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(AGENT, encoding="utf-8")
    (tmp_path / "tools.py").write_text(TOOL, encoding="utf-8")
    loaded = load_agent(tmp_path)
    live = assemble(loaded)
    await live.prepare()
    (case,) = loaded.require().test_cases

    async def timed() -> tuple[Attempt, float]:
        started = perf_counter()
        attempt = await execute(case, live, AbortSignal())
        return attempt, perf_counter() - started

    found = await asyncio.gather(*(timed() for _ in range(AT_ONCE)))
    await live.close()
    assert max(waited_s(attempt) for attempt, _ in found) > 0
    for attempt, whole_s in found:
        assert 0.2 <= attempt.duration_s <= whole_s - waited_s(attempt)


def waited_s(attempt: Attempt) -> float:
    messages = attempt.turns[0].result.transcript.messages
    return sum(message.waited_s for message in messages if isinstance(message, AssistantMessage))
