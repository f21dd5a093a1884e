"""Reasoning that a model wrote into its answer between tags -> reasoning and text, piece by piece.

Only what leads the answer counts: tags later in the text, or in code, are text. Templates often put the opening tag
into the prompt, so a closing tag without one ends reasoning too, where it begins a line. In the middle or at the end of
a line it is part of a sentence.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

NAMES = ("think", "thinking", "thought", "reasoning")
OPENINGS = tuple(f"<{name}>" for name in NAMES)
CLOSINGS = tuple(f"</{name}>" for name in NAMES)
CLOSING = re.compile("|".join(CLOSINGS), re.IGNORECASE | re.ASCII)
OPENING = re.compile("|".join(OPENINGS), re.IGNORECASE | re.ASCII)
CLOSING_OF = {
    opening: re.compile(closing, re.IGNORECASE | re.ASCII) for opening, closing in zip(OPENINGS, CLOSINGS, strict=True)
}
LONGEST_TAG = max(map(len, CLOSINGS))
BLANKS = re.compile(r"\s*")


class Part(NamedTuple):
    """A piece of text or reasoning; ``reclaim`` says that all text so far was reasoning."""

    kind: Literal["text", "reasoning", "reclaim"]
    text: str = ""


class ThinkSplitter:
    """Splits one answer. What may still become a tag is held back until it is clear.

    ``is_begun`` says that the prompt has opened the tag: then the first closing one counts wherever it stands. Each
    character is looked at a fixed number of times, whatever the text and wherever it is cut.
    """

    def __init__(self, *, is_begun: bool = False) -> None:
        self._is_begun = is_begun
        self._held = ""
        self._at = 0
        self._blanks: list[str] = []
        self._state: Literal["start", "inside", "answer", "after", "rest"] = "start"
        self._closing = CLOSING
        self._seen: list[str] = []

    @property
    def is_holding(self) -> bool:
        """Whether something is held back."""
        return bool(self._held or self._blanks)

    def feed(self, text: str) -> list[Part]:
        """The parts that are clear now."""
        if self._is_plain(text):
            self._state = "answer"
            self._seen.append(text)
            return [Part("text", text)]
        return self._run(text, is_end=False)

    def end(self) -> list[Part]:
        """What was held back: nothing that follows can make a tag of it."""
        return self._run("", is_end=True) if self._held or self._blanks else []

    def _is_plain(self, text: str) -> bool:
        """Whether nothing is held back and the text neither is nor begins a tag: so are most pieces of most answers."""
        if self._held or "<" in text:
            return False
        return self._state == "answer" or (self._state == "start" and not self._blanks and bool(text.strip()))

    def _run(self, text: str, *, is_end: bool) -> list[Part]:
        self._held += text
        self._at = 0
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
                self._held = self._held[self._at :]
                return parts

    def _at_start(self, is_end: bool) -> None:
        """Before the first word: a tag, or none. Blanks before it wait apart, so that they are looked at once."""
        self._blanks.append(self._skip_blanks())
        found = OPENING.match(self._held, self._at)
        if found:
            self._blanks.clear()
            self._at = found.end()
            self._closing = CLOSING_OF[found.group().lower()]
            self._state = "inside"
            return
        ahead = self._held[self._at : self._at + LONGEST_TAG].lower()
        if not is_end and any(opening.startswith(ahead) for opening in OPENINGS):
            return
        blanks = "".join(self._blanks)
        if blanks:
            self._held = blanks + self._held[self._at :]
            self._at = 0
        self._blanks.clear()
        self._state = "answer"

    def _inside(self, parts: list[Part], is_end: bool) -> None:
        found = self._closing.search(self._held, self._at)
        if found:
            self._give("reasoning", found.start(), parts)
            self._at = found.end()
            self._state = "after"
            return
        self._give("reasoning", self._clear_end((self._closing.pattern,), is_end), parts)

    def _after(self, is_end: bool) -> None:
        """Between the reasoning and the answer: blanks go; another tag may follow."""
        self._skip_blanks()
        if self._at < len(self._held) or is_end:
            self._state = "start" if self._held.startswith("<", self._at) else "rest"

    def _in_answer(self, parts: list[Part], is_end: bool) -> None:
        """The answer began without a tag; a closing tag may still show that it was reasoning."""
        found = CLOSING.search(self._held, self._at)
        if found is None:
            self._give("text", self._clear_end(CLOSINGS, is_end), parts)
            return
        self._give("text", found.start(), parts)
        if self._is_begun or _ends_reasoning("".join(self._seen)):
            self._is_begun = False
            parts.append(Part("reclaim"))
            self._at = found.end()
            self._state = "after"
        else:
            self._state = "rest"
        self._seen.clear()

    def _give(self, kind: Literal["text", "reasoning"], end: int, parts: list[Part]) -> None:
        if end <= self._at:
            return
        piece = self._held[self._at : end]
        self._at = end
        if self._state == "answer":
            self._seen.append(piece)
        parts.append(Part(kind, piece))

    def _skip_blanks(self) -> str:
        found = BLANKS.match(self._held, self._at)
        self._at = found.end() if found else self._at
        return found.group() if found else ""

    def _clear_end(self, tags: tuple[str, ...], is_end: bool) -> int:
        """Where the text ends that cannot be the beginning of one of the tags."""
        at = self._held.rfind("<", max(self._at, len(self._held) - LONGEST_TAG))
        if is_end or at < 0:
            return len(self._held)
        tail = self._held[at:].lower()
        return at if any(tag.startswith(tail) for tag in tags) else len(self._held)


def _ends_reasoning(before: str) -> bool:
    """Whether a closing tag without an opening one stands as a tag: at the beginning of a line, and not in code."""
    if OPENING.search(before) or before.count("`") % 2:
        return False
    return not before[max(before.rfind("\n"), before.rfind("\r")) + 1 :].strip()
