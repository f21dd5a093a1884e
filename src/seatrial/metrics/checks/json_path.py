"""A place in a JSON answer and what must stand there."""

from __future__ import annotations

import json
import re
from typing import Any

from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.checks.answer import EMPTY, excerpt, verdict
from seatrial.metrics.json_path import compile_path
from seatrial.metrics.json_values import read_answer, same_value
from seatrial.metrics.regex import compile_pattern, find

_NOT_GIVEN: Any = object()


class JsonPathCheck:
    """The answer is JSON and the path leads to a value; with ``equals`` or ``matches`` one of those values is as said.

    ``matches`` is a regular expression for the whole value, written as text. ``exists=False`` turns it round: the path
    must lead nowhere.
    """

    name = "json_path"

    def __init__(
        self, *, value: str, equals: Any = _NOT_GIVEN, matches: str | None = None, exists: bool = True
    ) -> None:
        self._path = compile_path(value)
        self._equals = equals
        self._pattern = None if matches is None else compile_pattern(matches)
        self._exists = exists
        if not exists and (equals is not _NOT_GIVEN or matches is not None):
            raise MetricError("json_path: a value that must not exist cannot be compared")

    async def measure(self, evidence: Evidence) -> Measurement:
        """1 or 0; the details hold what the path leads to."""
        if evidence.is_answer_empty:
            return EMPTY
        try:
            found = self._path.find(read_answer(evidence.output))
        except MetricError as error:
            return Measurement(0.0, f"{error.message}: {excerpt(evidence)}")
        result = await self._judged(found)
        return Measurement(result.value, result.reason, {"found": found})

    async def _judged(self, found: list[object]) -> Measurement:
        path = self._path.text
        if not self._exists:
            return verdict(not found, f"{path} leads to {found!r:.80}")
        if not found:
            return Measurement(0.0, f"{path} leads nowhere")
        if self._equals is not _NOT_GIVEN and not any(same_value(self._equals, value) for value in found):
            return Measurement(0.0, f"{path} is {_shown(found)}, not {self._equals!r}")
        if self._pattern is not None and not await _matches_any(self._pattern, found):
            return Measurement(0.0, f"{path} is {_shown(found)}, no match of {self._pattern.pattern!r}")
        return Measurement(1.0)


async def _matches_any(pattern: re.Pattern[str], found: list[object]) -> bool:
    for value in found:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if await find(pattern, text, whole=True) is not None:
            return True
    return False


def _shown(found: list[object]) -> str:
    return f"{found[0] if len(found) == 1 else found!r:.80}"
