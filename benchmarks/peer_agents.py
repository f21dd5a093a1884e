"""One agent with one tool, as each framework wants it written: run by `peers.py`, each in its own environment.

    python peer_agents.py NAME BASE_URL      prints one line of JSON

Imports stand in the functions: no environment has them all, and the time that they take is measured.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import version

TURNS, REPEATS, PARALLEL = 20, 5, 100
SYSTEM_PROMPT = "You are helpful."
QUESTION = "Weather in Bangkok?"
Run = Callable[[], Awaitable[str]]


def get_weather(city: str) -> str:
    """Get the weather of a city."""
    return f"22C in {city}"


def bare(base_url: str) -> tuple[str, Run]:
    """The loop over aiohttp that does nothing else."""
    import aiohttp
    from bare_agent import BareAgent

    agents: list[BareAgent] = []

    async def run() -> str:
        if not agents:
            agents.append(await BareAgent(base_url).__aenter__())
        return await agents[0].run(TURNS)

    return aiohttp.__version__, run


def seatrial(base_url: str) -> tuple[str, Run]:
    """Ours."""
    from seatrial.core.agent import Agent
    from seatrial.core.limits import Limits
    from seatrial.providers.base import ProviderOptions
    from seatrial.providers.openai_compatible import OpenAICompatibleModel
    from seatrial.tools.function import FunctionTool

    async def weather(city: str) -> str:
        """Get the weather of a city."""
        return get_weather(city)

    model = OpenAICompatibleModel(ProviderOptions(name=f"chain-{TURNS}", endpoint=base_url))
    tools = [FunctionTool.of(weather, name="get_weather")]
    agent = Agent(model, system_prompt=SYSTEM_PROMPT, tools=tools, limits=Limits(max_turns=TURNS + 1))

    async def run() -> str:
        return (await agent.run(QUESTION)).text

    return version("seatrial"), run


def openai_agents(base_url: str) -> tuple[str, Run]:
    """OpenAI's Agents SDK, its export of traces switched off."""
    from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    model = OpenAIChatCompletionsModel(f"chain-{TURNS}", AsyncOpenAI(base_url=base_url, api_key="none"))
    agent = Agent(name="weather", instructions=SYSTEM_PROMPT, tools=[function_tool(get_weather)], model=model)

    async def run() -> str:
        return str((await Runner.run(agent, QUESTION, max_turns=TURNS + 1)).final_output)

    return version("openai-agents"), run


def pydantic_ai(base_url: str) -> tuple[str, Run]:
    """Pydantic AI."""
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel(f"chain-{TURNS}", provider=OpenAIProvider(base_url=base_url, api_key="none"))
    agent = Agent(model, instructions=SYSTEM_PROMPT, tools=[get_weather])

    async def run() -> str:
        return str((await agent.run(QUESTION)).output)

    return version("pydantic-ai-slim"), run


def langgraph(base_url: str) -> tuple[str, Run]:
    """LangChain's agent, which is a LangGraph."""
    from langchain.agents import create_agent
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model=f"chain-{TURNS}", base_url=base_url, api_key="none")
    agent = create_agent(model, tools=[tool(get_weather)], system_prompt=SYSTEM_PROMPT)
    asked = {"messages": [{"role": "user", "content": QUESTION}]}

    async def run() -> str:
        ended = await agent.ainvoke(asked, {"recursion_limit": 3 * TURNS})
        return str(ended["messages"][-1].content)

    return version("langgraph"), run


AGENTS = {
    "bare": bare,
    "seatrial": seatrial,
    "openai-agents": openai_agents,
    "pydantic-ai-slim": pydantic_ai,
    "langgraph": langgraph,
}


async def measured(run: Run) -> dict[str, float]:
    """CPU milliseconds of a round trip, one run after the other and in many runs at once; round trips in a second."""
    await run()
    alone = [await cpu_ms(run) for _ in range(REPEATS)]
    await asyncio.gather(*(run() for _ in range(PARALLEL)))
    started, cpu_started = time.perf_counter(), time.process_time()
    answers = await asyncio.gather(*(run() for _ in range(PARALLEL)))
    trips = PARALLEL * (TURNS + 1)
    assert all("22C" in answer for answer in answers)
    return {
        "cpu_ms": statistics.median(alone),
        "many_cpu_ms": (time.process_time() - cpu_started) * 1000 / trips,
        "per_s": trips / (time.perf_counter() - started),
    }


async def cpu_ms(run: Run) -> float:
    """CPU milliseconds of a round trip in one run."""
    started = time.process_time()
    assert "22C" in await run()
    return (time.process_time() - started) * 1000 / (TURNS + 1)


def main(name: str, base_url: str) -> None:
    """Imports, measures, tells."""
    started = time.perf_counter()
    installed, run = AGENTS[name](base_url)
    import_ms = (time.perf_counter() - started) * 1000
    found = asyncio.run(measured(run))
    print(json.dumps({"version": installed, "import_ms": import_ms, **found}), flush=True)
    os._exit(0)  # some keep threads that would wait


if __name__ == "__main__":
    main(*sys.argv[1:3])
