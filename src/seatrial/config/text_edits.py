"""Changes to a YAML text that leave everything else, comments and layout too, as it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from seatrial.config.located import Block, Listing, Spot
from seatrial.config.source import Source


@dataclass(frozen=True, slots=True, order=True)
class _Edit:
    """The characters from ``start`` to before ``end`` become ``text``."""

    start: int
    end: int
    text: str


@dataclass
class TextEdits:
    """Collects changes by the places of the text as it was; `apply` makes them all at once."""

    source: Source
    _edits: set[_Edit] = field(default_factory=set)
    _cuts: set[tuple[int, int]] = field(default_factory=set)
    _dropped: set[int] = field(default_factory=set)
    _dashes: dict[int, str] = field(default_factory=dict)

    def rename(self, block: Block, key: str, new: str) -> None:
        """Another name for a key."""
        start = self._key_start(block.spots[key])
        self._edits.add(_Edit(start, start + block.spots[key].key_length, new))

    def replace(self, block: Block, key: str, value: str) -> None:
        """Another value for a key."""
        spot = block.spots[key]
        inner = block[key]
        if isinstance(inner, (Block, Listing)) and spot.line != spot.key_line:
            self._drop(range(spot.key_line + 1, self._last_line(block, key) + 1))
            colon = self.source.text.index(":", self._key_start(spot) + spot.key_length)
            line_end = self.source.index(spot.key_line + 1, 1) - 1
            self._edits.add(_Edit(colon, line_end, f": {value}"))
        else:
            self._edits.add(_Edit(self.source.index(spot.line, spot.column), self._value_end(spot), value))

    def replace_item(self, listing: Listing, index: int, value: str) -> None:
        """Another value for a scalar in a list."""
        line, column, length = listing.spots[index]
        start = self.source.index(line, column)
        self._edits.add(_Edit(start, start + length, value))

    def add(self, block: Block, after: str, text: str) -> None:
        """A further entry behind that of the key ``after``."""
        spot = block.spots[after]
        if block.is_flow:
            end = self._value_end(spot)
            self._edits.add(_Edit(end, end, f", {text}"))
        else:
            end = self.source.index(self._last_line(block, after), 1) + len(
                self.source.lines[self._last_line(block, after) - 1]
            )
            self._edits.add(_Edit(end, end, "\n" + " " * (spot.key_column - 1) + text))

    def append(self, block: Block, key: str, lines: str) -> None:
        """Lines behind all that stands under a key in block style; they bring their own indent."""
        last = self._last_line(block, key)
        end = self.source.index(last, 1) + len(self.source.lines[last - 1])
        self._edits.add(_Edit(end, end, f"\n{lines}"))

    def remove(self, block: Block, key: str) -> None:
        """The entry is taken out, comments around it stay."""
        spot = block.spots[key]
        if block.is_flow:
            self._cuts.add((self._key_start(spot), self._value_end(spot)))
            return
        self._drop(range(spot.key_line, self._last_line(block, key) + 1))
        before = self.source.lines[spot.key_line - 1][: spot.key_column - 1]
        if before.strip() == "-":
            self._dashes[spot.key_line] = before

    def apply(self) -> str:
        """The text with all changes made."""
        edits = sorted(self._edits | set(self._moved_dashes()) | set(self._joined_cuts()) | set(self._dropped_lines()))
        made, position = "", 0
        for edit in edits:
            if edit.end < position:
                continue
            made += self.source.text[position : max(position, edit.start)] + edit.text
            position = max(position, edit.end)
        return made + self.source.text[position:]

    def _drop(self, lines: range) -> None:
        self._dropped.update(lines)

    def _dropped_lines(self) -> list[_Edit]:
        starts = [(self.source.index(line, 1), len(self.source.lines[line - 1])) for line in self._dropped]
        return [_Edit(start, min(start + length + 1, len(self.source.text)), "") for start, length in starts]

    def _moved_dashes(self) -> list[_Edit]:
        """The dash of an item whose first entry is gone belongs to the next entry that stays."""
        moved = []
        for line, dash in self._dashes.items():
            following = next((n for n in self._lines_after(line) if n not in self._dropped), None)
            if following is not None and self._indent(following) == len(dash):
                start = self.source.index(following, 1)
                moved.append(_Edit(start, start + len(dash), dash))
        return moved

    def _joined_cuts(self) -> list[_Edit]:
        """Entries between braces go with one of the commas around them; neighbours go together."""
        text = self.source.text
        runs: list[tuple[int, int]] = []
        for start, end in sorted(self._cuts):
            if runs and not text[runs[-1][1] : start].strip(", \n"):
                runs[-1] = (runs[-1][0], end)
            else:
                runs.append((start, end))
        return [self._with_comma(start, end) for start, end in runs]

    def _with_comma(self, start: int, end: int) -> _Edit:
        text = self.source.text
        before = text[:start].rstrip()
        if before.endswith(","):
            return _Edit(len(before) - 1, end, "")
        behind = text[end:]
        blank = len(behind) - len(behind.lstrip())
        if behind[blank : blank + 1] == ",":
            rest = behind[blank + 1 :]
            return _Edit(start, len(text) - len(rest.lstrip()), "")
        return _Edit(start, end, "")

    def _key_start(self, spot: Spot) -> int:
        return self.source.index(spot.key_line, spot.key_column)

    def _value_end(self, spot: Spot) -> int:
        line, column = spot.end or (spot.line, spot.column + spot.length)
        return self.source.index(line, column)

    def _last_line(self, block: Block, key: str) -> int:
        """The last line of an entry in block style."""
        spot = block.spots[key]
        indent = spot.key_column - 1
        last = max(spot.key_line, spot.line if not isinstance(block[key], (Block, Listing)) else spot.key_line)
        for number in self._lines_after(spot.key_line):
            is_dash = isinstance(block[key], Listing) and self.source.lines[number - 1].lstrip().startswith("-")
            if self._indent(number) < indent or (self._indent(number) == indent and not is_dash):
                break
            last = number
        return last

    def _lines_after(self, line: int) -> list[int]:
        """The lines behind one that are neither blank nor a comment."""
        numbers = range(line + 1, len(self.source.lines) + 1)
        return [number for number in numbers if (text := self.source.lines[number - 1].strip()) and text[0] != "#"]

    def _indent(self, number: int) -> int:
        text = self.source.lines[number - 1]
        return len(text) - len(text.lstrip())
