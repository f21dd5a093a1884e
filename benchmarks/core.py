"""The core and its HTTP provider against a bare aiohttp loop: CPU per round trip, many at once, imports, aborts.

Both talk to one server in a process of its own, in turns, so that a busy machine slows both. A run of N turns is N + 1
round trips; the bare loop (`bare_agent.py`) keeps no record, checks no arguments and survives no failure.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from bare_agent import QUESTION, SYSTEM_PROMPT, BareAgent, get_weather
from measure import ROOT, median_wall_s, server

from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.core.events import AgentEvent
from seatrial.core.limits import Limits
from seatrial.core.tool import Tool
from seatrial.providers.base import ProviderOptions
from seatrial.providers.openai_compatible import OpenAICompatibleModel
from seatrial.tools.function import FunctionTool

REPEATS = 9
PARALLEL = 100
ABORTS = 20
Row = tuple[str, str, str]
Run = Callable[[int], Awaitable[str]]


class Pair(NamedTuple):
    """Milliseconds per round trip: the floor's, ours, and the median of the ratios of neighbouring runs."""

    floor_ms: float
    our_ms: float
    ratio: float


def rows() -> list[Row]:
    """(what, figure, bar)."""
    with server(ROOT / "benchmarks" / "instant_server.py") as base_url:
        return [*asyncio.run(_loops(base_url)), *asyncio.run(_aborts(base_url)), *_imports()]


async def _loops(base_url: str) -> list[Row]:
    found: list[Row] = []
    async with (
        BareAgent(base_url) as bare,
        BareAgent(base_url, is_streamed=True) as bare_streamed,
        BareAgent(base_url, in_threads=True) as bare_threaded,
    ):
        whole, plain, streamed = (_Ours(base_url, **options) for options in ({}, {"is_plain": True}, {"sink": _hear}))
        for turns in (20, 200):
            found.append(_cpu_row(f"CPU per round trip, {turns} turns", await _compared(bare.run, whole.run, turns), 2))
        pair = await _compared(bare_threaded.run, plain.run, 20)
        found.append(_cpu_row("the same with a plain function, run in a thread by both, 20 turns", pair, None))
        pair = await _compared(bare_streamed.run, streamed.run, 20)
        found.append(_cpu_row("streamed, 20 turns, every piece told to a listener", pair, 2))
        found.append(await _many_at_once(bare.run, whole.run))
        for ours in (whole, plain, streamed):
            await ours.close()
    return found


class _Ours:
    """Agents like the bare one, one for each length of the chain."""

    def __init__(
        self, base_url: str, *, is_plain: bool = False, sink: Callable[[AgentEvent], None] | None = None
    ) -> None:
        self._base_url = base_url
        self._tool: Tool = FunctionTool.of(get_weather if is_plain else _get_weather, name="get_weather")
        self._sink = sink
        self._agents: dict[int, Agent] = {}

    async def run(self, turns: int) -> str:
        """The answer after ``turns`` calls of the tool."""
        if turns not in self._agents:
            model = OpenAICompatibleModel(ProviderOptions(name=f"chain-{turns}", endpoint=self._base_url))
            limits = Limits(max_turns=turns + 1)
            self._agents[turns] = Agent(model, system_prompt=SYSTEM_PROMPT, tools=[self._tool], limits=limits)
        return (await self._agents[turns].run(QUESTION, sink=self._sink)).raise_for_status().text

    async def close(self) -> None:
        """Closes the connections."""
        for agent in self._agents.values():
            await agent.model.close()


async def _get_weather(city: str) -> str:
    """Get the weather of a city."""
    return get_weather(city)


def _hear(_event: AgentEvent) -> None:
    pass


async def _compared(floor: Run, ours: Run, turns: int) -> Pair:
    await floor(turns)
    await ours(turns)
    pairs = [(await _cpu_ms(floor, turns), await _cpu_ms(ours, turns)) for _ in range(REPEATS)]
    return Pair(
        statistics.median(floor_ms for floor_ms, _ in pairs),
        statistics.median(our_ms for _, our_ms in pairs),
        statistics.median(our_ms / floor_ms for floor_ms, our_ms in pairs),
    )


