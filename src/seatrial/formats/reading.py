"""How a reply is to be read: where it comes from, what was offered, what its endpoint is known for."""

from __future__ import annotations

import msgspec

from seatrial.core.usage import ModelCost


class Reading(msgspec.Struct, frozen=True):
    """``tool_names`` are the tools on offer, in order; ``seed`` differs from turn to turn, so that made-up call ids do
    too; ``has_think_tags`` and ``has_text_calls`` say whether reasoning and calls may stand in the text;
    ``begins_with_thoughts`` says that the prompt has opened a think tag, so that the first closing one ends reasoning
    wherever it stands; ``remarks`` become warnings of the message.
    """

    api: str = ""
    provider: str = ""
    model: str = ""
    tool_names: tuple[str, ...] = ()
    seed: str = ""
    has_think_tags: bool = True
    has_text_calls: bool = True
    prices: ModelCost | None = None
    remarks: tuple[str, ...] = ()
    begins_with_thoughts: bool = False


DEFAULT_READING = Reading()
