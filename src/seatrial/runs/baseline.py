"""A baseline: what a run came to, case by case, in a small JSON file that is committed beside the agent file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from seatrial.errors import ReportError, RunError
from seatrial.runs.encoding import to_json
from seatrial.runs.records import GitState, Source
from seatrial.runs.sides import CaseSide, Figure, Means, MetricFacts, Side

T = TypeVar("T")

FILE = "baseline.json"
SCHEMA_VERSION = 1
_WRITE_ANEW = "write it anew with `seatrial test --update-baseline`"
_MAX_TRIES = 10_000
_PROBLEMS_TOLD = 10
_TOLERANCE = 1e-9

_Tries = Annotated[int, msgspec.Meta(ge=0, le=_MAX_TRIES)]


class _Case(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    case: str
    checked: Annotated[int, msgspec.Meta(ge=1, le=_MAX_TRIES)]
    passed: _Tries
    asks: Annotated[str, msgspec.Meta(min_length=1)]
    variant: str = ""
    require: Annotated[int, msgspec.Meta(ge=1, le=_MAX_TRIES)] | None = None
    scores: dict[str, Figure] = {}
    thresholds: dict[str, Figure | None] = {}
    demands: tuple[str, ...] = ()


class _Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    agent: str
    run: str
    started_at: datetime
    models: tuple[str, ...]
    variants: tuple[str, ...]
    commit: str | None
    files: dict[str, str]
    means: Means
    metrics: dict[str, MetricFacts]
    has_all_files: bool = False


def write_baseline(side: Side, path: Path) -> int:
    """Writes the cases that have a verdict, one in a line, so that a change of one is a change of one line; how many.

    Raises `RunError` when there is none, or when the run lacks trials: what is missing would never be compared.
    """
    judged = [case for case in side.cases.values() if case.has_passed is not None]
    if not judged:
        raise RunError(f"run {side.run} has no case with a verdict", hint="a baseline needs something to compare with")
    spoiled = [case.case for case in side.cases.values() if case.unjudged]
    if side.missing or spoiled:
        told = f"{side.missing:,} trials were not made" if side.missing else f"the provider failed in {spoiled[0]!r}"
        raise RunError(f"run {side.run} is not whole: {told}", hint="finish it with `seatrial test --resume` first")
    try:
        _write_whole(path, "\n".join(_lines(side, judged)) + "\n")
    except OSError as error:
        raise ReportError(f"the baseline {path} cannot be written: {(error.strerror or str(error)).lower()}") from error
    return len(judged)


def read_baseline(path: Path) -> Side:
    """The baseline as one side of a comparison. Raises `RunError` that says everything that is wrong with it."""
    document = _document(path)
    listed = document.pop("cases", None)
    problems: list[str] = []
    head = _read(document, _Head, "", problems)
    if not isinstance(listed, list):
        problems.append("`cases` is no list" if listed is not None else "`cases` is missing")
        listed = []
    places = [f"cases[{number}]" for number in range(len(listed))]
    read = [_read(raw, _Case, place, problems) for raw, place in zip(listed, places, strict=True)]
    found = {place: case for place, case in zip(places, read, strict=True) if case is not None}
    if head is not None:
        problems += _contradictions(head, found)
    if problems or head is None:
        raise RunError(f"{path} is no baseline: {_told(problems)}", hint=_WRITE_ANEW)
    cases = {side.id: side for side in map(_side, found.values())}
    return Side(
        name=path.name,
        run=head.run,
        agent=head.agent,
        started_at=head.started_at,
        variants=head.variants or ("",),
        models=head.models,
        git=None if head.commit is None else GitState(head.commit),
        sources=tuple(Source(name, digest, "") for name, digest in head.files.items()),
        has_all_files=head.has_all_files,
        cases=cases,
        metrics=head.metrics,
        means=head.means,
        is_baseline=True,
    )


def _document(path: Path) -> dict[str, Any]:
    """The file's keys, but its version, which is the right one."""
    try:
        document = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise RunError(f"the baseline {path} cannot be read: {error.strerror or error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(f"{path} is no baseline: {error}", hint=_WRITE_ANEW) from error
    if not isinstance(document, dict) or "schema_version" not in document:
        raise RunError(f"{path} is no baseline: `schema_version` is missing", hint=_WRITE_ANEW)
    version = document.pop("schema_version")
    if version != SCHEMA_VERSION:
        raise RunError(
            f"{path} has the form {version!r} of a baseline, this seatrial knows {SCHEMA_VERSION}", hint=_WRITE_ANEW
        )
    return document


def _read(raw: Any, kind: type[T], place: str, problems: list[str]) -> T | None:
    """The value, or None and one more problem."""
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        problems.append(f"{place}: {error}" if place else str(error))
        return None


def _contradictions(head: _Head, cases: Mapping[str, _Case]) -> Iterator[str]:
    """What is wrong although each value by itself could be right."""
    seen: dict[tuple[str, str], str] = {}
    for name, facts in head.metrics.items():
        if facts.scale is not None and facts.scale[1] is not None and facts.scale[0] >= facts.scale[1]:
            yield f"metrics.{name}: the scale {facts.scale[0]:g} to {facts.scale[1]:g} is none"
    variants = head.variants or ("",)
    for place, case in cases.items():
        first = seen.setdefault((case.case, case.variant), place)
        if first != place:
            yield f"{place}: the case {case.case!r} stands in {first}, too"
        if case.passed > case.checked:
            yield f"{place}: {case.passed} of {case.checked} tries of {case.case!r} passed"
        if case.variant not in variants:
            yield f"{place}: there is no variant {case.variant!r}"
        for metric in {**case.scores, **case.thresholds}:
            if metric not in head.metrics:
                yield f"{place}: `metrics` says nothing of {metric!r}"
            elif metric in case.scores and not _is_on_scale(case.scores[metric], head.metrics[metric]):
                yield f"{place}: {case.scores[metric]:g} is off the scale of {metric}"


def _is_on_scale(value: float, facts: MetricFacts) -> bool:
    if facts.scale is None:
        return True
    low, high = facts.scale
    return low - _TOLERANCE <= value and (high is None or value <= high + _TOLERANCE)


def _told(problems: Sequence[str]) -> str:
    more = len(problems) - _PROBLEMS_TOLD
    lines = [*problems[:_PROBLEMS_TOLD], *([f"and {more:,} more"] if more > 0 else [])]
    return lines[0] if len(lines) == 1 else "".join(f"\n  {line}" for line in lines)


def _lines(side: Side, judged: list[CaseSide]) -> list[str]:
    head: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "agent": side.agent,
        "run": side.run,
        "started_at": side.started_at,
        "models": side.models,
        "variants": side.variants,
        "commit": None if side.git is None else side.git.commit,
        "files": {source.path: source.sha256 for source in side.sources},
        "has_all_files": side.has_all_files,
        "means": side.means,
        "metrics": side.metrics,
    }
    lines = [f"  {_text(key)}: {_text(value)}," for key, value in head.items()]
    cases = [f"    {_text(_kept(case))}" for case in judged]
    listed = [f"{line}," for line in cases[:-1]] + cases[-1:]
    return ["{", *lines, '  "cases": [', *listed, "  ]", "}"]


def _kept(case: CaseSide) -> _Case:
    return _Case(
        case=case.case,
        checked=case.checked,
        passed=case.passed,
        asks=case.input_id,
        variant=case.variant,
        require=case.require,
        scores=case.scores,
        thresholds=case.thresholds,
        demands=case.demands,
    )


def _side(case: _Case) -> CaseSide:
    return CaseSide(
        case=case.case,
        variant=case.variant,
        input_id=case.asks,
        passed=case.passed,
        checked=case.checked,
        require=case.require,
        scores=case.scores,
        thresholds=case.thresholds,
        demands=case.demands,
    )


def _text(value: object) -> str:
    return to_json(value).decode()


def _write_whole(path: Path, text: str) -> None:
    """Writes the file beside its place and moves it there: a baseline is never half written."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.absolute().parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        beside.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
