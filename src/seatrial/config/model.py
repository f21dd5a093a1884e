"""The ``model:`` block: which model answers, and how it is reached."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, SecretStr

from seatrial.config.entity import Entity
from seatrial.config.fields import FreeBlock, FullText, Number, Whole
from seatrial.config.located import Block, Spot

AuthProvider = Literal["api_key", "oauth_token", "bedrock", "vertex", "foundry", "custom"]


class ModelConfig(Entity):
    """Which model answers. A text ``provider:name`` is accepted in place of the block."""

    called: ClassVar[str] = "`model:`"
    example: ClassVar[str] = "`provider:name`, or a block with `provider` and `name`"
    synonyms: ClassVar[dict[str, str]] = {
        "base_url": "endpoint",
        "url": "endpoint",
        "api_base": "endpoint",
        "model": "name",
        "id": "name",
        "deployment": "deployment_name",
        "max_output_tokens": "max_tokens",
        "timeout": "timeout_s",
    }

    shorthands = ({"type": "string", "pattern": "^[^:/]+[:/].+"},)

    provider: FullText = Field(description="Who hosts the model: openai, azure_openai, anthropic, ollama, local, ...")
    name: FullText = Field(description="The model's name at the provider.")
    temperature: Number | None = Field(default=None, ge=0, le=2, description="0 to 2; not sent when absent.")
    max_tokens: Whole | None = Field(default=None, gt=0, description="At most so many tokens in an answer.")
    top_p: Number | None = Field(
        default=None, ge=0, le=1, description="Nucleus sampling, 0 to 1; not sent when absent."
    )
    endpoint: FullText | None = Field(default=None, description="The server's base URL.")
    api_key: SecretStr | None = Field(default=None, description="The key; write it as ${NAME}, never as it is.")
    api_version: FullText | None = Field(default=None, description="The API's version (Azure).")
    deployment_name: FullText | None = Field(
        default=None, description="The deployment (Azure), where it is not the model's name."
    )
    auth_provider: AuthProvider | None = Field(default=None, description="How to authenticate; a key when absent.")
    timeout_s: Number | None = Field(default=None, gt=0, description="Seconds after which a request is given up.")
    compat: FreeBlock | None = Field(default=None, description="Peculiarities of an endpoint, by name.")

    @classmethod
    def read(cls, value: Any) -> Any:
        """``provider:name`` or ``provider/name`` as a block."""
        if isinstance(value, str):
            for mark in (":", "/"):
                provider, found, name = value.partition(mark)
                if found and provider and name:
                    return {"provider": provider, "name": name}
        return value


def expand_models(data: Block) -> None:
    """Puts blocks in place of models named in one line, so that settings can complete them."""
    _expand(data, "model")
    evaluations = data.get("evaluations")
    holders = [evaluations, *_items(data.get("tools")), *_items(data.get("variants"))]
    if isinstance(evaluations, Block):
        holders += _items(evaluations.get("metrics"))
    for holder in holders:
        if isinstance(holder, Block):
            _expand(holder, "model")


def _expand(holder: Block, key: str) -> None:
    parts = ModelConfig.read(holder.get(key))
    if not isinstance(parts, dict) or isinstance(parts, Block):
        return
    place = holder.place_of_value(key)
    spot = Spot(place.line, place.column, place.length, place.line, place.column, place.length)
    block = Block(place.file, place.line, place.column)
    block.update(parts)
    block.spots.update(dict.fromkeys(parts, spot))
    holder[key] = block


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
