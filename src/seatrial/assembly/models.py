"""From a ``model:`` block to a live model."""

from __future__ import annotations

from seatrial.config.loaded import LoadedAgent
from seatrial.config.model import ModelConfig
from seatrial.core.model import Model, Preparable, Sampling
from seatrial.providers.base import ProviderOptions
from seatrial.providers.catalog import PROVIDERS
from seatrial.providers.model_catalog import model_info


class Models:
    """Builds each model once; blocks that say the same share one object."""

    def __init__(self, loaded: LoadedAgent) -> None:
        self._loaded = loaded
        self._built: list[tuple[ModelConfig, Model]] = []

    def get(self, config: ModelConfig) -> Model:
        """The model that the block describes. Raises `PluginError`, `ConfigError` or `ProviderError`."""
        for known, model in self._built:
            if known == config:
                return model
        model = PROVIDERS.load(config.provider)(provider_options(config, self._loaded))
        self._built.append((config, model))
        return model

    async def prepare(self) -> None:
        """Gets every model that was built ready to answer."""
        for _, model in self._built:
            if isinstance(model, Preparable):
                await model.prepare()

    async def close(self) -> None:
        """Closes every model that was built."""
        built, self._built = self._built, []
        for _, model in built:
            await model.close()


def provider_options(config: ModelConfig, loaded: LoadedAgent) -> ProviderOptions:
    """The block in plain values; secrets in it are plain text. Keys are looked up in ``.env`` too."""
    return ProviderOptions(
        name=config.name,
        endpoint=config.endpoint,
        api_key=None if config.api_key is None else config.api_key.get_secret_value(),
        api_version=config.api_version,
        deployment_name=config.deployment_name,
        auth_provider=config.auth_provider,
        timeout_s=config.timeout_s,
        compat=config.compat or {},
        info=model_info(config.provider, config.name, loaded.model_overrides, endpoint=config.endpoint),
        folder=str(loaded.folder),
        environ=loaded.environ,
    )


def sampling(config: ModelConfig) -> Sampling:
    """How answers are drawn; what the block does not set is not sent."""
    return Sampling(temperature=config.temperature, top_p=config.top_p, max_tokens=config.max_tokens)
