"""The model that follows a script."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.support.simple_tools import tool

from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelRequest
from seatrial.errors import ConfigError
from seatrial.providers.base import ProviderOptions
from seatrial.providers.catalog import PROVIDERS
from seatrial.providers.scripted import says, scripted


def options(folder: Path, script: object) -> ProviderOptions:
    (folder / "script.json").write_text(json.dumps(script), encoding="utf-8")
    return ProviderOptions(name="script.json", folder=str(folder))


async def test_replies_come_in_order_and_then_the_script_is_over() -> None:
    model = scripted("one", lambda request: says(f"{len(request.messages)} messages"))
    session = Agent(model).session()
    assert [(await session.run("go")).text for _ in range(2)] == ["one", "3 messages"]
    over = await session.run("go")
    assert over.stop_reason == "error"
    assert over.error_message == "the script is over: it has 2 replies, this is request 3"


async def test_a_reply_that_takes_its_time_can_be_aborted() -> None:
    entered = asyncio.Event()

    async def slow(_: ModelRequest) -> AssistantMessage:
        entered.set()
        await asyncio.Event().wait()
        return says("never")

    signal = AbortSignal()
    model = scripted(slow, says("never"))
    reply = asyncio.ensure_future(model.respond(ModelRequest("", ()), signal=signal))
    await entered.wait()
    signal.set()
    assert (await reply).stop_reason == "aborted"
    assert (await model.respond(ModelRequest("", ()), signal=signal)).stop_reason == "aborted"


async def test_a_file_holds_the_replies(tmp_path: Path) -> None:
    script = [{"calls": [{"name": "look", "arguments": {"at": 1}}], "text": "Let me look."}, "Found it."]
    model = PROVIDERS.load("scripted")(options(tmp_path, script))
    agent = Agent(model, tools=[tool("look", properties={"at": {"type": "integer"}})])
    results = await asyncio.gather(*(agent.run("go") for _ in range(5)))
    assert [result.text for result in results] == ["Found it."] * 5
    assert results[0].transcript.messages[1].text == "Let me look."
    assert results[0].transcript.messages[1].model == "script.json"


async def test_a_file_may_hold_several_conversations(tmp_path: Path) -> None:
    script = {
        "conversations": [
            {"when": "weather", "replies": [{"text": "22C", "usage": {"input_tokens": 5, "output_tokens": 1}}]},
            {"when": "broken", "replies": [{"error": "503: overloaded"}]},
        ]
    }
    agent = Agent(PROVIDERS.load("scripted")(options(tmp_path, script)))
    weather, broken, lost = [await agent.run(text) for text in ("The Weather?", "broken", "hello")]
    assert (weather.text, weather.usage.input_tokens) == ("22C", 5)
    assert broken.error_message == "503: overloaded"
    assert lost.error_message == "no conversation in the script begins with 'hello'"


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ('{"replies": []}', "1:1", "list of replies"),
        ('"hello"', "script.json", "list of replies"),
        ("[\n  3\n]", "2:3", "`text`, `reasoning`, `calls`, `error`, `usage`"),
        ('["a",\n {"txt": "typo"}]', "2:3", "did you mean `text`? known: `text`"),
        ('[{"text": "a",\n  "calls": [{"name": "x", "args": {}}]}]', "2:27", "known: `name`, `arguments`"),
        ('{"conversations": [\n {"when": "a"}]}', "2:2", "`replies`"),
        ("['a']", "1:2", "list of replies"),
    ],
)
def test_a_file_that_is_no_script_is_refused_with_its_place_and_the_known_fields(
    tmp_path: Path, text: str, place: str, said: str
) -> None:
    (tmp_path / "script.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        PROVIDERS.load("scripted")(ProviderOptions(name="script.json", folder=str(tmp_path)))
    assert place in caught.value.message
    assert said in f"{caught.value.message} {caught.value.hint}"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.json cannot be read"):
        PROVIDERS.load("scripted")(ProviderOptions(name="nowhere.json", folder=str(tmp_path)))
