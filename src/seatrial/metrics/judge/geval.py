"""A judge by criteria of the user's own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from seatrial.core.model import Model
from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.judge.custom_prompt import scale_warning, with_titles
from seatrial.metrics.judge.judge import Judge
from seatrial.metrics.judge.material import Part
from seatrial.metrics.judge.panel import Combine, Draw, Panel
from seatrial.metrics.judge.parts import parts_of
from seatrial.metrics.judge.reply import UnreadableReplyError, number_at, read_object, read_own, text_at
from seatrial.metrics.judge.rubrics import PartName
from seatrial.metrics.judge.verdicts import read_statements, statements_schema

Param = Literal["input", "actual_output", "expected_output", "context", "retrieval_context"]
_PARTS: dict[str, PartName] = {
    "input": "question",
    "actual_output": "answer",
    "expected_output": "ground_truth",
    "context": "context",
    "retrieval_context": "context",
}
_HIGHEST = 10
_SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "score": {"type": "integer", "enum": list(range(_HIGHEST + 1))},
    },
    "required": ["reason", "score"],
    "additionalProperties": False,
}
_PLAN = (
    "Write three to five short steps by which an examiner can judge a text by the CRITERIA. Each step says what to "
    'look at and what to compare. Reply with one JSON object: {"statements": ["first step", "second step"]}'
)
_TASK = """You are a strict and fair examiner.

{criteria}Proceed in these steps:
{steps}

