"""What an import of another tool's file could not carry over, or only with a change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from seatrial.config.diagnostics import Place, printable
from seatrial.config.located import Block

NoteKind = Literal["left out", "changed"]


@dataclass(frozen=True, slots=True)
class Note:
    """``what`` stood at ``place``; ``instead`` says why it is not here as it was, and what to write."""

    kind: NoteKind
    what: str
    instead: str
    place: Place

    @property
    def text(self) -> str:
        """One line: ``file:line:column: kind: what: instead``."""
        place = self.place
        return printable(f"{place.file}:{place.line}:{place.column}: {self.comment}").replace("\n", " ")

    @property
    def comment(self) -> str:
        """The same without the place."""
        return f"{self.kind}: {self.what}: {self.instead}"

    def as_dict(self) -> dict[str, Any]:
        """Plain data for ``--json``."""
        return {
            "kind": self.kind.replace(" ", "_"),
            "what": self.what,
            "instead": self.instead,
            "file": str(self.place.file),
            "line": self.place.line,
            "column": self.place.column,
        }


@dataclass
class Notes:
    """Collects notes, each once, in the order in which they are made."""

    found: dict[Note, None] = field(default_factory=dict)
    _here: dict[Note, None] = field(default_factory=dict)

    def left(self, place: Place, what: str, instead: str) -> None:
        """Notes what is not in the new file."""
        self._add(Note("left out", what, instead, place))

    def changed(self, place: Place, what: str, instead: str) -> None:
        """Notes what is in the new file in another form, which may give other results."""
        self._add(Note("changed", what, instead, place))

    def since_last(self) -> list[Note]:
        """The notes since this was last asked, those again that had been made before."""
        made, self._here = list(self._here), {}
        return made

    def in_order(self) -> list[Note]:
        """All notes, by file and line."""
        return sorted(self.found, key=lambda note: note.place)

    def _add(self, note: Note) -> None:
        self.found[note] = None
        self._here[note] = None


class Keys:
    """The keys of one block, of which every one is either taken or noted as left out."""

    def __init__(self, block: Block, notes: Notes) -> None:
        self.block = block
        self._notes = notes
        self._taken: set[str] = set()

    def take(self, key: str) -> Any:
        """The value of a key, None where there is none; from now on it counts as carried over."""
        self._taken.add(key)
        return self.block.get(key)

    def take_all(self, keys: Iterable[str]) -> dict[str, Any]:
        """The values of those keys that are given."""
        return {key: value for key in keys if (value := self.take(key)) is not None}

    def leave(self, key: str, instead: str, what: str | None = None) -> None:
        """Notes that a key, taken or not, is left out."""
        self._taken.add(key)
        if key in self.block:
            self._notes.left(self.block.place_of_key(key), what or f"`{key}`", instead)

    def rest(self, reasons: Mapping[str, str], otherwise: str = "there is nothing like it here") -> None:
        """Notes every key that was not taken."""
        for key in self.block:
            if key not in self._taken:
                self.leave(key, reasons.get(key, otherwise))
