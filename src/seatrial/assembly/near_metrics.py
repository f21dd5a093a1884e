"""Which metrics an unknown name may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from seatrial.config.names import nearest, same_name
from seatrial.metrics import catalog

_MOST = 5
_SHORTEST_BEGINNING = 3
_ALL = "all: docs/metrics.md"
# What people call things that have another name here, or none.
_USUAL_WORDS = {
    "accuracy": ("exact", "equality", "numeric"),
    "bias": ("safety",),
    "correctness": ("similarity", "response_completeness", "exact"),
    "edit_distance": ("levenshtein", "levenshtein_similarity"),
    "hallucination": ("groundedness", "faithfulness"),
    "helpfulness": ("relevance", "intent_resolution"),
    "judge": ("geval",),
    "match": ("exact", "equality"),
    "toxicity": ("safety",),
    "trajectory": ("expected_tools", "tool_f1"),
}


def metric_hint(name: str) -> str:
    """What to write in place of ``name``: the nearest metrics, at most five, and where all of them are explained."""
    near = near_metrics(name)
    if not near:
        return _ALL
    if len(near) == 1:
        return f"did you mean `{near[0]}`?"
    shown = ", ".join(f"`{item}`" for item in near[:-1])
    return f"did you mean {shown} or `{near[-1]}`? {_ALL}"


def near_metrics(name: str) -> list[str]:
    """The same name in another spelling alone; else names of which it is a part or that are a part of it, then others.

    At most five.
    """
    known = catalog.names()
    same = same_name(name, known)
    if same is not None:
        return [same]
    usual = _USUAL_WORDS.get("_".join(_words(name)))
    if usual is not None:
        return list(usual)
    parts = list(_sharing_words(name, known))
    spelt = nearest(name, known)
    if not parts:
        return [spelt] if spelt is not None else get_close_matches(name.lower(), known, n=3)
    return list(dict.fromkeys(parts if spelt is None else [*parts, spelt]))[:_MOST]


def _sharing_words(name: str, known: list[str]) -> Iterator[str]:
    """Names all of whose words are in the other, those that begin alike first."""
    words = _words(name)
    found = [
        item
        for item in known
        if set(words) <= set(_words(item))
        or set(words) >= set(_words(item))
        or (len(name) >= _SHORTEST_BEGINNING and item.lower().startswith(name.lower()))
    ]
    yield from sorted(found, key=lambda item: _words(item)[:1] != words[:1])


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", name.lower())
