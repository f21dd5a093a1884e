"""Which known name a misspelt one was meant to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher


def nearest(name: str, known: Iterable[str], synonyms: Mapping[str, str] | None = None) -> str | None:
    """The known name that is closest, None when none is close. ``synonyms`` lead from other words to known names."""
    others = synonyms or {}
    if name in others:
        return others[name]
    best = _closest(name, [*known, *others])
    return others.get(best, best) if best is not None else None


def _closest(name: str, candidates: Iterable[str]) -> str | None:
    folded = _folded(name)
    best: tuple[float, str] | None = None
    for candidate in candidates:
        if _folded(candidate) == folded:
            return candidate
        score = SequenceMatcher(None, folded, _folded(candidate)).ratio()
        if score >= _needed(folded) and (best is None or score > best[0]):
            best = (score, candidate)
    return best[1] if best else None


def same_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that differs at most in case and separators."""
    folded = _folded(name)
    return next((candidate for candidate in known if candidate == name or _folded(candidate) == folded), None)


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


def _folded(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _needed(folded: str) -> float:
    return 0.75 if len(folded) > 4 else 0.66
