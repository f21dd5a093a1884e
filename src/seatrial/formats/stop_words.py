"""The providers' words for why a reply ended -> `StopReason`."""

from __future__ import annotations

from seatrial.core.messages import StopReason

STOP_WORDS: dict[str, StopReason] = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "complete": "stop",
    "completed": "stop",
    "done": "stop",
    "finished": "stop",
    "success": "stop",
    "tool_calls": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "max_new_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "context_length": "length",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "safety": "content_filter",
    "sensitive": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
    "spii": "content_filter",
    "guardrail_intervened": "content_filter",
    "refusal": "refusal",
    "refused": "refusal",
    "incomplete": "incomplete",
    "pause_turn": "incomplete",
    "aborted": "incomplete",
    "abort": "incomplete",
    "cancelled": "incomplete",
    "error": "error",
    "failed": "error",
    "network_error": "error",
    "insufficient_system_resource": "error",
    "malformed_function_call": "error",
}
MAY_HOLD_CALLS = frozenset({"stop", "tool_calls"})


def stop_reason_of(word: str | None, *, has_calls: bool) -> StopReason:
    """The reason behind ``word``. Calls decide over ``stop``; an unknown or absent word is a ``stop``."""
    reason = STOP_WORDS.get(word.lower(), "stop") if word else "stop"
    if reason in MAY_HOLD_CALLS:
        return "tool_calls" if has_calls else "stop"
    return reason


def is_known(word: str) -> bool:
    """Whether the word has a meaning here."""
    return word.lower() in STOP_WORDS
