"""The ordinary reply of chat completions, text and nothing else, read in one step.

It is what almost every request of a suite gets. Anything that it does not know is left to the tolerant reader, which
would give the same message for what is read here.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from seatrial.core.content import TextContent
from seatrial.core.messages import AssistantMessage
from seatrial.core.usage import UNKNOWN_USAGE, Usage, cost_of
from seatrial.formats.reading import Reading
from seatrial.formats.text_calls import may_hold_call

_Count = Annotated[int, msgspec.Meta(ge=0, lt=10**15)] | None
_Nothing = Annotated[list[Any], msgspec.Meta(max_length=0)] | None


class _Strict(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A shape in which nothing stands that has no field here."""


class _InputDetails(_Strict, frozen=True):
    cached_tokens: _Count = None
    audio_tokens: _Count = None


class _OutputDetails(_Strict, frozen=True):
    reasoning_tokens: _Count = None
    audio_tokens: _Count = None
    accepted_prediction_tokens: _Count = None
    rejected_prediction_tokens: _Count = None


class _Counts(_Strict, frozen=True):
    prompt_tokens: _Count = None
    completion_tokens: _Count = None
    total_tokens: _Count = None
    prompt_tokens_details: _InputDetails | None = None
    completion_tokens_details: _OutputDetails | None = None


class _Message(_Strict, frozen=True):
    content: str
    role: Literal["assistant"] = "assistant"
    refusal: None = None
    annotations: _Nothing = None
    audio: None = None
    function_call: None = None
    tool_calls: _Nothing = None


class _Choice(_Strict, frozen=True):
    message: _Message
    finish_reason: Literal["stop"]
    index: int = 0
    logprobs: None = None


class _Reply(_Strict, frozen=True):
    choices: tuple[_Choice]
    id: str = ""
    object: str = ""
    created: int = 0
    model: str = ""
    usage: _Counts | None = None
    system_fingerprint: str | None = None
    service_tier: str | None = None


_decoder = msgspec.json.Decoder(_Reply)


def read_plain_reply(body: bytes, reading: Reading) -> AssistantMessage | None:
    """The message in a whole reply, or None for one that the tolerant reader must look at."""
    try:
        reply = _decoder.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    (choice,) = reply.choices
    text = choice.message.content
    if not text or text.isspace() or "<" in text or may_hold_call(text):
        return None
    usage = UNKNOWN_USAGE if reply.usage is None else _usage(reply.usage)
    return AssistantMessage(
        content=(TextContent(text),),
        api=reading.api,
        provider=reading.provider,
        model=reading.model or reply.model,
        response_id=reply.id,
        usage=usage,
        cost_usd=cost_of(usage, reading.prices),
        raw_stop_reason="stop",
        warnings=reading.remarks,
    )


def _usage(counts: _Counts) -> Usage:
    into, out_of = counts.prompt_tokens_details, counts.completion_tokens_details
    return Usage(
        input_tokens=counts.prompt_tokens,
        output_tokens=counts.completion_tokens,
        cache_read_tokens=None if into is None else into.cached_tokens,
        reasoning_tokens=None if out_of is None else out_of.reasoning_tokens,
    )
