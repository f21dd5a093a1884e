"""A file of human labels, for comparing judges with people: CSV, TSV or JSONL, every mistake told with its line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from seatrial.config.case_rows import read_rows
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.located import Block, plain
from seatrial.config.source import read_source
from seatrial.errors import ConfigError

_ITEM_COLUMNS = ("case", "variant", "repeat", "rater", "input", "output", "ground_truth", "context")
_LONG_FORM = ("metric", "label")
# Columns of `seatrial runs export --format csv` that say nothing to a judge: the export can be labelled as it is.
_PASSED_OVER = {
    "outcome",
    "why",
    "expected_tools",
    "called_tools",
    "duration_s",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "judges_input_tokens",
    "judges_output_tokens",
    "judges_cost_usd",
    "note",
    "notes",
    "comment",
}
_WORDS = {
    **dict.fromkeys(("pass", "passed", "yes", "good", "true"), True),
    **dict.fromkeys(("fail", "failed", "no", "bad", "false"), False),
}

Label = float | bool


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One row: what was judged, and what a person said of it by metric: a number on its scale, or whether it is good.

    ``output`` is None where the answer is that of a stored trial, named by ``case`` (and ``variant``, ``repeat``).
    """

    line: int
    labels: Mapping[str, Label]
    case: str = ""
    variant: str = ""
    repeat: int = 1
    rater: str = ""
    input: str = ""
    output: str | None = None
    ground_truth: str | None = None
    context: tuple[str, ...] = ()


@dataclass
class _Reading:
    path: Path
    judges: Collection[str]
    others: Collection[str]
    problems: list[Diagnostic] = field(default_factory=list)

    def rows(self, blocks: Collection[Block]) -> Iterator[LabelRow]:
        for block in blocks:
            row = self._row(block)
            if row is not None:
                yield row

    def _row(self, block: Block) -> LabelRow | None:
        before = len(self.problems)
        given = plain(dict(block))
        self._refuse_unknown(block, given)
        labels = dict(self._labels(block, given))
        if given.get("output") is None and not given.get("case"):
            self._complain(block, "", "the row has no `output`, and no `case` of a stored run either")
        if not labels and len(self.problems) == before:
            columns = ", ".join(list(self.judges)[:5])
            self._complain(block, "", "the row has no label", f"give a judge's column a value: {columns}")
        repeat = str(given.get("repeat", 1))
        if not repeat.isdecimal() or int(repeat) < 1:
            self._complain(block, "repeat", f"{repeat!r} is no number of a try, which count from 1")
        if len(self.problems) > before:
            return None
        output = given.get("output")
        return LabelRow(
            line=block.place.line,
            labels=labels,
            repeat=int(repeat),
            output=None if output is None else str(output),
            context=_texts(given.get("context")),
            ground_truth=None if given.get("ground_truth") is None else str(given["ground_truth"]),
            **{name: str(given.get(name) or "") for name in ("case", "variant", "rater", "input")},
        )

    def _labels(self, block: Block, given: Mapping[str, Any]) -> Iterator[tuple[str, Label]]:
        if "metric" in given or "label" in given:
            metric = str(given.get("metric") or "")
            if metric not in self.judges:
                self._complain(block, "metric", f"{metric!r} is no judge", self._nearest(metric))
            elif (label := self._label(block, "label", given.get("label"))) is not None:
                yield metric, label
        for name in self.judges:
            if given.get(name) is not None and (label := self._label(block, name, given[name])) is not None:
                yield name, label

    def _label(self, block: Block, column: str, value: Any) -> Label | None:
        text = str(value).strip() if value is not None else ""
        word = _WORDS.get(text.lower())
        if word is not None:
            return word
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if number != number or abs(number) == float("inf"):
            hint = "write a number on the metric's scale, or pass or fail"
            self._complain(block, column, f"{column}: {text!r} is no label", hint)
            return None
        return number

    def _refuse_unknown(self, block: Block, given: Mapping[str, Any]) -> None:
        known = {*_ITEM_COLUMNS, *_LONG_FORM, *_PASSED_OVER, *self.judges, *self.others}
        for name in given:
            if name not in known:
                self._complain(
                    block, name, f"the column `{name}` is no judge and no part of an item", self._nearest(name)
                )

    def _nearest(self, name: str) -> str:
        near = get_close_matches(name, [*self.judges, *_ITEM_COLUMNS], n=1)
        return f"did you mean {near[0]!r}?" if near else f"judges: {', '.join(self.judges)}"

    def _complain(self, block: Block, column: str, message: str, hint: str | None = None) -> None:
        place = block.place_of_value(column) if column in block else block.place
        self.problems.append(Diagnostic("error", "ST112", message, place, hint=hint))


def read_labels(path: Path, judges: Collection[str], others: Collection[str] = ()) -> list[LabelRow]:
    """The rows of a file in which people labelled answers; ``others`` are columns of metrics that are no judges.

    Raises `ConfigError` with a diagnostic for every mistake.
    """
    source = read_source(path)
    found = read_rows(source)
    reading = _Reading(path, judges, others)
    blocks = [row for row in found.rows if isinstance(row, Block)]
    rows = list(reading.rows(blocks))
    problems = [*map(_of_labels, found.problems), *_unique(reading.problems)]
    if problems:
        number = f"{len(problems)} error{'' if len(problems) == 1 else 's'}"
        raise ConfigError(f"{path} has {number}", diagnostics=problems)
    return rows


def _of_labels(problem: Diagnostic) -> Diagnostic:
    """A file without rows is one without labels here, and no file of test cases."""
    if problem.code != "ST108":
        return problem
    name = problem.place.file.name
    message = problem.message if problem.message.endswith("is empty") else f"{name} holds no label"
    hint = "write a row for each answer: `input`, `output`, and a label in a column named like the judge"
    return Diagnostic("error", problem.code, message, problem.place, hint=hint)


def _unique(problems: list[Diagnostic]) -> list[Diagnostic]:
    """A column that is unknown is told once, in the first row that has it."""
    told: dict[tuple[str, int], Diagnostic] = {}
    for problem in problems:
        is_of_column = problem.message.startswith("the column ")
        told.setdefault((problem.message, 0 if is_of_column else problem.line), problem)
    return list(told.values())


def _texts(value: Any) -> tuple[str, ...]:
    """One passage, or a list of them; a cell may hold a list as JSON."""
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(map(str, value))
    return (str(value),)
