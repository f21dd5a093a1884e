"""A user's own words in place of a rubric. The scale stays ours."""

from __future__ import annotations

import re

_RANGE = re.compile(
    r"(?<![\d.])(\d+(?:\.\d+)?)\s*(?:-|–|—|to|through|and|bis)\s*(\d+(?:\.\d+)?)(?![\d.]*\d)", re.IGNORECASE
)
_OUT_OF = re.compile(r"(?:out of|/)\s*(\d+)\b|\b(percent(?:age)?|%)", re.IGNORECASE)
_SCALE_WORDS = re.compile(r"scale|scor|rat(?:e|ing)|grad|point|level|number|between|from", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{\{?\s*(\w+)\s*\}?\}")
_NAMES = {
    "question": "QUESTION",
    "query": "QUESTION",
    "input": "QUESTION",
    "answer": "ANSWER",
    "response": "ANSWER",
    "output": "ANSWER",
    "actual_output": "ANSWER",
    "context": "CONTEXT",
    "retrieval_context": "CONTEXT",
    "ground_truth": "GROUND TRUTH",
    "expected_output": "GROUND TRUTH",
    "reference": "GROUND TRUTH",
    "conversation": "CONVERSATION",
}
_NEAR = 60


def scale_warning(prompt: str, scale: tuple[float, float]) -> str | None:
    """A sentence when the prompt names a scale that is not the metric's, else None."""
    for found in _RANGE.finditer(prompt):
        before = prompt[max(found.start() - _NEAR, 0) : found.start()]
        named = float(found[1]), float(found[2])
        if _SCALE_WORDS.search(before) and named != scale and named[0] in (0, 1) and named[1] <= 100:
            return _warning(found.group(), scale)
    for found in _OUT_OF.finditer(prompt):
        if found[2] is not None or float(found[1]) != scale[1]:
            return _warning(found.group(), scale)
    return None


def with_titles(prompt: str) -> str:
    """The prompt with its placeholders, such as ``{response}``, turned into the titles of the fenced parts."""
    return _PLACEHOLDER.sub(_title, prompt)


def _title(found: re.Match[str]) -> str:
    title = _NAMES.get(found[1].lower())
    return found.group() if title is None else f"the {title}"


def _warning(named: str, scale: tuple[float, float]) -> str:
    low, high = scale
    return f"custom_prompt speaks of the scale {named.strip()!r}; the score stays {low:g} to {high:g}"
