"""A baseline: what a run came to, case by case, in a small JSON file that is committed beside the agent file."""

from __future__ import annotations

import os
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from seatrial.errors import RunError
from seatrial.runs.encoding import to_json
from seatrial.runs.records import GitState, Source
from seatrial.runs.sides import CaseSide, Means, MetricFacts, Side

FILE = "baseline.json"
SCHEMA_VERSION = 1


class _Case(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    case: str
    checked: int
    passed: int
    variant: str = ""
    asks: str = ""
    require: int | None = None
    scores: dict[str, float] = {}


class _Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema_version: int
    agent: str
    run: str
    started_at: datetime
    models: tuple[str, ...]
    variants: tuple[str, ...]
    commit: str | None
    files: dict[str, str]
    means: Means
    metrics: dict[str, MetricFacts]
    cases: list[_Case]
    has_all_files: bool = False


_decoder = msgspec.json.Decoder(_Baseline)


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
    _write_whole(path, "\n".join(_lines(side, judged)) + "\n")
    return len(judged)


def read_baseline(path: Path) -> Side:
    """The baseline as one side of a comparison. Raises `RunError` for what is none."""
    try:
        found = _decoder.decode(path.read_bytes())
    except OSError as error:
        raise RunError(f"the baseline {path} cannot be read: {error.strerror or error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RunError(
            f"{path} is no baseline: {error}", hint="`seatrial test --update-baseline` writes one"
        ) from error
    if found.schema_version != SCHEMA_VERSION:
        raise RunError(
            f"{path} has the form {found.schema_version} of a baseline, this seatrial knows {SCHEMA_VERSION}",
            hint="write it anew with `seatrial test --update-baseline`",
        )
    sides = [_side(case) for case in found.cases]
    cases = {side.id: side for side in sides}
    if len(cases) < len(sides):
        raise RunError(f"{path} is no baseline: a case stands in it twice", hint="write it anew")
    return Side(
        name=path.name,
        run=found.run,
        agent=found.agent,
        started_at=found.started_at,
        variants=found.variants or ("",),
        models=found.models,
        git=None if found.commit is None else GitState(found.commit),
        sources=tuple(Source(name, digest, "") for name, digest in found.files.items()),
        has_all_files=found.has_all_files,
        cases=cases,
        metrics=found.metrics,
        means=found.means,
        is_baseline=True,
    )


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
    return _Case(case.case, case.checked, case.passed, case.variant, case.input_id, case.require, case.scores)


def _side(case: _Case) -> CaseSide:
    if not 0 <= case.passed <= case.checked:
        raise RunError(f"the baseline says that {case.passed} of {case.checked} tries of {case.case!r} passed")
    return CaseSide(
        case=case.case,
        variant=case.variant,
        input_id=case.asks,
        passed=case.passed,
        checked=case.checked,
        require=case.require,
        scores=case.scores,
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
