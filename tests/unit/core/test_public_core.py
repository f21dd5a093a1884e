"""The core as a library: light, and open to inspection."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from seatrial.core.agent import Agent
from seatrial.core.hooks import Hooks
from seatrial.core.limits import Limits
from seatrial.core.loop_config import LoopConfig
from seatrial.core.model import Sampling
from seatrial.providers.scripted import scripted

HEAVY = ("pydantic", "numpy", "aiohttp", "yaml", "click", "rich", "sqlite3", "jsonschema_rs", "httpx", "onnxruntime")


def test_importing_the_agent_imports_nothing_heavy() -> None:
    program = "import sys, seatrial.core.agent; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {name.partition(".")[0] for name in loaded} & set(HEAVY)


def test_y021_a_loop_config_says_how_a_loop_runs() -> None:
    config = LoopConfig()
    assert (config.before_tool_call, config.after_tool_call, config.tool_execution) == ((), (), "parallel")

    def hook(_: object) -> None: ...

    agent = Agent(scripted(), hooks=Hooks(hook, [hook]), tool_execution="sequential", limits=Limits(max_turns=3))
    assert (agent.config.before_tool_call, agent.config.after_tool_call) == ((hook,), (hook,))
    assert (agent.config.tool_execution, agent.config.limits.max_turns) == ("sequential", 3)


async def test_what_is_not_set_is_not_sent() -> None:
    model = scripted("a", "b")
    await Agent(model).run("go")
    await Agent(model, sampling=Sampling(temperature=0.0)).run("go")
    assert [request.sampling.temperature for request in model.requests] == [None, 0.0]


@pytest.mark.parametrize(
    "options",
    [
        {"tool_execution": "serial"},
        {"max_parallel_tools": 0},
        {"result_limit_chars": 0},
        {"response_schema": {"type": "strng"}},
    ],
)
def test_settings_that_mean_nothing_are_mistakes_of_the_program(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        Agent(scripted(), **options)
