"""A recording in the place of a model, without cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.simple_tools import tool
from tests.support.tapes import CASE, on_tape, recorded

from seatrial.core.agent import Agent
from seatrial.core.events import AgentEvent, MessageTextDelta
from seatrial.core.messages import UserMessage
from seatrial.core.model import Model, ModelInfo, ModelRequest
from seatrial.errors import ProviderError
from seatrial.providers.base import ProviderOptions
from seatrial.providers.catalog import PROVIDERS
from seatrial.providers.scripted import calls, says, scripted
from seatrial.recording.deck import Deck


def replaying(folder: Path) -> Model:
    return PROVIDERS.load("replay")(ProviderOptions(folder.name, folder=str(folder.parent)))


async def test_it_answers_what_was_asked_in_any_case_with_live_tools(tmp_path: Path) -> None:
    first = await recorded(tmp_path, scripted(calls("look"), says("it is there")), [tool("look")])
    events: list[AgentEvent] = []
    run = await Agent(replaying(tmp_path), tools=[tool("look")]).run("hi", sink=events.append)
    assert run.text == first.result.text
    assert [event.text for event in events if isinstance(event, MessageTextDelta)] == ["it ", "is ", "there"]


async def test_the_same_request_gets_its_recordings_in_turn_and_then_again(tmp_path: Path) -> None:
    deck = Deck(tmp_path, [CASE], is_recording=True)
    for repeat in (1, 2):
        await on_tape(deck, lambda repeat=repeat: scripted(f"answer {repeat}"), repeat=repeat)
    model = replaying(tmp_path)
    request = ModelRequest("", (UserMessage("hi"),))
    assert [(await model.respond(request)).text for _ in range(3)] == ["answer 1", "answer 2", "answer 1"]


async def test_anything_else_is_an_error_that_says_what_is_different(tmp_path: Path) -> None:
    await recorded(tmp_path, scripted("yes"))
    run = await Agent(replaying(tmp_path)).run("hello")
    assert run.stop_reason == "error"
    assert run.error_message is not None
    assert '- message 1 (user): "hi"\n+ message 1 (user): "hello"' in run.error_message


async def test_what_was_known_of_the_only_model_is_known(tmp_path: Path) -> None:
    info = ModelInfo("m", "m", "scripted", context_window=1000)
    await recorded(tmp_path, scripted("yes", info=info))
    assert replaying(tmp_path).info == info


def test_a_folder_that_is_not_there_is_told_with_what_is_meant(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="there is no recording at") as error:
        replaying(tmp_path / "none")
    assert "--record" in (error.value.hint or "")
