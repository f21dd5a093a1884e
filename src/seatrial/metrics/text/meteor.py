"""METEOR with exact and stem matches, and synonyms where they are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from seatrial.metrics.base import Measurement
from seatrial.metrics.text.extra import from_extra_metrics
from seatrial.metrics.text.pair import PairMetric
from seatrial.metrics.text.wordnet import WordNet, installed_wordnet
from seatrial.metrics.text.words import treebank_words

with from_extra_metrics("meteor"):
    from nltk.stem.porter import PorterStemmer

_STEMMER = PorterStemmer()
_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5
Link = tuple[int, int]


class Meteor(PairMetric):
    """METEOR, 0 to 1, with the exact and the Porter stem module; synonyms are off and the name says so.

    With ``synonyms`` words that share a meaning in WordNet 3.0 match too: the full metric under its plain name. Even
    the same text stays a little below 1, because one chunk is still charged. Values equal those of nltk, with an empty
    WordNet where synonyms are off. Raises `MissingExtraError` where WordNet is not installed.

    Source: Banerjee and Lavie 2005; parameters as in Lavie and Agarwal 2007 and nltk (alpha 0.9, beta 3, gamma 0.5).
    """

    def __init__(self, *, synonyms: bool = False) -> None:
        self.name = "meteor" if synonyms else "meteor(synonyms=off)"
        self._wordnet = installed_wordnet() if synonyms else None

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """0 to 1; details hold precision, recall, matches and chunks."""
        given = [word.lower() for word in treebank_words(answer)]
        wanted = [word.lower() for word in treebank_words(ground_truth)]
        links = align(given, wanted, self._wordnet)
        if not links:
            return Measurement(0.0, "no word in common", {"precision": 0.0, "recall": 0.0, "matches": 0, "chunks": 0})
        precision, recall = len(links) / len(given), len(links) / len(wanted)
        mean = precision * recall / (_ALPHA * precision + (1 - _ALPHA) * recall)
        chunks = _count_chunks(links)
        penalty = _GAMMA * (chunks / len(links)) ** _BETA
        details = {"precision": precision, "recall": recall, "matches": len(links), "chunks": chunks}
        return Measurement((1 - penalty) * mean, details=details)


def align(given: Sequence[str], wanted: Sequence[str], wordnet: WordNet | None = None) -> list[Link]:
    """Pairs of positions (given, wanted), sorted, each word used once: equal words, then stems, then synonyms."""
    exact = _links_of_equals(dict(enumerate(given)), dict(enumerate(wanted)))
    used_given = {position for position, _ in exact}
    used_wanted = {position for _, position in exact}
    stems = _links_of_equals(
        {i: _stem(word) for i, word in enumerate(given) if i not in used_given},
        {j: _stem(word) for j, word in enumerate(wanted) if j not in used_wanted},
    )
    links = exact + stems
    return sorted(links if wordnet is None else [*links, *_links_of_synonyms(given, wanted, links, wordnet)])


def _links_of_synonyms(
    given: Sequence[str], wanted: Sequence[str], links: Sequence[Link], wordnet: WordNet
) -> list[Link]:
    """What is left, in the same order: last words first, each with the last free synonym.

    Stems are looked up, not words, as nltk does: that is the value that others report.
    """
    stems_wanted = [_stem(word) for word in wanted]
    used = {position for position, _ in links}
    free = [place for place in range(len(wanted)) if place not in {position for _, position in links}]
    found = []
    for place in reversed([place for place in range(len(given)) if place not in used]):
        synonyms = wordnet.synonyms(_stem(given[place]))
        match = next((other for other in reversed(free) if stems_wanted[other] in synonyms), None)
        if match is not None:
            free.remove(match)
            found.append((place, match))
    return found


def _links_of_equals(given: dict[int, str], wanted: dict[int, str]) -> list[Link]:
    """Last words first, each with the last free equal: the order that nltk's reference values come from."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for position, word in wanted.items():
        places[word].append(position)
    return [(i, places[word].pop()) for i, word in reversed(given.items()) if places.get(word)]


def _count_chunks(links: Sequence[Link]) -> int:
    return 1 + sum(after != (before[0] + 1, before[1] + 1) for before, after in pairwise(links))


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    stem: str = _STEMMER.stem(word)
    return stem
