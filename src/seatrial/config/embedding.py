"""The ``embedding:`` block: which model turns passages into vectors."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field, SecretStr

from seatrial.config.entity import Entity
from seatrial.config.fields import FullText, Number, Whole


class EmbeddingConfig(Entity):
    """The embedding model of the vector stores. A text ``provider:name`` is accepted in place of the block."""

    called: ClassVar[str] = "`embedding:`"
    synonyms: ClassVar[dict[str, str]] = {"base_url": "endpoint", "model": "name", "timeout": "timeout_s"}

    shorthands = ({"type": "string", "minLength": 1},)

    provider: FullText = Field(default="local", description="Who hosts the embedding model; `local` is embedded.")
    name: FullText | None = Field(default=None, description="The model's name at the provider.")
    endpoint: FullText | None = Field(default=None, description="The server's base URL.")
    api_key: SecretStr | None = Field(default=None, description="The key; write it as ${NAME}, never as it is.")
    api_version: FullText | None = Field(default=None, description="The API's version (Azure).")
    deployment_name: FullText | None = Field(default=None, description="The deployment (Azure).")
    dimensions: Whole | None = Field(
        default=None, gt=0, description="Length of the vectors, where the model lets one choose."
    )
    timeout_s: Number | None = Field(default=None, gt=0, description="Seconds after which a request is given up.")

    @classmethod
    def read(cls, value: Any) -> Any:
        """``provider:name`` or ``provider`` as a block."""
        if isinstance(value, str):
            provider, found, name = value.partition(":")
            return {"provider": provider, "name": name} if found else {"provider": provider}
        return value
