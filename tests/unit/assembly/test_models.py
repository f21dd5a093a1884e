"""From a model block to a model that can be asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.support.fake_server import FakeServer

from seatrial.assembly.models import Models
from seatrial.config.loaded import LoadedAgent
from seatrial.core.messages import UserMessage
from seatrial.core.model import ModelRequest

Load = Callable[[str], LoadedAgent]


async def test_a_key_that_only_the_env_file_holds_goes_out_with_the_request(load: Load, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-from-env-file\n", encoding="utf-8")
    async with FakeServer() as server:
        loaded = load(
            f"model: {{provider: openai, name: gpt-5-mini, endpoint: '{server.url}'}}\nname: a\ninstructions: b\n"
        )
        models = Models(loaded)
        await models.get(loaded.require().model).respond(ModelRequest("", (UserMessage("hi"),)))
        await models.close()
        assert server.requests[0].headers["authorization"] == "Bearer sk-from-env-file"


async def test_blocks_that_say_the_same_share_one_model(load: Load) -> None:
    loaded = load("\nevaluations: {model: {provider: local, name: minilm-extractive}, metrics: [f1_score]}\n")
    models = Models(loaded)
    config = loaded.require()
    assert config.evaluations is not None
    assert config.evaluations.model is not None
    assert models.get(config.model) is models.get(config.evaluations.model)
