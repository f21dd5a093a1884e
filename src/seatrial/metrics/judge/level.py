"""A judge that gives a level of a rubric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from seatrial.metrics.judge.rubrics import RUBRICS, Rubric
from seatrial.metrics.trajectory.calls import calls_of


class LevelJudge:
    """The level that a rubric's words give a trial.

    ``custom_prompt`` takes the place of the rubric's own words, never of its scale. ``models`` are further judges,
    ``draws`` how often each is asked; see `Panel` for ``combine``. An empty answer is not judged: it is skipped.
    """

    def __init__(
        self,
        *,
        model: Model,
        rubric: str | Rubric,
        custom_prompt: str | None = None,
        models: Sequence[Model] = (),
        draws: int = 1,
        combine: Combine = "median",
        temperature: float = 0.0,
    ) -> None:
        self._rubric = rubric if isinstance(rubric, Rubric) else _known(rubric)
        self._task = task_of(self._rubric, custom_prompt)
        self._schema = level_schema(self._rubric.levels)
        self._panel = Panel(model, models=models, draws=draws, combine=combine, temperature=temperature)
        self._warning = None if custom_prompt is None else scale_warning(custom_prompt, self._rubric.scale)
        self.name = self._rubric.name

    async def measure(self, evidence: Evidence) -> Measurement:
        """A level; raises `MetricError` when a judge fails or its reply cannot be read or is off the scale."""
        missing = _why_not(self._rubric, evidence)
        if missing is not None:
            return Measurement(None, missing)
        parts = parts_of(evidence, self._rubric.parts)
        found = await self._panel.measure(lambda judge, seed: self._draw(judge, seed, parts))
        if self._warning is None:
            return found
        return msgspec.structs.replace(found, details={**found.details, "warnings": [self._warning]})

    async def _draw(self, judge: Judge, seed: int | None, parts: Sequence[Part]) -> Draw:
        reply = await judge.ask(self._task, parts, self._schema, seed=seed)
        found = read_own(reply.text, parts, lambda text: read_object(text, "score"))
        low, high = self._rubric.scale
        score = number_at(found, "score", reply.text, out_of=high)
        is_level = score in self._rubric.levels or (low <= score <= high and len(self._rubric.levels) > 2)
        if not is_level:
            raise UnreadableReplyError(f"the score {score:g} is off the scale {low} to {high}", reply.text)
        return Draw(score, text_at(found, "reason"), (reply,))


def task_of(rubric: Rubric, custom_prompt: str | None = None) -> str:
    """What the judge is told: the subject, the levels, the rules and the form of the reply."""
    low, high = rubric.scale
    if custom_prompt is None:
        levels = "\n".join(f"{score}: {words}" for score, words in rubric.levels.items())
        body = f"Examine {rubric.subject}.\n\nThe levels:\n{levels}"
        body += f"\n\n{rubric.rules}" if rubric.rules else ""
    else:
        body = with_titles(custom_prompt)
    whole_numbers = " or ".join(str(level) for level in rubric.levels) if high - low < 2 else f"{low} to {high}"
    return (
        "You are a strict and fair examiner. You judge one thing and leave everything else aside.\n\n"
        f"{body}\n\n"
        f"The score is a whole number, {whole_numbers}, whatever scale is named anywhere else. First write the reason: "
        'one to three sentences that name what decided. Then the score. Reply with one JSON object: {"reason": "...", '
        '"score": N}'
    )


def level_schema(levels: Any) -> dict[str, Any]:
    """The reply's JSON Schema, the reason before the score."""
    return {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "score": {"type": "integer", "enum": sorted(levels)}},
        "required": ["reason", "score"],
        "additionalProperties": False,
    }


def _known(name: str) -> Rubric:
    if name not in RUBRICS:
        raise MetricError(f"there is no rubric {name!r}", hint=f"one of {', '.join(RUBRICS)}")
    return RUBRICS[name]


def _why_not(rubric: Rubric, evidence: Evidence) -> str | None:
    """Why the rubric does not apply to the trial, or None."""
    if evidence.is_answer_empty:
        return "the answer is empty"
    if rubric.name != "tool_call_accuracy":
        return None
    calls = calls_of(evidence.messages)
    defined = {tool.name for tool in evidence.tools}
    unknown = sorted({call.name for call in calls} - defined)
    if not calls:
        return "no tool was called"
    return f"no definition is known of {', '.join(unknown)}" if unknown else None
