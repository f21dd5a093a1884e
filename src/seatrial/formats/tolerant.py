"""Any reply of any provider -> `AssistantMessage`. Nothing that can come over the wire makes it raise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial.core.messages import AssistantMessage
from seatrial.errors import ProviderError
from seatrial.formats.blocks import read_call, read_content, read_reasoning_fields, read_reasoning_item, text_in
from seatrial.formats.failures import error_inside, error_words
from seatrial.formats.reading import DEFAULT_READING, Reading
from seatrial.formats.reply import NO_DATA, ReplyBuilder
from seatrial.formats.wire_json import UnreadableJsonError, decode
from seatrial.http_client.words import preview

USAGE_KEYS = ("usage", "usageMetadata", "token_usage")
STOP_KEYS = ("finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason")


def parse_response(obj: Any, reading: Reading = DEFAULT_READING) -> AssistantMessage:
    """The message in a whole reply: decoded JSON, or its text.

    Reads OpenAI's ``choices``, a bare choice, a bare message, content blocks, Responses, Anthropic's and Ollama's
    shapes. An error, and a reply that holds nothing to read, become a message with ``stop_reason="error"``.
    """
    builder = ReplyBuilder(reading)
    if isinstance(obj, bytes | str):
        try:
            obj = decode(obj)
        except UnreadableJsonError:
            builder.fail("error", no_json(obj))
            return builder.finish()
    read_reply(builder, obj)
    return builder.finish()


def read_reply(builder: ReplyBuilder, obj: Any) -> None:
    """Reads a whole reply into ``builder``."""
    if isinstance(obj, list):
        obj = obj[0] if len(obj) == 1 and isinstance(obj[0], dict) and "error" in obj[0] else {"content": obj}
    if not isinstance(obj, dict):
        builder.fail("error", ProviderError(f"{NO_DATA}: {preview(str(obj))}", can_retry=True))
        return
    words = error_words(obj)
    if words is not None:
        builder.fail("error", error_inside(words))
    read_labels(builder, obj)
    note_refusal(builder, obj)
    builder.has_data = True
    if not _read_answer(builder, obj) and words is None:
        builder.fail("error", ProviderError(f"{NO_DATA}: {preview(str(obj))}", can_retry=True))


def _read_answer(builder: ReplyBuilder, obj: Mapping[str, Any]) -> bool:
    """Whether there was anything that is an answer, be it empty."""
    choices = obj.get("choices")
    if isinstance(choices, list):
        choice = first_choice(choices)
        if choice is not None:
            read_choice(builder, choice)
        return choice is not None
    if isinstance(obj.get("output"), list):
        read_output(builder, obj["output"])
        read_output_end(builder, obj)
        return True
    if isinstance(obj.get("output"), dict):
        read_choice(builder, obj["output"])
        return True
    if isinstance(obj.get("candidates"), list):
        return _read_candidates(builder, obj)
    if isinstance(obj.get("message"), dict | str):
        read_choice(builder, obj)
        return True
    if obj.keys() & {"content", "tool_calls", "function_call", "refusal", "reasoning_content"}:
        read_message(builder, obj)
        return True
    for key in ("response", "completion", "generated_text", "text"):
        if isinstance(obj.get(key), str):
            builder.add_text(obj[key])
            return True
    return False


def _read_candidates(builder: ReplyBuilder, obj: Mapping[str, Any]) -> bool:
    """Gemini's own shape."""
    feedback = obj.get("promptFeedback")
    if isinstance(feedback, dict) and isinstance(feedback.get("blockReason"), str):
        builder.stop_word = "content_filter"
        builder.note_filter(f"the prompt was blocked: {feedback['blockReason']}")
        return True
    candidate = first_choice(obj["candidates"])
    if candidate is None:
        return False
    read_stop_word(builder, candidate)
    content = candidate.get("content")
    read_content(builder, content.get("parts") if isinstance(content, dict) else content)
    return True


