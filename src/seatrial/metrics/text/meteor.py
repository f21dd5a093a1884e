"""METEOR with exact and stem matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from seatrial.metrics.base import Measurement
from seatrial.metrics.text.extra import from_extra_metrics
from seatrial.metrics.text.pair import PairMetric
from seatrial.metrics.text.words import treebank_words

with from_extra_metrics("meteor"):
    from nltk.stem.porter import PorterStemmer

_STEMMER = PorterStemmer()
_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5
Link = tuple[int, int]


class Meteor(PairMetric):
    """METEOR, 0 to 1, with the exact and the Porter stem module; synonyms are off and the name says so.

    Even the same text stays a little below 1, because one chunk is still charged. Values equal those of nltk with
    an empty WordNet.

    Source: Banerjee and Lavie 2005; parameters as in Lavie and Agarwal 2007 and nltk (alpha 0.9, beta 3, gamma 0.5).
    """

    name = "meteor(synonyms=off)"

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """0 to 1; details hold precision, recall, matches and chunks."""
        given = [word.lower() for word in treebank_words(answer)]
        wanted = [word.lower() for word in treebank_words(ground_truth)]
        links = align(given, wanted)
        if not links:
            return Measurement(0.0, "no word in common", {"precision": 0.0, "recall": 0.0, "matches": 0, "chunks": 0})
        precision, recall = len(links) / len(given), len(links) / len(wanted)
        mean = precision * recall / (_ALPHA * precision + (1 - _ALPHA) * recall)
        chunks = _count_chunks(links)
        penalty = _GAMMA * (chunks / len(links)) ** _BETA
        details = {"precision": precision, "recall": recall, "matches": len(links), "chunks": chunks}
        return Measurement((1 - penalty) * mean, details=details)


def align(given: Sequence[str], wanted: Sequence[str]) -> list[Link]:
    """Pairs of positions (given, wanted): first equal words, then equal stems, each word used once, sorted."""
    exact = _links_of_equals(dict(enumerate(given)), dict(enumerate(wanted)))
    used_given = {position for position, _ in exact}
    used_wanted = {position for _, position in exact}
    stems = _links_of_equals(
        {i: _stem(word) for i, word in enumerate(given) if i not in used_given},
        {j: _stem(word) for j, word in enumerate(wanted) if j not in used_wanted},
    )
    return sorted(exact + stems)


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
