"""From ``embedding:`` and a tool's ``embedding_model`` to the embedder of a vector store."""

from __future__ import annotations

from seatrial.config.agent import AgentConfig
from seatrial.config.embedding import EmbeddingConfig
from seatrial.config.loaded import LoadedAgent
from seatrial.config.vectorstore import VectorstoreToolConfig
from seatrial.errors import ConfigError
from seatrial.providers.base import ProviderOptions
from seatrial.retrieval.base import Embedder, EmbedderOptions
from seatrial.retrieval.catalog import DEFAULT_EMBEDDER, EMBEDDERS

_EMBEDDED_NAMES = frozenset(
    ("embedded", "minilm", "all-MiniLM-L6-v2", "all-minilm", "sentence-transformers/all-MiniLM-L6-v2")
)
_HOSTS_OF_BOTH = frozenset(("openai", "azure_openai", "openai_compatible", "ollama"))


def build_embedder(config: VectorstoreToolConfig, loaded: LoadedAgent) -> Embedder:
    """The embedder of a vectorstore tool. Raises `ConfigError`, `PluginError` or `MissingExtraError`."""
    block = chosen_embedding(config, loaded.require())
    provider = DEFAULT_EMBEDDER if block.provider in _EMBEDDED_NAMES else block.provider
    connection = ProviderOptions(
        name=block.name or "",
        endpoint=block.endpoint,
        api_key=None if block.api_key is None else block.api_key.get_secret_value(),
        api_version=block.api_version,
        deployment_name=block.deployment_name,
        timeout_s=block.timeout_s,
        folder=str(loaded.folder),
        environ=loaded.environ,
    )
    dimensions = config.embedding_dimensions or block.dimensions
    return EMBEDDERS.load(provider)(EmbedderOptions(connection, dimensions))


def chosen_embedding(config: VectorstoreToolConfig, agent: AgentConfig) -> EmbeddingConfig:
    """The block that holds for the tool.

    ``embedding_model`` is the name of an embedder (``local``, ``fast``), ``provider:name``, or the name of a model at
    the host that ``embedding:`` names, else at the host of the agent's model. Raises `ConfigError` when that host has
    no embeddings.
    """
    block = agent.embedder
    wanted = config.embedding_model
    if wanted is None:
        return block or EmbeddingConfig()
    if wanted in _EMBEDDED_NAMES:
        return EmbeddingConfig()
    provider, _, name = wanted.partition(":")
    if provider in EMBEDDERS:
        return _at(provider, name or None, block)
    if block is not None:
        return block.model_copy(update={"name": wanted})
    return _beside_the_model(wanted, agent)


def _at(provider: str, name: str | None, block: EmbeddingConfig | None) -> EmbeddingConfig:
    if block is not None and block.provider == provider:
        return block.model_copy(update={"name": name})
    return EmbeddingConfig(provider=provider, name=name)


def _beside_the_model(name: str, agent: AgentConfig) -> EmbeddingConfig:
    model = agent.model
    if model.provider not in _HOSTS_OF_BOTH:
        raise ConfigError(
            f"the embedding model {name!r} has no host: `provider: {model.provider}` has no embeddings",
            hint="write `embedding: {provider: openai}` for its host, or `embedding_model: local` for the embedded one",
        )
    return EmbeddingConfig(
        provider=model.provider,
        name=name,
        endpoint=model.endpoint,
        api_key=model.api_key,
        api_version=model.api_version,
    )
