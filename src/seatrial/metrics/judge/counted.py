"""Judges whose score is counted: items are judged one by one, and code does the arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from seatrial.core.model import Model
from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.judge.judge import Judge, Reply, spent
from seatrial.metrics.judge.material import Part
from seatrial.metrics.judge.panel import Combine, Draw, Panel
from seatrial.metrics.judge.parts import parts_of
from seatrial.metrics.judge.quotes import is_quoted_from
from seatrial.metrics.judge.rubrics import PartName
from seatrial.metrics.judge.verdicts import (
    Verdict,
    counted,
    read_statements,
    read_verdicts,
    statements_schema,
    verdicts_schema,
)

_SPLIT = (
    "Split the {source} into single statements, each of one fact or claim, complete and understandable alone: names in "
    "place of pronouns, nothing added and nothing left out. Greetings, questions and remarks about the answer itself "
    'are no statements. Reply with one JSON object: {{"statements": ["...", "..."]}}. If there is no statement, the '
    "list is empty."
)
_VERDICTS = (
    "You are a strict and fair examiner. For each of the numbered ITEMS decide {question}. The verdict is yes, no, or "
    "idk where it cannot be told. Give {count} verdicts, one for each item, in their order.{quote} Reply with one JSON "
    'object: {{"verdicts": [{{"number": 1, "reason": "...", {field}"verdict": "yes"}}, ...]}}'
)
_QUOTE = (
    " For a yes copy into quote the words of the CONTEXT that support the item, letter by letter; for any other "
    "verdict leave quote empty."
)


@dataclass(frozen=True)
class Counting:
    """What is counted: the items come from ``source``, and ``question`` is asked of each beside ``shown``.

    ``is_split`` False takes the passages of the context as the items. ``score`` makes one value of the verdicts.
    """

    source: PartName
    read_with: tuple[PartName, ...]
    question: str
    shown: tuple[PartName, ...]
    score: Callable[[Sequence[Verdict]], float]
    has_quote: bool = False
    is_split: bool = True


def share_of_good(verdicts: Sequence[Verdict]) -> float:
    """Good verdicts over all."""
    return sum(verdict.is_good for verdict in verdicts) / len(verdicts)


def average_precision(verdicts: Sequence[Verdict]) -> float:
    """The mean of the precisions at the ranks of the good items; 0 when none is good."""
    found = 0
    precisions = []
    for rank, verdict in enumerate(verdicts, start=1):
        if verdict.is_good:
            found += 1
            precisions.append(found / rank)
    return sum(precisions) / len(precisions) if precisions else 0.0


COUNTINGS: Mapping[str, Counting] = {
    "faithfulness": Counting(
        "answer",
        ("question", "answer"),
        "whether the CONTEXT states it or it follows from the CONTEXT directly, whatever you know of the world",
        ("context",),
        share_of_good,
        has_quote=True,
    ),
    "contextual_recall": Counting(
        "ground_truth",
        ("question", "ground_truth"),
        "whether it can be attributed to the CONTEXT",
        ("context",),
        share_of_good,
        has_quote=True,
    ),
    "answer_relevancy": Counting(
        "answer",
        ("question", "answer"),
        "whether it helps to answer the QUESTION",
        ("question",),
        share_of_good,
    ),
    "contextual_relevancy": Counting(
        "context",
        ("context",),
        "whether it is relevant to the QUESTION",
        ("question",),
        share_of_good,
    ),
    "contextual_precision": Counting(
        "context",
        (),
        "whether it is useful for answering the QUESTION as the GROUND TRUTH does",
        ("question", "ground_truth"),
        average_precision,
        is_split=False,
    ),
}

_WORDS_OF_SOURCE = {"answer": "ANSWER", "ground_truth": "GROUND TRUTH", "context": "CONTEXT"}


class CountedJudge:
    """The share (or, for contextual precision, the average precision) of items that a judge finds good, 0 to 1.

    ``counting`` names what is counted: faithfulness and answer relevancy follow the statement lists of ragas and
    deepeval, contextual precision is the average precision over ranks. ``idk`` is not good. Where a yes must be
    supported by the context, the judge quotes it, and a quotation that stands nowhere there makes the verdict
    unverified, which is not good either. The first judge makes the list, every draw of every judge the verdicts.
    """

    def __init__(
        self,
        *,
        model: Model,
        counting: str,
        include_reason: bool = True,
        models: Sequence[Model] = (),
        draws: int = 1,
        combine: Combine = "median",
        temperature: float = 0.0,
    ) -> None:
        if counting not in COUNTINGS:
            raise MetricError(f"nothing is counted by the name {counting!r}", hint=f"one of {', '.join(COUNTINGS)}")
        self.name = counting
        self._counting = COUNTINGS[counting]
        self._include_reason = include_reason
        self._splitter = Judge(model, temperature=temperature)
        self._panel = Panel(model, models=models, draws=draws, combine=combine, temperature=temperature)

    async def measure(self, evidence: Evidence) -> Measurement:
        """0 to 1, with all verdicts in the details; skipped when there is no statement to judge."""
        if evidence.is_answer_empty:
            return Measurement(None, "the answer is empty")
        items, replies = await self._items(evidence)
        if not items:
            source = _WORDS_OF_SOURCE[self._counting.source].lower()
            return Measurement(None, f"no_claims: the {source} states nothing that could be judged")
        found = await self._panel.measure(lambda judge, seed: self._draw(judge, seed, items, evidence))
        if not replies:
            return found
        return msgspec.structs.replace(found, details={**found.details, "splitting": spent(replies)})

    async def _items(self, evidence: Evidence) -> tuple[Sequence[str], tuple[Reply, ...]]:
        counting = self._counting
        if not counting.is_split:
            return evidence.context, ()
        task = _SPLIT.format(source=_WORDS_OF_SOURCE[counting.source])
        parts = parts_of(evidence, counting.read_with)
        return await self._splitter.ask_for(task, parts, statements_schema(), read_statements)

    async def _draw(self, judge: Judge, seed: int | None, items: Sequence[str], evidence: Evidence) -> Draw:
        counting = self._counting
        numbered = "\n".join(f"{number}. {item}" for number, item in enumerate(items, start=1))
        parts = [*parts_of(evidence, counting.shown), Part("ITEMS", numbered)]
        task = _VERDICTS.format(
            question=counting.question,
            count=len(items),
            quote=_QUOTE if counting.has_quote else "",
            field='"quote": "...", ' if counting.has_quote else "",
        )
        schema = verdicts_schema(with_quote=counting.has_quote)
        verdicts, replies = await judge.ask_for(task, parts, schema, lambda text: read_verdicts(text, items), seed=seed)
        if counting.has_quote:
            verdicts = [_verified(verdict, evidence.context) for verdict in verdicts]
        return Draw(counting.score(verdicts), self._reason(verdicts), replies, _details(verdicts))

    def _reason(self, verdicts: Sequence[Verdict]) -> str:
        good = sum(verdict.is_good for verdict in verdicts)
        summary = f"{good} of {len(verdicts)} good"
        worst = next((verdict for verdict in verdicts if not verdict.is_good), None)
        if worst is None or not self._include_reason:
            return summary
        why = worst.reason if worst.is_verified else f"the quoted evidence {worst.quote!r:.80} is not in the context"
        return f"{summary}; {worst.item!r:.100}: {why}"


def _verified(verdict: Verdict, context: Sequence[str]) -> Verdict:
    if verdict.word != "yes" or is_quoted_from(verdict.quote, context):
        return verdict
    return msgspec.structs.replace(verdict, is_verified=False)


def _details(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    return {"counts": counted(verdicts), "verdicts": [msgspec.to_builtins(verdict) for verdict in verdicts]}
