"""Reasoning that a model wrote into its answer between tags -> reasoning and text, piece by piece.

Only what leads the answer counts: tags later in the text, or in code, are text. Templates often put the opening tag
into the prompt, so a closing tag alone on its line ends reasoning too.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

NAMES = ("think", "thinking", "thought", "reasoning")
OPENINGS = tuple(f"<{name}>" for name in NAMES)
CLOSINGS = tuple(f"</{name}>" for name in NAMES)
CLOSING = re.compile("|".join(CLOSINGS), re.IGNORECASE)
OPENING = re.compile("|".join(OPENINGS), re.IGNORECASE)


class Part(NamedTuple):
    """A piece of text or reasoning; ``reclaim`` says that all text so far was reasoning."""

    kind: Literal["text", "reasoning", "reclaim"]
    text: str = ""


class ThinkSplitter:
    """Splits one answer. What may still become a tag is held back until it is clear."""

    def __init__(self) -> None:
        self._held = ""
        self._state: Literal["start", "inside", "answer", "after", "rest"] = "start"
        self._closing = ""
        self._seen: list[str] = []

    def feed(self, text: str) -> list[Part]:
        """The parts that are clear now."""
        if self._is_plain(text):
            self._state = "answer"
            self._seen.append(text)
            return [Part("text", text)]
        return self._run(text, is_end=False)

    def end(self) -> list[Part]:
        """What was held back."""
        return self._run("", is_end=True) if self._held else []

    def _is_plain(self, text: str) -> bool:
        """Whether nothing is held back and the text neither is nor begins a tag: so are most pieces of most answers."""
        if self._held or "<" in text:
            return False
        return self._state == "answer" or (self._state == "start" and bool(text.strip()))

    def _run(self, text: str, *, is_end: bool) -> list[Part]:
        self._held += text
        parts: list[Part] = []
        while True:
            state = self._state
            match state:
                case "start":
                    self._at_start(is_end)
                case "inside":
                    self._inside(parts, is_end)
                case "answer":
                    self._in_answer(parts, is_end)
                case "after":
                    self._after(is_end)
                case "rest":
                    self._give("text", len(self._held), parts)
            if self._state == state:
                return parts

    def _at_start(self, is_end: bool) -> None:
        """Before the first word: a tag, or none."""
        ahead = self._held.lstrip()
        lower = ahead.lower()
        for opening in OPENINGS:
            if lower.startswith(opening):
                self._held = ahead[len(opening) :]
                self._closing = opening.replace("<", "</")
                self._state = "inside"
                return
        if not is_end and any(opening.startswith(lower) for opening in OPENINGS):
            return
        self._state = "answer"

    def _inside(self, parts: list[Part], is_end: bool) -> None:
        at = self._held.lower().find(self._closing)
        if at >= 0:
            self._give("reasoning", at, parts)
            self._held = self._held[len(self._closing) :]
            self._state = "after"
            return
        keep = 0 if is_end else _open_end(self._held, (self._closing,))
        self._give("reasoning", len(self._held) - keep, parts)

    def _after(self, is_end: bool) -> None:
        """Between the reasoning and the answer: blanks go; another tag may follow."""
        self._held = self._held.lstrip()
        if self._held or is_end:
            self._state = "start" if self._held.startswith("<") else "rest"

    def _in_answer(self, parts: list[Part], is_end: bool) -> None:
        """The answer began without a tag; a closing tag may still show that it was reasoning."""
        found = CLOSING.search(self._held)
        if found is None:
            keep = 0 if is_end else _open_end(self._held, CLOSINGS)
            self._give("text", len(self._held) - keep, parts)
            return
        follows = self._held[found.end() : found.end() + 1]
        if not follows and not is_end:
            self._give("text", found.start(), parts)
            return
        before = "".join((*self._seen, self._held[: found.start()]))
        if _ends_reasoning(before, follows):
            self._give("text", found.start(), parts)
            parts.append(Part("reclaim"))
            self._held = self._held[found.end() - found.start() :]
            self._state = "after"
        else:
            self._state = "rest"

    def _give(self, kind: Literal["text", "reasoning"], length: int, parts: list[Part]) -> None:
        if length <= 0:
            return
        piece, self._held = self._held[:length], self._held[length:]
        if self._state == "answer":
            self._seen.append(piece)
        parts.append(Part(kind, piece))


def _ends_reasoning(before: str, follows: str) -> bool:
    """Whether a closing tag without an opening one stands as a tag: at a line's edge, and not in code."""
    if OPENING.search(before) or before.count("`") % 2:
        return False
    return follows in ("", "\n", "\r") or not before.strip() or before.rstrip(" \t").endswith("\n")


def _open_end(text: str, tags: tuple[str, ...]) -> int:
    """How many characters at the end of ``text`` may be the beginning of one of the tags."""
    at = text.rfind("<")
    if at < 0:
        return 0
    tail = text[at:].lower()
    return len(tail) if any(tag.startswith(tail) for tag in tags) else 0
