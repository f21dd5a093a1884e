"""Token counts in every spelling -> `Usage`, where cached tokens are part of the input and reasoning of the output."""

from __future__ import annotations

from typing import Any

from seatrial.core.usage import UNKNOWN_USAGE, Usage

# What a number is: `input` counts cached tokens too; `bare_input` leaves out those that the host counts apart.
COUNTS = {
    "prompt_tokens": "input",
    "promptTokens": "input",
    "promptTokenCount": "input",
    "prompt_eval_count": "input",
    "inputTokenCount": "input",
    "input_tokens": "bare_input",
    "inputTokens": "bare_input",
    "input": "bare_input",
    "completion_tokens": "output",
    "completionTokens": "output",
    "output_tokens": "output",
    "outputTokens": "output",
    "outputTokenCount": "output",
    "candidatesTokenCount": "output",
    "eval_count": "output",
    "output": "output",
    "cached_tokens": "read",
    "cached_input_tokens": "read",
    "cachedInputTokens": "read",
    "cachedContentTokenCount": "read",
    "prompt_cache_hit_tokens": "read",
    "cacheReadTokens": "read",
    "cache_write_tokens": "write",
    "cacheWriteTokens": "write",
    "cache_creation_tokens": "write",
    "cache_read_input_tokens": "read_apart",
    "cacheReadInputTokens": "read_apart",
    "cache_read": "read_apart",
    "cache_creation_input_tokens": "write_apart",
    "cacheWriteInputTokens": "write_apart",
    "cache_write": "write_apart",
    "reasoning_tokens": "reasoning",
    "reasoningTokens": "reasoning",
    "thinking_tokens": "reasoning",
    "thoughtsTokenCount": "thoughts",
}
NUMBERS = frozenset({int, float})
DETAILS = frozenset(
    {
        "prompt_tokens_details",
        "promptTokensDetails",
        "input_tokens_details",
        "inputTokensDetails",
        "inputTokenDetails",
        "completion_tokens_details",
        "completionTokensDetails",
        "output_tokens_details",
        "outputTokensDetails",
        "outputTokenDetails",
        "tokens",
    }
)


def read_usage(raw: Any) -> Usage:
    """The counts in a usage object. What is absent, null or no count stays unknown.

    Anthropic's and Bedrock's ``input_tokens`` leave the cached tokens out; they are added here. Gemini's own counts
    leave the thoughts out of the output; they are added likewise.
    """
    if not isinstance(raw, dict) or not raw:
        return UNKNOWN_USAGE
    found: dict[str, int] = {}
    _collect(raw, found)
    if not found:
        return UNKNOWN_USAGE
    read_apart, write_apart, thoughts = found.get("read_apart"), found.get("write_apart"), found.get("thoughts")
    tokens_in, tokens_out = found.get("input"), found.get("output")
    if tokens_in is None and "bare_input" in found:
        tokens_in = found["bare_input"] + (read_apart or 0) + (write_apart or 0)
    if tokens_out is not None:
        tokens_out += thoughts or 0
    return Usage(
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        cache_read_tokens=found.get("read") if read_apart is None else read_apart,
        cache_write_tokens=found.get("write") if write_apart is None else write_apart,
        reasoning_tokens=found.get("reasoning", thoughts),
    )


def read_cost(raw: Any) -> float | None:
    """What the provider says that the request cost in dollars, where it says so."""
    cost = raw.get("cost") if isinstance(raw, dict) else None
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < float("inf"):
        return None
    return float(cost)


def _collect(raw: dict[str, Any], found: dict[str, int]) -> None:
    """The numbers by kind; one that stands in the object itself goes before one in its details."""
    inner: list[dict[str, Any]] = []
    for key, count in raw.items():
        if isinstance(count, dict):
            if key in DETAILS:
                inner.append(count)
        elif key in COUNTS and type(count) in NUMBERS and 0 <= count < 1e15:
            found.setdefault(COUNTS[key], int(count))
    for details in inner:
        _collect(details, found)
