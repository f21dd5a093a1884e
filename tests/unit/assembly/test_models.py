"""From a model block to a model that can be asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.support.fake_server import FakeServer, json_answer

from seatrial.assembly.live import assemble
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


async def test_a_price_that_the_settings_give_is_what_an_answer_costs(load: Load, tmp_path: Path) -> None:
    (tmp_path / "seatrial.yaml").write_text(
        "models: {openai_compatible: {mine: {cost: {input: 1000, output: 3000}}}}\n"
    )
    usage = {"prompt_tokens": 2000, "completion_tokens": 1000, "total_tokens": 3000}
    reply = {"choices": [{"message": {"content": "ho"}, "finish_reason": "stop"}], "usage": usage}
    async with FakeServer(json_answer(reply)) as server:
        loaded = load(
            f"model: {{provider: openai_compatible, name: mine, endpoint: '{server.url}'}}\nname: a\ninstructions: b\n"
        )
        live = assemble(loaded)
        answer = await live.agent.run("hi")
        await live.close()
    assert answer.error_message is None
    assert answer.cost_usd == 5.0
