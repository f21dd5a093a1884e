"""Which known name a misspelt one was meant to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from functools import lru_cache

_LONGEST = 100


def nearest(name: str, known: Iterable[str], synonyms: Mapping[str, str] | None = None) -> str | None:
    """The known name that is closest, None when none is close. ``synonyms`` lead from other words to known names."""
    others = synonyms or {}
    if name in others:
        return others[name]
    best = _closest(name, (*known, *others)) if len(name) <= _LONGEST else None
    return others.get(best, best) if best is not None else None


@lru_cache(maxsize=4096)
def _closest(name: str, candidates: tuple[str, ...]) -> str | None:
    own = folded(name)
    needed = 0.75 if len(own) > 4 else 0.66
    best, best_score = None, 0.0
    for candidate in candidates:
        other = folded(candidate)
        if other == own:
            return candidate
        longest_possible = 2 * min(len(own), len(other)) / max(1, len(own) + len(other))
        if longest_possible < max(needed, best_score):
            continue
        matcher = SequenceMatcher(None, other, own)
        if matcher.quick_ratio() >= needed and (score := matcher.ratio()) >= needed and score > best_score:
            best, best_score = candidate, score
    return best


def same_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that differs at most in case and separators."""
    own = folded(name)
    return next((candidate for candidate in known if candidate == name or folded(candidate) == own), None)


def did_you_mean(name: str, known: Iterable[str], synonyms: Mapping[str, str] | None = None) -> str | None:
    """A hint with the closest known name, else the list of known names."""
    names = list(known)
    meant = nearest(name, names, synonyms)
    if meant is not None:
        return f"did you mean `{meant}`?"
    if not names:
        return None
    shown = ", ".join(f"`{item}`" for item in names[:12])
    return f"one of {shown}" if len(names) <= 12 else f"one of {shown}, ..."


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """The name without case and separators."""
    return "".join(character for character in name.lower() if character.isalnum())
