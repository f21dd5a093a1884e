"""From a ``model:`` block to a live model."""

from __future__ import annotations

from functools import partial

from seatrial.config.loaded import LoadedAgent
from seatrial.config.model import ModelConfig
from seatrial.core.model import Model, ModelInfo, Preparable, Sampling
from seatrial.providers.base import ProviderOptions
from seatrial.providers.catalog import PROVIDERS
from seatrial.providers.model_catalog import model_info
from seatrial.recording.deck import Deck


class Models:
    """Builds each model once; blocks that say the same share one object. With a ``deck`` they go over its tapes."""

    def __init__(self, loaded: LoadedAgent, deck: Deck | None = None) -> None:
        self._loaded = loaded
        self._deck = deck
        self._built: list[tuple[ModelConfig, Model]] = []
        self._taped: list[tuple[ModelConfig, bool, Model]] = []

    def get(self, config: ModelConfig) -> Model:
        """The model that the block describes. Raises `PluginError`, `ConfigError` or `ProviderError`."""
        return self._built_of(config) if self._deck is None else self._taped_of(config, self._deck, is_judge=False)

    def judge(self, config: ModelConfig) -> Model:
        """The same model for a metric: a recording keeps its calls apart."""
        return self._built_of(config) if self._deck is None else self._taped_of(config, self._deck, is_judge=True)

    def _taped_of(self, config: ModelConfig, deck: Deck, *, is_judge: bool) -> Model:
        for known, was_judge, model in self._taped:
            if known == config and was_judge == is_judge:
                return model
        model = deck.model(
            partial(self._built_of, config),
            provider=config.provider,
            name=config.name,
            served_as=config.deployment_name,
            info=_info(config, self._loaded),
            is_judge=is_judge,
        )
        self._taped.append((config, is_judge, model))
        return model

    def _built_of(self, config: ModelConfig) -> Model:
        for known, model in self._built:
            if known == config:
                return model
        model = PROVIDERS.load(config.provider)(provider_options(config, self._loaded))
        self._built.append((config, model))
        return model

    @property
    def built(self) -> tuple[Model, ...]:
        """The models that were asked for so far."""
        if self._deck is not None:
            return tuple(model for _, _, model in self._taped)
        return tuple(model for _, model in self._built)

    def use(self, config: ModelConfig, model: Model) -> None:
        """Has a model that was made elsewhere answer for blocks that say the same."""
        self._built.append((config, model))

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
        info=_info(config, loaded),
        folder=str(loaded.folder),
        environ=loaded.environ,
    )


def _info(config: ModelConfig, loaded: LoadedAgent) -> ModelInfo | None:
    return model_info(config.provider, config.name, loaded.model_overrides, endpoint=config.endpoint)


def sampling(config: ModelConfig) -> Sampling:
    """How answers are drawn; what the block does not set is not sent."""
    return Sampling(temperature=config.temperature, top_p=config.top_p, max_tokens=config.max_tokens)