{ranges}The score is a whole number from 0 (the criteria are not met at all) to 10 (met fully), whatever scale is named
anywhere else. First write the reason: one to three sentences that name what decided. Then the score. Reply with one
JSON object: {{"reason": "...", "score": N}}"""


class _Range(NamedTuple):
    """Scores from ``low`` to ``high``, and what an answer that gets them is like."""

    low: int
    high: int
    outcome: str


_RANGE_KEYS = {"score_range", "expected_outcome"}


class GEval:
    """How far an answer meets the criteria, 0 to 1 in tenths.

    Steps that are not given are made from the criteria by the judge, once for all trials. ``evaluation_params`` are the
    texts that the judge sees. ``rubric`` says in words what scores mean, entries of ``score_range`` (two whole numbers
    from 0 to 10) and ``expected_outcome``; a score in none of the ranges is an error. ``strict_mode`` gives 1 for a
    full score and else 0. The other options are those of `LevelJudge`; ``custom_prompt`` is another word for criteria.
    Source: Liu et al. 2023, "G-Eval", without weighting by token probabilities, which most hosts do not tell: use
    ``draws`` and ``combine="mean"`` for finer values.
    """

    name = "geval"

    def __init__(
        self,
        *,
        model: Model,
        criteria: str | None = None,
        evaluation_steps: Sequence[str] = (),
        evaluation_params: Sequence[Param] = ("input", "actual_output"),
        rubric: Sequence[Mapping[str, Any]] = (),
        strict_mode: bool = False,
        custom_prompt: str | None = None,
        models: Sequence[Model] = (),
        draws: int = 1,
        combine: Combine = "median",
        temperature: float = 0.0,
    ) -> None:
        criteria = criteria or custom_prompt
        if not criteria and not evaluation_steps:
            raise MetricError("geval needs criteria or evaluation_steps")
        unknown = [param for param in evaluation_params if param not in _PARTS]
        if unknown or not evaluation_params:
            raise MetricError(f"geval cannot show {unknown!r}", hint=f"evaluation_params: {', '.join(_PARTS)}")
        self._criteria = with_titles(criteria) if criteria else ""
        self._steps = tuple(with_titles(step) for step in evaluation_steps)
        self._parts = tuple(dict.fromkeys(_PARTS[param] for param in evaluation_params))
        self._ranges = tuple(_range_of(entry) for entry in rubric)
        self._is_strict = strict_mode
        self._planner = Judge(model, temperature=temperature)
        self._panel = Panel(model, models=models, draws=draws, combine=combine, temperature=temperature)
        self._warning = scale_warning(f"{self._criteria}\n" + "\n".join(self._steps), (0.0, float(_HIGHEST)))
        self._planning = asyncio.Lock()

    async def measure(self, evidence: Evidence) -> Measurement:
        """0 to 1; skipped when a text that the judge should see is not there."""
        missing = self._why_not(evidence)
        if missing is not None:
            return Measurement(None, missing)
        task = await self._task()
        parts = parts_of(evidence, self._parts)
        found = await self._panel.measure(lambda judge, seed: self._draw(judge, seed, task, parts))
        details = {**found.details, "steps": list(self._steps)}
        if self._warning is not None:
            details["warnings"] = [self._warning]
        return msgspec.structs.replace(found, details=details)

    def _why_not(self, evidence: Evidence) -> str | None:
        if evidence.is_answer_empty:
            return "the answer is empty"
        if "ground_truth" in self._parts and evidence.ground_truth is None:
            return "the case has no ground_truth"
        if "context" in self._parts and not evidence.context:
            return "the trial has no context"
        return None

    async def _task(self) -> str:
        async with self._planning:
            if not self._steps:
                parts = [Part("CRITERIA", self._criteria)]
                steps, _ = await self._planner.ask_for(_PLAN, parts, statements_schema(), _read_steps)
                self._steps = steps
        criteria = f"The criteria:\n{self._criteria}\n\n" if self._criteria else ""
        steps_text = "\n".join(f"{number}. {step}" for number, step in enumerate(self._steps, start=1))
        return _TASK.format(criteria=criteria, steps=steps_text, ranges=_in_words(self._ranges))

    async def _draw(self, judge: Judge, seed: int | None, task: str, parts: Sequence[Part]) -> Draw:
        reply = await judge.ask(task, parts, _SCHEMA, seed=seed)
        found = read_own(reply.text, parts, lambda text: read_object(text, "score"))
        score = number_at(found, "score", reply.text, out_of=_HIGHEST)
        if not 0 <= score <= _HIGHEST:
            raise UnreadableReplyError(f"the score {score:g} is off the scale 0 to {_HIGHEST}", reply.text)
        if self._ranges and not any(each.low <= score <= each.high for each in self._ranges):
            raise UnreadableReplyError(f"the score {score:g} is in none of the rubric's ranges", reply.text)
        value = float(score == _HIGHEST) if self._is_strict else score / _HIGHEST
        return Draw(value, text_at(found, "reason"), (reply,), {"score": score})


def _range_of(entry: Mapping[str, Any]) -> _Range:
    """One entry of the rubric. Raises `MetricError` for one that says nothing."""
    scores, outcome = entry.get("score_range"), entry.get("expected_outcome")
    pair = scores if isinstance(scores, list | tuple) else ()
    is_pair = len(pair) == 2 and all(type(score) is int for score in pair)
    if not is_pair or not isinstance(outcome, str) or not outcome.strip() or set(entry) - _RANGE_KEYS:
        raise MetricError(
            f"{dict(entry)!r:.80} is no entry of a rubric",
            hint="write {score_range: [0, 3], expected_outcome: what such an answer is like}",
        )
    low, high = pair
    if not 0 <= low <= high <= _HIGHEST:
        raise MetricError(f"the range {low} to {high} of the rubric does not lie within 0 to {_HIGHEST}")
    return _Range(low, high, with_titles(outcome))


def _in_words(ranges: Sequence[_Range]) -> str:
    if not ranges:
        return ""
    lines = "\n".join(f"{each.low} to {each.high}: {each.outcome}" for each in ranges)
    return f"What the scores mean; no other scores are given:\n{lines}\n\n"


def _read_steps(reply: str) -> tuple[str, ...]:
    steps = read_statements(reply)
    if not steps:
        raise UnreadableReplyError("it names no step", reply)
    return steps
