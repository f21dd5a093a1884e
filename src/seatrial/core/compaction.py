"""What to do when a conversation no longer fits the model: sum up its beginning."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from seatrial.core.history import after_summary, is_summary
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelInfo, ModelRequest
from seatrial.core.text import shorten_middle

OVERFLOW = "context_overflow"
CHARS_PER_TOKEN = 4
UNKNOWN_WINDOW_TOKENS = 100_000
PASSAGE_CHARS = 2_000

INSTRUCTIONS = (
    "You sum up a conversation between a user and an assistant that uses tools, so that the assistant can go on "
    "without it. Keep: what the user wants, every fact, name, number and id that may still matter, what was done and "
    "with what result, and what is left to do. Write plain text, at most 500 words, nothing but the summary."
)
PREFACE = "The conversation so far was too long and is summed up here:\n\n"


class Overflow(msgspec.Struct, frozen=True):
    """A conversation that did not fit. ``ask`` sends one request to the run's model; it is counted like any other."""

    messages: tuple[Message, ...]
    info: ModelInfo | None
    ask: Callable[[ModelRequest], Awaitable[AssistantMessage]]


Compaction = Callable[[Overflow], Awaitable[UserMessage | None]]


async def sum_up(overflow: Overflow) -> UserMessage | None:
    """A summary that stands in for all but the end of the conversation, or None when there can be none.

    About a quarter of the text stays as it is, from a message on that parts no call from its result; the last thing
    the user said always stays.
    """
    sent = after_summary(overflow.messages)
    keeps = _how_many_stay(sent)
    summed_up = sent[: len(sent) - keeps]
    if not any(isinstance(message, AssistantMessage | ToolResultMessage) for message in summed_up):
        return None
    reply = await overflow.ask(ModelRequest(INSTRUCTIONS, (UserMessage(_as_text(summed_up, overflow.info)),)))
    if reply.stop_reason not in ("stop", "length") or not reply.text.strip():
        return None
    return UserMessage(PREFACE + reply.text.strip(), summary_keeps=keeps)


def is_overflow(reply: AssistantMessage, info: ModelInfo | None) -> bool:
    """Whether the reply failed because the input was too long: the provider said so, or nothing had room to come."""
    if reply.error_code == OVERFLOW:
        return True
    return reply.stop_reason == "length" and not reply.text and not reply.tool_calls and _is_full(reply, info, 0.99)


def was_cut_silently(reply: AssistantMessage, info: ModelInfo | None) -> bool:
    """Whether the input was longer than the model's window although the reply looks like a success."""
    return reply.error_message is None and _is_full(reply, info, 1.0)


def _is_full(reply: AssistantMessage, info: ModelInfo | None, share: float) -> bool:
    window = None if info is None else info.context_window
    used = reply.usage.input_tokens
    return window is not None and used is not None and used > window * share


def _how_many_stay(sent: Sequence[Message]) -> int:
    budget = sum(_size(message) for message in sent) // 4
    # Behind an earlier summary stands the last thing the user said, which may come from further back.
    most = len(sent) - 2 if is_summary(sent[0]) else len(sent)
    stay = 0
    for count, message in enumerate(reversed(sent), start=1):
        budget -= _size(message)
        if budget < 0 or count > most:
            break
        if not isinstance(message, ToolResultMessage):
            stay = count
    return stay


def _size(message: Message) -> int:
    if isinstance(message, AssistantMessage):
        return len(message.text) + sum(len(str(call.arguments)) for call in message.tool_calls)
    return len(message.text)


def _as_text(messages: Sequence[Message], info: ModelInfo | None) -> str:
    window = UNKNOWN_WINDOW_TOKENS if info is None or info.context_window is None else info.context_window
    whole = "\n\n".join(_told(message) for message in messages)
    return shorten_middle(whole, window * CHARS_PER_TOKEN // 2)


def _told(message: Message) -> str:
    text = shorten_middle(message.text, PASSAGE_CHARS)
    if isinstance(message, ToolResultMessage):
        return f"[{message.tool_name} gave{' an error' if message.is_error else ''}] {text}"
    if isinstance(message, AssistantMessage):
        called = [f"[assistant calls {call.name} with {_arguments(call.arguments)}]" for call in message.tool_calls]
        return "\n".join([f"[assistant] {text}" if text else "", *called]).strip()
    return f"[user] {text}"


def _arguments(arguments: dict[str, object]) -> str:
    return shorten_middle(msgspec.json.encode(arguments).decode(), PASSAGE_CHARS)