def read_labels(builder: ReplyBuilder, obj: Mapping[str, Any]) -> None:
    """Who answered, under which id, at what price, and why it ended."""
    for attribute, key in (("response_id", "id"), ("model", "model"), ("provider", "provider"), ("api", "api")):
        value = obj.get(key)
        if isinstance(value, str) and value:
            setattr(builder, attribute, value)
    read_stop_word(builder, obj)
    for key in USAGE_KEYS:
        if key in obj:
            builder.add_usage(obj[key])
    if "eval_count" in obj or "prompt_eval_count" in obj:
        builder.add_usage({key: obj.get(key) for key in ("prompt_eval_count", "eval_count")})


def read_stop_word(builder: ReplyBuilder, obj: Mapping[str, Any]) -> None:
    """Why the reply ended, in the provider's word."""
    for key in STOP_KEYS:
        if key in obj and isinstance(word := obj[key], str) and word:
            builder.stop_word = word
            builder.is_ended = True


def note_refusal(builder: ReplyBuilder, obj: Mapping[str, Any]) -> None:
    """Anthropic's words for why the model or a filter stopped."""
    details = obj.get("stop_details")
    if isinstance(details, dict):
        words = text_in(details.get("explanation")) or text_in(details.get("category"))
        if words:
            builder.note_filter(words)


def first_choice(choices: list[Any]) -> Mapping[str, Any] | None:
    """The choice that is read where a server gives several."""
    return next((choice for choice in choices if isinstance(choice, dict)), None)


def read_choice(builder: ReplyBuilder, choice: Mapping[str, Any]) -> None:
    """One of ``choices``, or a reply that is nothing but one."""
    read_stop_word(builder, choice)
    builder.add_usage(choice.get("usage"))
    message = choice.get("message", choice.get("delta"))
    if isinstance(message, dict):
        read_message(builder, message)
    else:
        read_content(builder, message if message is not None else choice.get("text"))


def read_message(builder: ReplyBuilder, message: Mapping[str, Any]) -> None:
    """A message: reasoning, content, refusal, then calls, which is the order in which they were thought."""
    read_stop_word(builder, message)
    read_reasoning_fields(builder, message)
    for key in ("content", "images"):
        if (content := message.get(key)) is not None:
            read_content(builder, content)
    if (refusal := message.get("refusal")) is not None:
        builder.add_refusal(text_in(refusal))
    calls = message.get("tool_calls")
    if isinstance(calls, dict):
        calls = [calls]
    for call in calls if isinstance(calls, list) else []:
        read_call(builder, call)
    legacy = message.get("function_call")
    if isinstance(legacy, dict) and not calls:
        read_call(builder, legacy)


def read_output(builder: ReplyBuilder, items: list[Any]) -> None:
    """Items of the responses API."""
    for item in items:
        if isinstance(item, dict) and item.get("type") == "message":
            read_content(builder, item.get("content"))
        elif isinstance(item, dict) and item.get("type") == "reasoning":
            read_reasoning_item(builder, item)
        else:
            read_content(builder, item)


def read_output_end(builder: ReplyBuilder, response: Mapping[str, Any]) -> None:
    """Why a response ended: its status, or the reason why it is incomplete."""
    details = response.get("incomplete_details")
    word = details.get("reason") if isinstance(details, dict) else None
    word = word or response.get("status")
    if isinstance(word, str):
        builder.stop_word = word
        builder.is_ended = True


def no_json(body: bytes | str) -> ProviderError:
    """The error for a reply that should have been JSON."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    if text.lstrip()[:1] in ("{", "["):
        return ProviderError(f"the reply is JSON that breaks off: {preview(text)}", can_retry=True)
    if not text.strip():
        return ProviderError("the reply is empty", can_retry=True)
    return ProviderError(f"the reply is no JSON: {preview(text)}", hint="check the endpoint's URL")
