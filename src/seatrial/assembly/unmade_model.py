"""A stand-in for a model that cannot be made, where nobody may ever ask it."""

from __future__ import annotations

from seatrial.assembly.prompt_tools import ModelMaker
from seatrial.config.model import ModelConfig
from seatrial.core.messages import AssistantMessage
from seatrial.core.model import Model
from seatrial.core.tool_errors import told
from seatrial.errors import SeatrialError


def made_if_possible(make: ModelMaker) -> ModelMaker:
    """Makes models as ``make`` does; one that lacks a key, say, only tells so when it is asked."""

    def model_for(config: ModelConfig) -> Model:
        try:
            return make(config)
        except SeatrialError as error:
            return UnmadeModel(config, error)

    return model_for


class UnmadeModel:
    """Has a name and nothing to say."""

    info = None

    def __init__(self, config: ModelConfig, why: SeatrialError) -> None:
        self.provider = config.provider
        self.name = config.name
        self._why = why

    async def respond(self, *_: object, **__: object) -> AssistantMessage:
        """Says why there is no model."""
        return AssistantMessage(
            provider=self.provider,
            model=self.name,
            stop_reason="error",
            error_message=told(self._why),
            error_code="unmade_model",
        )

    async def close(self) -> None:
        """Nothing to free."""
