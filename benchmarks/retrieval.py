"""How well each embedder and each way of searching finds the right passage: ``python benchmarks/retrieval.py``.

Quality is counted on the held-out half of the questions of ``retrieval_set.py``; the other half is what settings were
chosen on. The default is decided on both kinds of questions together, held out; it may change only when the paired
95 % interval of the difference excludes 0.
"""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval_set import Question, questions, write_documents

from seatrial.retrieval.base import EmbedderOptions, SearchResult
from seatrial.retrieval.catalog import EMBEDDERS
from seatrial.retrieval.fusion import FusionWeights
from seatrial.retrieval.index import Index
from seatrial.retrieval.search import SearchSettings
from seatrial.stats.intervals import t_interval

EMBEDDER_NAMES = ("local", "fast")
# Rank fusion with the weights that are best on the half that is tuned on, and with usual ones.
WAYS = {
    "hybrid": SearchSettings(mode="hybrid"),
    "fusion 0.5/0.5, k 1": SearchSettings(mode="fusion"),
    "fusion 0.8/0.2, k 10": SearchSettings(mode="fusion", fusion=FusionWeights(0.8, 10)),
    "dense": SearchSettings(mode="dense"),
    "keyword": SearchSettings(mode="keyword"),
}
KINDS = {"both kinds": ("meaning", "code"), "meaning": ("meaning",), "code": ("code",)}
DEFAULT = ("local", SearchSettings().mode)
DEPTH = 10
Row = tuple[str, str, str]


@dataclass(frozen=True)
class Found:
    """At which rank, from 1, the right passage of a question was found; None: not among the first ten."""

    question: Question
    rank: int | None

    def within(self, depth: int) -> float:
        """1 when it is among the first ``depth``."""
        return float(self.rank is not None and self.rank <= depth)

    @property
    def reciprocal(self) -> float:
        """The reciprocal rank."""
        return 1 / self.rank if self.rank else 0.0

    @property
    def gain(self) -> float:
        """nDCG at 10 with one right passage."""
        return 1 / math.log2(self.rank + 1) if self.rank else 0.0


def measured() -> dict[tuple[str, str], list[Found]]:
    """All questions, in every mode with every embedder."""
    with tempfile.TemporaryDirectory() as folder:
        write_documents(Path(folder, "docs"))
        results = {}
        for name in EMBEDDER_NAMES:
            embedder = EMBEDDERS.load(name)(EmbedderOptions())
            with closing(Index.open(Path(folder, name), embedder)) as index:
                index.refresh(Path(folder, "docs"))
                for way, settings in WAYS.items():
                    deep = replace(settings, top_k=DEPTH * 3)
                    results[name, way] = [_asked(index, question, deep) for question in questions()]
        return results


def _asked(index: Index, question: Question, settings: SearchSettings) -> Found:
    """Several chunks of one entry count once."""
    entries = list(dict.fromkeys(_entry(result) for result in index.search(question.text, settings)))[:DEPTH]
    return Found(question, entries.index(question.answer) + 1 if question.answer in entries else None)


def _entry(result: SearchResult) -> str:
    known = result.metadata_dict
    return str(known.get("heading") or known.get("code") or known.get("id"))


def rows() -> Iterator[Row]:
    """The figures for the results page."""
    results = measured()
    default = results[DEFAULT]
    for is_held_out in (True, False):
        for kind, kinds in KINDS.items():
            chosen = [i for i, one in enumerate(default) if _is_of(one.question, kinds, is_held_out)]
            half = "held out" if is_held_out else "tuned on"
            for (name, way), found in results.items():
                some = [found[i] for i in chosen]
                label = f"{kind}, {half} (n={len(some)}): {name} {way}"
                yield label, _figures(some), _difference(some, [default[i] for i in chosen], (name, way))


def _is_of(question: Question, kinds: Sequence[str], is_held_out: bool) -> bool:
    return question.kind in kinds and question.is_held_out == is_held_out


def _figures(found: Sequence[Found]) -> str:
    recalls = " / ".join(f"{statistics.fmean(one.within(k) for one in found):.3f}" for k in (1, 5, 10))
    mrr = statistics.fmean(one.reciprocal for one in found)
    return f"R@1/5/10 {recalls}, MRR {mrr:.3f}, nDCG@10 {statistics.fmean(one.gain for one in found):.3f}"


def _difference(found: Sequence[Found], default: Sequence[Found], which: tuple[str, str]) -> str:
    if which == DEFAULT:
        return "the default"
    differences = [one.gain - other.gain for one, other in zip(found, default, strict=True)]
    interval = t_interval(differences)
    return f"nDCG {statistics.fmean(differences):+.3f} [{interval.low:+.3f}, {interval.high:+.3f}] against it"


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ", flush=True)
