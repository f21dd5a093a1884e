"""What one request is made from, and what a run is made of while it goes on."""

from __future__ import annotations

import msgspec

from seatrial.core.messages import Message
from seatrial.core.model import Model
from seatrial.core.toolbox import Toolbox


class AgentContext(msgspec.Struct, frozen=True):
    """What the model is asked with: the messages as they are sent, without the system prompt."""

    system_prompt: str
    messages: tuple[Message, ...]
    tools: Toolbox


class AgentState(msgspec.Struct, eq=False):
    """A run's state. ``messages`` is the whole history; ``pending_tool_call_ids`` is empty whenever no tool runs."""

    system_prompt: str
    model: Model
    tools: Toolbox
    messages: list[Message] = []
    pending_tool_call_ids: list[str] = []
    error_message: str | None = None
