"""Token counts in every spelling -> `Usage`, where cached tokens are part of the input and reasoning of the output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial.core.usage import UNKNOWN_USAGE, Usage

INCLUSIVE_INPUT = ("prompt_tokens", "promptTokens", "prompt_eval_count", "promptTokenCount", "inputTokenCount")
INPUT = ("input_tokens", "inputTokens", "input")
OUTPUT = (
    "completion_tokens",
    "output_tokens",
    "outputTokens",
    "completionTokens",
    "eval_count",
    "candidatesTokenCount",
    "outputTokenCount",
    "output",
)
CACHE_READ = (
    "cached_tokens",
    "prompt_cache_hit_tokens",
    "cachedContentTokenCount",
    "cached_input_tokens",
    "cachedInputTokens",
)
CACHE_READ_APART = ("cache_read_input_tokens", "cacheReadInputTokens", "cache_read")
CACHE_WRITE_APART = ("cache_creation_input_tokens", "cacheWriteInputTokens", "cache_write")
REASONING = ("reasoning_tokens", "reasoningTokens")
INPUT_DETAILS = ("prompt_tokens_details", "input_tokens_details", "inputTokensDetails", "promptTokensDetails")
OUTPUT_DETAILS = ("completion_tokens_details", "output_tokens_details", "outputTokensDetails")


def read_usage(raw: Any) -> Usage:
    """The counts in a usage object. What is absent, null or no count stays unknown.

    Anthropic's and Bedrock's ``input_tokens`` leave the cached tokens out; they are added here. Gemini's own counts
    leave the thoughts out of the output; they are added likewise.
    """
    if not isinstance(raw, Mapping):
        return UNKNOWN_USAGE
    details = _part(raw, INPUT_DETAILS)
    read_apart, write_apart = _first(raw, CACHE_READ_APART), _first(raw, CACHE_WRITE_APART)
    inclusive = _first(raw, INCLUSIVE_INPUT)
    exclusive = _first(raw, INPUT)
    if inclusive is None and exclusive is not None:
        exclusive += (read_apart or 0) + (write_apart or 0)
    cache_read = _first(raw, CACHE_READ)
    if cache_read is None:
        cache_read = _first(details, CACHE_READ)
    cache_write = _first(details, ("cache_write_tokens", "cache_creation_tokens"))
    reasoning = _first(_part(raw, OUTPUT_DETAILS), REASONING)
    thoughts = _first(raw, ("thoughtsTokenCount",))
    output = _first(raw, OUTPUT)
    if output is not None and thoughts is not None:
        output += thoughts
    return Usage(
        input_tokens=inclusive if inclusive is not None else exclusive,
        output_tokens=output,
        cache_read_tokens=cache_read if read_apart is None else read_apart,
        cache_write_tokens=cache_write if write_apart is None else write_apart,
        reasoning_tokens=next((n for n in (reasoning, thoughts, _first(raw, REASONING)) if n is not None), None),
    )


def read_cost(raw: Any) -> float | None:
    """What the provider says that the request cost in dollars, where it says so."""
    cost = raw.get("cost") if isinstance(raw, Mapping) else None
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < float("inf"):
        return None
    return float(cost)


def _part(raw: Mapping[str, Any], names: tuple[str, ...]) -> Mapping[str, Any]:
    for name in names:
        part = raw.get(name)
        if isinstance(part, Mapping):
            return part
    return {}


def _first(raw: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        count = raw.get(name)
        if isinstance(count, int | float) and not isinstance(count, bool) and 0 <= count < 1e15:
            return int(count)
    return None
