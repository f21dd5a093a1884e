"""A place in a JSON answer and what must stand there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.checks.answer import EMPTY, comparable, excerpt, texts_of, verdict
from seatrial.metrics.json_path import compile_path
from seatrial.metrics.json_values import read_answer, same_value
from seatrial.metrics.regex import compile_pattern, find

_NOT_GIVEN: Any = object()


class JsonPathCheck:
    """The answer is JSON, the path leads to a value, and one is as ``equals``, ``contains`` and ``matches`` say.

    ``contains`` are texts that all occur in the value, ``matches`` is a regular expression that is found in it; a value
    that is no text is written as JSON for both. ``exists=False`` turns it round: the path must lead nowhere.
    """

    name = "json_path"

    def __init__(
        self,
        *,
        value: str,
        equals: Any = _NOT_GIVEN,
        contains: str | Sequence[str] = (),
        matches: str | None = None,
        ignore_case: bool = False,
        exists: bool = True,
    ) -> None:
        self._path = compile_path(value)
        self._equals = equals
        self._texts = texts_of(contains)
        self._pattern = None if matches is None else compile_pattern(matches, ignore_case=ignore_case)
        self._ignore_case = ignore_case
        self._exists = exists
        if not exists and (equals is not _NOT_GIVEN or contains or matches is not None):
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
        complaint = ""
        for value in found:
            complaint = await self._complaint_about(value)
            if not complaint:
                return Measurement(1.0)
        among = "" if len(found) == 1 else f", the last of {len(found)} values,"
        return Measurement(0.0, f"{path}{among} {complaint}")

    async def _complaint_about(self, value: object) -> str:
        """What is wrong with one value, or nothing."""
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        shown = f"is {text!r:.80}"
        if self._equals is not _NOT_GIVEN and not self._is_same(value):
            return f"{shown}, not {self._equals!r}"
        plain = comparable(text, ignore_case=self._ignore_case)
        missing = [each for each in self._texts if comparable(each, ignore_case=self._ignore_case) not in plain]
        if missing:
            return f"{shown}, without {', '.join(repr(each) for each in missing)}"
        if self._pattern is not None and await find(self._pattern, text) is None:
            return f"{shown}, no match of {self._pattern.pattern!r}"
        return ""

    def _is_same(self, value: object) -> bool:
        if self._ignore_case and isinstance(value, str) and isinstance(self._equals, str):
            return comparable(value, ignore_case=True) == comparable(self._equals, ignore_case=True)
        return same_value(self._equals, value)
