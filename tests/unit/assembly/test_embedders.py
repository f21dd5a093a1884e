from __future__ import annotations

import pytest

from seatrial.assembly.embedders import chosen_embedding
from seatrial.config.agent import AgentConfig
from seatrial.config.vectorstore import VectorstoreToolConfig
from seatrial.errors import ConfigError


def agent(provider: str = "openai", embedding: object = None) -> AgentConfig:
    block = {} if embedding is None else {"embedding": embedding}
    model = {"provider": provider, "name": "m", "endpoint": "http://host/v1", "api_key": "k"}
    return AgentConfig.model_validate({"name": "a", "model": model, "instructions": "x", **block})


def tool(embedding_model: str | None = None) -> VectorstoreToolConfig:
    return VectorstoreToolConfig(
        type="vectorstore", name="t", description="d", source=".", embedding_model=embedding_model
    )


@pytest.mark.parametrize(
    ("wanted", "embedding", "expected"),
    [
        (None, None, ("local", None)),
        (None, {"provider": "fast"}, ("fast", None)),
        ("local", {"provider": "openai"}, ("local", None)),
        ("all-MiniLM-L6-v2", {"provider": "openai"}, ("local", None)),
        ("fast", None, ("fast", None)),
        ("ollama:nomic-embed-text", None, ("ollama", "nomic-embed-text")),
        ("text-embedding-3-large", {"provider": "openai", "name": "other"}, ("openai", "text-embedding-3-large")),
        ("text-embedding-3-large", None, ("openai", "text-embedding-3-large")),
        ("nomic-embed-text:latest", {"provider": "ollama"}, ("ollama", "nomic-embed-text:latest")),
    ],
)
def test_h006_the_embedding_model_is_found_where_one_would_look(
    wanted: str | None, embedding: object, expected: tuple[str, str | None]
) -> None:
    block = chosen_embedding(tool(wanted), agent(embedding=embedding))
    assert (block.provider, block.name) == expected


def test_h020_a_model_without_a_host_of_its_own_lives_where_the_agents_model_lives() -> None:
    block = chosen_embedding(tool("text-embedding-3-small"), agent("azure_openai"))
    assert (block.provider, block.endpoint) == ("azure_openai", "http://host/v1")
    assert block.api_key is not None
    with pytest.raises(ConfigError, match="'text-embedding-3-small' has no host"):
        chosen_embedding(tool("text-embedding-3-small"), agent("anthropic"))