async def _cpu_ms(run: Run, turns: int) -> float:
    started = time.process_time()
    for _ in range(max(1, 100 // turns)):
        assert "22C" in await run(turns)
    return (time.process_time() - started) * 1000 / max(1, 100 // turns) / (turns + 1)


def _cpu_row(what: str, pair: Pair, at_most: float | None) -> Row:
    bar = "" if at_most is None else f"at most {at_most:g}x"
    return what, f"{pair.our_ms:.3f} ms, bare {pair.floor_ms:.3f} ms = {pair.ratio:.2f}x", bar


async def _many_at_once(floor: Run, ours: Run) -> Row:
    turns = 20

    async def per_s(run: Run) -> float:
        started = time.perf_counter()
        await asyncio.gather(*(run(turns) for _ in range(PARALLEL)))
        return PARALLEL * (turns + 1) / (time.perf_counter() - started)

    rates = [(await per_s(floor), await per_s(ours)) for _ in range(3)]
    floor_rate, our_rate = (statistics.median(side) for side in zip(*rates, strict=True))
    share = statistics.median(our / bare for bare, our in rates)
    return (
        f"{PARALLEL} agents at once, 20 turns each",
        f"{our_rate:.0f} round trips/s, bare {floor_rate:.0f} = {share:.0%}",
        "at least 40 %",
    )


async def _aborts(base_url: str) -> list[Row]:
    """From the word to the result: out of a request, a stream and a tool; the longest of all."""
    waiting = asyncio.Event()

    async def get_weather(city: str) -> str:
        waiting.set()
        await asyncio.sleep(60)
        return city

    hanging = OpenAICompatibleModel(ProviderOptions(name="hang", endpoint=base_url))
    calling = OpenAICompatibleModel(ProviderOptions(name="chain-1", endpoint=base_url))
    states: list[tuple[str, Agent, Callable[[AgentEvent], None] | None]] = [
        ("a request without an answer", Agent(hanging), None),
        ("a stream that has stalled", Agent(hanging), _hear),
        ("a tool", Agent(calling, tools=[FunctionTool.of(get_weather)]), None),
    ]
    found = [(f"abort out of {state}", await _abort_ms(agent, sink)) for state, agent, sink in states]
    await hanging.close()
    await calling.close()
    return [(what, f"{slowest_ms:.1f} ms, the longest of {ABORTS}", "at most 100 ms") for what, slowest_ms in found]


async def _abort_ms(agent: Agent, sink: Callable[[AgentEvent], None] | None) -> float:
    times = []
    for _ in range(ABORTS):
        signal = AbortSignal()
        task = asyncio.ensure_future(agent.run(QUESTION, signal=signal, sink=sink))
        await asyncio.sleep(0.05)
        started = time.perf_counter()
        signal.set()
        assert (await task).stop_reason == "aborted"
        times.append((time.perf_counter() - started) * 1000)
    return max(times)


def _imports() -> list[Row]:
    python = sys.executable
    running = "import aiohttp, msgspec, jsonschema_rs, seatrial.core.agent, seatrial.providers.openai_compatible"
    with_functions = f"{running}, seatrial.tools.function"
    bare_s = median_wall_s([python, "-c", "pass"])
    face_s = median_wall_s([python, "-c", "import seatrial"])
    libraries_s = median_wall_s([python, "-c", "import aiohttp, msgspec, jsonschema_rs"])
    running_s = median_wall_s([python, "-c", running])
    with_functions_s = median_wall_s([python, "-c", with_functions])
    return [
        (
            "`import seatrial`, whole process",
            f"{face_s * 1000:.0f} ms, bare Python {bare_s * 1000:.0f} ms = {face_s / bare_s:.2f}x",
            "at most 3x",
        ),
        (
            "an agent and its model imported, whole process",
            f"{running_s * 1000:.0f} ms, its three libraries alone {libraries_s * 1000:.0f} ms "
            f"= {running_s / libraries_s:.2f}x",
            "at most 1.3x",
        ),
        (
            "the same and tools made of Python functions (pydantic reads their signatures)",
            f"{with_functions_s * 1000:.0f} ms = {with_functions_s / libraries_s:.2f}x",
            "",
        ),
    ]


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ", flush=True)
