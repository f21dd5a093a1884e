"""Asking an agent file one question, for users' own tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seatrial.core.agent import Agent
from seatrial.core.events import AgentEvent, RunEnded
from seatrial.errors import ConfigError, RunError
from seatrial.testing import calls, fails, run_agent, run_agent_async, says, scripted

AGENT = """\
name: shop
model: {provider: openai, name: gpt-5-mini, api_key: "${NO_SUCH_KEY}"}
instructions: Be brief.
tools:
  - {name: price, type: function, description: Tells a price., file: tools.py, function: price}
  - name: rhyme
    type: prompt
    description: Makes a rhyme.
    template: "Rhyme {{word}}."
    parameters: {word: {type: str, description: a word}}
"""
TOOLS = """\
def price(item: str) -> str:
    return f"{item}: 12 euros"
"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "agent.yaml").write_text(AGENT, encoding="utf-8")
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    return tmp_path


def test_a_scripted_model_meets_the_real_tools_and_no_key_is_needed(agent: Path) -> None:
    model = scripted(calls("price", item="tent"), says("12 euros."))
    run = run_agent(agent, "What is the tent?", model=model)
    assert run.text == "12 euros."
    assert run.transcript.tool_results[0].text == "tent: 12 euros"
    assert model.requests[0].system_prompt == "Be brief."
    assert [tool.name for tool in model.requests[0].tools] == ["price", "rhyme"]


def test_a_prompt_tool_that_names_no_model_asks_the_same_one(agent: Path) -> None:
    model = scripted(calls("rhyme", word="tent"), says("bent"), says("Here: bent."))
    run = run_agent(str(agent / "agent.yaml"), "Rhyme tent.", model=model)
    assert run.transcript.tool_results[0].text == "bent"
    assert len(model.requests) == 3


def test_without_a_model_the_missing_key_is_an_error(agent: Path) -> None:
    with pytest.raises(ConfigError, match="1 error") as error:
        run_agent(agent, "hi")
    assert "NO_SUCH_KEY" in error.value.diagnostics[0].message


def test_what_is_recorded_once_is_replayed_without_a_model(agent: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rec"
    model = scripted(calls("price", item="tent"), says("12 euros."))
    first = run_agent(agent, "What is the tent?", model=model, record=folder)
    second = run_agent(agent, "What is the tent?", replay=folder)
    assert second.text == first.text
    assert [path.name for path in folder.iterdir()] == ["what-is-the-tent.json"]
    with pytest.raises(RunError, match=r"\+ message 1 \(user\)"):
        run_agent(agent, "What is the lamp?", replay=folder, case="What is the tent?")
    with pytest.raises(RunError, match="there is no recording of this case"):
        run_agent(agent, "What is the lamp?", replay=folder)


def test_a_conversation_goes_on_from_its_messages_and_events_are_told(agent: Path) -> None:
    model = scripted("one", "two")
    events: list[AgentEvent] = []
    first = run_agent(agent, "first", model=model)
    second = run_agent(agent, "second", model=scripted("two"), history=first.transcript.messages, sink=events.append)
    assert len(second.transcript.messages) == 4
    assert second.text == "two"
    assert isinstance(events[-1], RunEnded)


def test_a_failing_model_is_a_result_and_no_exception(agent: Path) -> None:
    run = run_agent(agent, "hi", model=scripted(fails("overloaded")))
    assert (run.stop_reason, run.error_message) == ("error", "overloaded")


def test_a_script_that_is_over_is_an_error_as_a_replay_that_lacks_something_is(agent: Path) -> None:
    with pytest.raises(RunError, match="the script is over: it has 0 replies, this is request 1"):
        run_agent(agent, "hi", model=scripted())
    with pytest.raises(RunError, match="this is request 2"):
        run_agent(Agent(scripted(calls("nothing"))), "hi")


def test_an_agent_object_is_asked_as_it_is() -> None:
    assert run_agent(Agent(scripted("hello")), "hi").text == "hello"
    with pytest.raises(ValueError, match="only for an agent file"):
        run_agent(Agent(scripted("hello")), "hi", replay="rec")


async def test_inside_an_event_loop_it_says_what_to_write(agent: Path) -> None:
    with pytest.raises(RuntimeError, match="await run_agent_async"):
        run_agent(agent, "hi", model=scripted("hello"))
    assert (await run_agent_async(agent, "hi", model=scripted("hello"))).text == "hello"


@pytest.mark.parametrize("options", [{"record": "a", "replay": "b"}])
def test_options_that_contradict_each_other_are_refused(agent: Path, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="one of record and replay"):
        run_agent(agent, "hi", **options)


def test_servers_that_nobody_has_allowed_are_not_started(agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = "  - {name: s, type: mcp, description: d, command: sh, args: [-c, touch started]}\n"
    (agent / "agent.yaml").write_text(AGENT + entry, encoding="utf-8")
    monkeypatch.delenv("SEATRIAL_ALLOW_MCP", raising=False)
    with pytest.raises(ConfigError, match="nobody has allowed") as refused:
        run_agent(agent, "hi", model=scripted(says("x")))
    assert "SEATRIAL_ALLOW_MCP=1" in (refused.value.hint or "")
    assert not (agent / "started").exists()
