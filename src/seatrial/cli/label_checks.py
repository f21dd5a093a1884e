"""What is wrong with labels that people wrote, all of it, before a judge is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from seatrial.assembly.check_metrics import NO_JUDGES
from seatrial.assembly.judges import judge_provider
from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.evaluations import MetricConfig
from seatrial.config.labels import Label, LabelRow
from seatrial.config.loaded import LoadedAgent
from seatrial.config.paths import names_in, near_path
from seatrial.errors import ConfigError
from seatrial.metrics.grading import GradedMetric
from seatrial.runner.calibrate import TrialsByKey
from seatrial.runs.records import RunRecord

_LABEL_FILES = (".csv", ".tsv", ".jsonl", ".ndjson")
_HOW_TO_LABEL = "`seatrial runs export --format csv -o labels.csv` writes answers to label"
_SHOWN = 5


def no_labels(path: Path) -> ConfigError:
    """What to say of a file of labels that is not there: which of those around was meant."""
    found = [name for name in names_in(path.parent) if name.lower().endswith(_LABEL_FILES)]
    near = near_path(path, str(path), found)
    around = f"in its folder: {', '.join(sorted(found)[:_SHOWN])}" if found else _HOW_TO_LABEL
    return ConfigError(f"{path}: there is no such file of labels", hint=f"did you mean {near}?" if near else around)


def refuse_no_judges(loaded: LoadedAgent, judges: Mapping[str, MetricConfig]) -> None:
    """Raises `ConfigError` for judges whose model is none that can judge."""
    for name, judge in judges.items():
        provider = judge_provider(loaded, judge)
        if provider in NO_JUDGES:
            raise ConfigError(
                f"{name} has no judge: the provider {provider!r} is no language model",
                hint="name a judge: model: {provider: ..., name: ...} on the metric or on `evaluations`",
            )


def refuse_unanswered(
    labels: Path,
    rows: Sequence[LabelRow],
    run: RunRecord | None,
    trials: TrialsByKey,
) -> None:
    """Raises `ConfigError` for all rows whose answer should stand in a stored run and does not."""
    problems = []
    for row in rows:
        if row.output is not None or (row.case, row.variant, row.repeat) in trials:
            continue
        if run is None:
            message = f"the row names the case {row.case!r}, and no run is stored here that has its answer"
            hint = "`seatrial test` makes one; or write the answer into the column `output`"
        else:
            message = f"run {run.id} has no trial {row.repeat} of the case {row.case!r}"
            hint = "name the run whose answers were labelled with --run"
        problems.append(Diagnostic("error", "ST112", message, Place(labels, row.line), hint=hint))
    _refuse(labels, problems)


def _refuse(labels: Path, problems: Sequence[Diagnostic]) -> None:
    if problems:
        number = f"{len(problems):,} error{'' if len(problems) == 1 else 's'}"
        raise ConfigError(f"{labels} has {number}", diagnostics=problems)


def refuse_contradictions(labels: Path, rows: Sequence[LabelRow]) -> None:
    """Raises `ConfigError` for all answers that one person labelled twice, and not alike."""
    problems = []
    said: dict[object, tuple[int, Label]] = {}
    for row in rows:
        answer = (row.rater, row.case, row.variant, row.repeat, row.input, row.output, row.context)
        for name, label in row.labels.items():
            line, first = said.setdefault((name, answer), (row.line, label))
            if first != label:
                who = f"{row.rater} says" if row.rater else "one person says"
                message = (
                    f"{who} {_shown(label)} of an answer for {name}, and {_shown(first)} of the same in line {line}"
                )
                hint = "keep one of the two rows, or name the people in a column `rater`"
                problems.append(Diagnostic("error", "ST112", message, Place(labels, row.line), hint=hint))
    _refuse(labels, problems)


def _shown(label: Label) -> str:
    return ("pass" if label else "fail") if isinstance(label, bool) else f"{label:g}"


def refuse_off_scale(
    labels: Path, rows: Sequence[LabelRow], metrics: Mapping[str, GradedMetric], pass_at: float | None
) -> None:
    """Raises `ConfigError` for all labels that no number of their judge's scale could be, and such a ``pass_at``."""
    for name, metric in metrics.items():
        low, high = metric.info.scale
        if pass_at is not None and not low <= pass_at <= high:
            raise ConfigError(
                f"--pass-at {pass_at:g} is off the scale of {name}, {low:g} to {high:g}",
                hint="give the number from which people let an answer pass; --metric asks one judge at a time",
            )
    problems = []
    for row in rows:
        for name, metric in metrics.items():
            label, (low, high) = row.labels.get(name), metric.info.scale
            if label is None or isinstance(label, bool) or low <= label <= high:
                continue
            message = f"the label {label:g} is off the scale of {name}, {low:g} to {high:g}"
            hint = "write a number on that scale, or pass or fail"
            problems.append(Diagnostic("error", "ST112", message, Place(labels, row.line), hint=hint))
    _refuse(labels, problems)
