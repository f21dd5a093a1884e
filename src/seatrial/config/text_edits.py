"""Changes to a YAML text that leave everything else, comments and layout too, as it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from seatrial.config.located import Block, Listing
from seatrial.config.source import Source

_CLOSING = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True, order=True)
class _Edit:
    """Characters of one line to be replaced; lines and columns count from 0."""

    line: int
    start: int
    end: int
    text: str


@dataclass
class TextEdits:
    """Collects changes by the places of the text as it was; `apply` makes them all at once."""

    source: Source
    _edits: list[_Edit] = field(default_factory=list)
    _dropped: set[int] = field(default_factory=set)
    _added: list[tuple[int, str]] = field(default_factory=list)

    def rename(self, block: Block, key: str, new: str) -> None:
        """Another name for a key."""
        spot = block.spots[key]
        self._edits.append(_Edit(spot.key_line - 1, spot.key_column - 1, spot.key_column - 1 + spot.key_length, new))

    def replace(self, block: Block, key: str, value: str) -> None:
        """Another value for a key whose value stands on one line, or is a block of lines."""
        spot = block.spots[key]
        if isinstance(block[key], (Block, Listing)):
            self._replace_block(block, key, value)
        else:
            self._replace_at(spot.line, spot.column, spot.length, value)

    def replace_item(self, listing: Listing, index: int, value: str) -> None:
        """Another value for a scalar in a list."""
        self._replace_at(*listing.spots[index], value)

    def add(self, block: Block, after: str, text: str) -> None:
        """A further entry behind that of the key ``after``."""
        spot = block.spots[after]
        if self._is_in_flow(block, after):
            line = spot.line - 1
            end = self._end_in_flow(line, spot.column - 1)
            self._edits.append(_Edit(line, end, end, f", {text}"))
        else:
            self._added.append((self._last_line(block, after), " " * (spot.key_column - 1) + text))

    def remove(self, block: Block, key: str) -> None:
        """The entry is taken out, comments around it stay."""
        spot = block.spots[key]
        line = spot.key_line - 1
        if self._is_in_flow(block, key):
            self._remove_in_flow(line, spot.key_column - 1, spot.column - 1)
            return
        last = self._last_line(block, key)
        self._dropped.update(range(line, last + 1))
        dash = self.source.lines[line][: spot.key_column - 1]
        if dash.strip() == "-":
            following = next(
                (number for number in range(last + 1, len(self.source.lines)) if self._holds(number)), None
            )
            if following is not None and self._indent(following) == spot.key_column - 1:
                self._edits.append(_Edit(following, 0, len(dash), dash))

    def apply(self) -> str:
        """The text with all changes made."""
        lines = list(self.source.lines)
        for edit in sorted(self._edits, reverse=True):
            lines[edit.line] = lines[edit.line][: edit.start] + edit.text + lines[edit.line][edit.end :]
        added: dict[int, list[str]] = {}
        for number, text in self._added:
            added.setdefault(number, []).append(text)
        made: list[str] = []
        for number, text in enumerate(lines):
            if number not in self._dropped:
                made.append(text)
            made += added.get(number, [])
        return "\n".join(made)

    def _replace_at(self, line: int, column: int, length: int, text: str) -> None:
        self._edits.append(_Edit(line - 1, column - 1, column - 1 + length, text))

    def _replace_block(self, block: Block, key: str, value: str) -> None:
        spot = block.spots[key]
        line = spot.key_line - 1
        text = self.source.lines[line]
        if self._is_in_flow(block, key) or spot.line == spot.key_line:
            end = self._end_in_flow(spot.line - 1, spot.column - 1)
            self._edits.append(_Edit(spot.line - 1, spot.column - 1, end, value))
            return
        self._dropped.update(range(line + 1, self._last_line(block, key) + 1))
        colon = text.index(":", spot.key_column - 1 + spot.key_length)
        self._edits.append(_Edit(line, colon, len(text), f": {value}"))

    def _is_in_flow(self, block: Block, key: str) -> bool:
        """Whether the entry stands between braces."""
        before = self.source.lines[block.spots[key].key_line - 1][: block.spots[key].key_column - 1]
        return bool(before.strip(" -"))

    def _end_in_flow(self, line: int, start: int) -> int:
        """Where the value that begins at ``start`` ends: at a comma or a closing bracket of its own level."""
        text = self.source.lines[line]
        waiting: list[str] = []
        position = start
        while position < len(text):
            character = text[position]
            if character in "\"'":
                position = text.find(character, position + 1)
                if position < 0:
                    return len(text)
            elif character in _CLOSING:
                waiting.append(_CLOSING[character])
            elif waiting and character == waiting[-1]:
                waiting.pop()
                if not waiting and text[start] in _CLOSING:
                    return position + 1
            elif not waiting and character in ",}]":
                return len(text[:position].rstrip())
            position += 1
        return len(text.rstrip())

    def _remove_in_flow(self, line: int, start: int, value: int) -> None:
        text = self.source.lines[line]
        end = self._end_in_flow(line, value)
        rest = text[end:]
        if rest.lstrip().startswith(","):
            end += len(rest) - len(rest.lstrip()) + 1
            end += len(text[end:]) - len(text[end:].lstrip())
        else:
            start = len(text[:start].rstrip().removesuffix(","))
        self._edits.append(_Edit(line, start, end, ""))

    def _last_line(self, block: Block, key: str) -> int:
        """The last line of an entry in block style, counted from 0."""
        spot = block.spots[key]
        indent = spot.key_column - 1
        has_dashes = isinstance(block[key], Listing)
        last = spot.key_line - 1
        for number in range(spot.key_line, len(self.source.lines)):
            text = self.source.lines[number]
            if not self._holds(number):
                continue
            is_below = self._indent(number) > indent
            if not is_below and not (has_dashes and self._indent(number) == indent and text.lstrip().startswith("-")):
                break
            last = number
        return last

    def _holds(self, number: int) -> bool:
        text = self.source.lines[number].strip()
        return bool(text) and not text.startswith("#")

    def _indent(self, number: int) -> int:
        text = self.source.lines[number]
        return len(text) - len(text.lstrip())
