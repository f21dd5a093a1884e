"""The one place where a history is made fit to send: every call with its one result, nothing without its call."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from seatrial.core.content import AssistantBlock, ImageContent, TextContent, ToolCall, is_blank
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.text import clean_blocks, clean_text

CANCELLED = "The call was cancelled before it had a result."
NO_OUTPUT = (TextContent("(no output)"),)
NOT_REPLAYED = frozenset(("error", "aborted", "incomplete", "content_filter"))

M = TypeVar("M", bound=Message)
Results = list[ToolResultMessage | None]


def repair_history(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The history as it can be sent; messages that are right come out as the same objects.

    Each tool call has exactly one result, directly after its message and in the order of the calls: the real one where
    there is one, else one that says it was cancelled. Results without a call, empty messages and replies that failed
    are left out, ids that occur twice are made unique, and a summary stands in for what it sums up. Repairing twice is
    repairing once.
    """
    kept = after_summary(messages)
    results = _results_by_message(kept)
    used_ids = CallIds()
    sent: list[Message] = []
    for position, message in enumerate(kept):
        if isinstance(message, AssistantMessage):
            if is_replayed(message):
                sent.extend(_turn(message, results.get(position, []), used_ids))
        elif isinstance(message, UserMessage) and not is_blank(message.content):
            sent.append(message)
    return tuple(sent)


def open_calls(messages: Sequence[Message]) -> list[ToolCall]:
    """The calls that the history ends with and that have no result yet, in order; none once the user went on."""
    answered: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, ToolResultMessage):
            answered.add(message.tool_call_id)
        elif isinstance(message, AssistantMessage) and is_replayed(message):
            return [call for call in message.tool_calls if call.id not in answered]
        else:
            return []
    return []


def after_summary(messages: Sequence[Message]) -> Sequence[Message]:
    """What is left to send once the last summary stands in for what it sums up.

    The messages that the summary keeps follow it, and before them the last thing that the user said.
    """
    position = next((place for place in reversed(range(len(messages))) if is_summary(messages[place])), None)
    if position is None:
        return messages
    summary = messages[position]
    before = [message for message in messages[:position] if not is_summary(message)]
    keeps = summary.summary_keeps or 0 if isinstance(summary, UserMessage) else 0
    first_kept = max(len(before) - keeps, 0)
    kept = before[first_kept:]
    if not any(isinstance(message, UserMessage) for message in kept):
        said = [message for message in before[:first_kept] if isinstance(message, UserMessage)]
        kept = said[-1:] + kept
    return [summary, *kept, *messages[position + 1 :]]


def is_summary(message: Message) -> bool:
    """Whether the message sums up those before it."""
    return isinstance(message, UserMessage) and message.summary_keeps is not None


def is_replayed(message: AssistantMessage) -> bool:
    """Whether a reply is sent again: not when it failed, broke off or holds neither text nor picture nor call."""
    return message.stop_reason not in NOT_REPLAYED and not is_empty_reply(message)


def is_empty_reply(message: AssistantMessage) -> bool:
    """Whether a reply says nothing: no call, no picture, no text but blanks."""
    return not any(map(_says_something, message.content))


def with_output(result: ToolResultMessage) -> ToolResultMessage:
    """The result, with a word in place of an empty content: no provider takes an empty one."""
    return msgspec.structs.replace(result, content=NO_OUTPUT) if is_blank(result.content) else result


class CallIds:
    """The ids of all calls of a conversation, each of which occurs once."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        self._used = set(ids)
        self._last_number: dict[str, int] = {}

    def add(self, ids: Iterable[str]) -> None:
        """Says that there are calls with these ids."""
        self._used.update(ids)

    def unique(self, wanted: str) -> str:
        """The id itself, or with a number after it when it is empty or taken; it is added to the others."""
        unique, number = wanted, self._last_number.get(wanted, 1)
        while not unique or unique in self._used:
            number += 1
            unique = f"{wanted or 'call'}_{number}"
        if unique != wanted:
            self._last_number[wanted] = number
        self._used.add(unique)
        return unique


def cancelled_result(call: ToolCall, message: AssistantMessage) -> ToolResultMessage:
    """The result of a call that never got one; the same every time, its time that of the call."""
    return ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=(TextContent(CANCELLED),),
        is_error=True,
        was_executed=False,
        timestamp=message.timestamp,
    )


def clean_message(message: M) -> M:
    """The message with its text cleaned, the same object when there was nothing to clean."""
    content = message.content
    cleaned = clean_text(content) if isinstance(content, str) else clean_blocks(content)
    return message if cleaned is content else msgspec.structs.replace(message, content=cleaned)


def _results_by_message(messages: Sequence[Message]) -> dict[int, Results]:
    """For each message with calls, by its position, the result of each call; an id means the nearest call before."""
    results: dict[int, Results] = {}
    unanswered: dict[str, deque[tuple[Results, int]]] = {}
    for position, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            calls = message.tool_calls
            if calls:
                results[position] = [None] * len(calls)
                unanswered.update(_places(calls, results[position]))
        elif isinstance(message, ToolResultMessage):
            places = unanswered.get(message.tool_call_id)
            if places:
                of_message, place = places.popleft()
                of_message[place] = message
    return results


def _places(calls: list[ToolCall], results: Results) -> dict[str, deque[tuple[Results, int]]]:
    places: dict[str, deque[tuple[Results, int]]] = {}
    for place, call in enumerate(calls):
        places.setdefault(call.id, deque()).append((results, place))
    return places


def _turn(message: AssistantMessage, results: Results, used_ids: CallIds) -> Iterator[Message]:
    message = with_unique_ids(message, used_ids)
    yield message
    for call, result in zip(message.tool_calls, results, strict=True):
        if result is None:
            yield cancelled_result(call, message)
        else:
            result = with_output(result)
            same = result.tool_call_id == call.id
            yield result if same else msgspec.structs.replace(result, tool_call_id=call.id)


def with_unique_ids(message: AssistantMessage, used_ids: CallIds) -> AssistantMessage:
    """The message with ids that no earlier call has; the same object when they were unique already."""
    content: list[AssistantBlock] = []
    has_changed = False
    for block in message.content:
        if isinstance(block, ToolCall):
            call_id = used_ids.unique(block.id)
            if call_id != block.id:
                block = msgspec.structs.replace(block, id=call_id)
                has_changed = True
        content.append(block)
    return msgspec.structs.replace(message, content=tuple(content)) if has_changed else message


def _says_something(block: AssistantBlock) -> bool:
    if isinstance(block, TextContent):
        return bool(block.text.strip())
    return isinstance(block, (ToolCall, ImageContent))
