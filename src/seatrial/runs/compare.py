"""Two sides compared case by case: what got better, what got worse, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal, NamedTuple

import msgspec

from seatrial.errors import RunError
from seatrial.runs.changes import Changes, changes_between
from seatrial.runs.demands import eased
from seatrial.runs.difference import Difference, Verdict, adjusted, of_shares, of_single_tries, of_values
from seatrial.runs.sides import CaseId, CaseSide, MetricFacts, Side
from seatrial.stats.intervals import Interval, Scale, t_interval
from seatrial.stats.paired import fisher_exact, holm

Taken = Literal["duration_s", "tokens", "cost_usd"]

BASE = "base"
_TAKEN: tuple[Taken, ...] = ("duration_s", "tokens", "cost_usd")


class RateDifference(msgspec.Struct, frozen=True):
    """Pass rates: shares of passed tries, in the mean over cases. ``only_before`` and ``only_after`` count the cases
    that only that side passed.
    """

    found: Difference
    only_before: int
    only_after: int


class MetricDifference(msgspec.Struct, frozen=True):
    """One metric. ``unpaired`` counts the compared cases that only the first side has a value for."""

    metric: str
    facts: MetricFacts
    found: Difference
    unpaired: int = 0


class CaseDifference(msgspec.Struct, frozen=True):
    """One case on both sides. ``verdict`` is whether it passes where it did not, or the reverse; ``p`` is Fisher's
    exact test of the tries, None where each side has one.
    """

    case: str
    variant: str
    verdict: Verdict
    before: CaseSide
    after: CaseSide
    p: float | None = None


class TakenDifference(msgspec.Struct, frozen=True):
    """What a try took: seconds, tokens or dollars. ``n`` is 0 where only the means of all tries are known."""

    what: Taken
    before: float
    after: float
    n: int = 0
    interval_95: Interval | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that was found. Cases that cannot be compared are named in one list each, with the reason in its name.

    ``lost`` had a verdict before and have none now; ``spoiled`` are those of them that the outside world is to blame
    for. ``eased`` says, in words, what asks for less than before.
    """

    before: Side
    after: Side
    verdict: Verdict
    rate: RateDifference
    metrics: Sequence[MetricDifference]
    cases: Sequence[CaseDifference]
    taken: Sequence[TakenDifference]
    changes: Changes
    only_before: Sequence[str] = ()
    only_after: Sequence[str] = ()
    other_input: Sequence[str] = ()
    lost: Sequence[str] = ()
    spoiled: Sequence[str] = ()
    gained: Sequence[str] = ()
    metrics_lost: Sequence[str] = ()
    eased: Sequence[str] = ()

    @property
    def worse(self) -> list[CaseDifference]:
        """The cases that passed and do not any more."""
        return [case for case in self.cases if case.verdict == "worse"]

    @property
    def better(self) -> list[CaseDifference]:
        """The cases that pass now."""
        return [case for case in self.cases if case.verdict == "better"]


class _Sorted(NamedTuple):
    """The cases of both sides, by what can be made of them."""

    pairs: list[tuple[CaseSide, CaseSide]]
    only_before: list[str]
    only_after: list[str]
    other_input: list[str]
    lost: list[str]
    spoiled: list[str]
    gained: list[str]


def compare(before: Side, after: Side) -> Comparison:
    """The second side measured against the first. Raises `RunError` when no case has a verdict on both."""
    before, after = _aligned(before, after)
    found = _sorted(before.cases, after.cases)
    if not found.pairs:
        raise RunError(f"{before.name} and {after.name} have no case in common that both judged", hint=_why_none(found))
    rate = _rate(found.pairs)
    metrics = _metrics(before, after, found.pairs)
    measured_now = {metric for case in after.cases.values() for metric in case.scores}
    measured = {metric for case in before.cases.values() for metric in case.scores}
    return Comparison(
        before=before,
        after=after,
        verdict=_overall(rate.found.verdict, [metric.found.verdict for metric in metrics]),
        rate=rate,
        metrics=metrics,
        cases=[_case(one, other) for one, other in found.pairs],
        taken=list(_taken(before, after, found.pairs)),
        changes=changes_between(before.sources, after.sources, are_whole=before.has_all_files and after.has_all_files),
        only_before=found.only_before,
        only_after=found.only_after,
        other_input=found.other_input,
        lost=found.lost,
        spoiled=found.spoiled,
        gained=found.gained,
        metrics_lost=sorted(name for name in measured - measured_now if before.metrics[name].threshold is not None),
        eased=eased(before, after, found.pairs),
    )


def _overall(rate: Verdict, metrics: Sequence[Verdict]) -> Verdict:
    """The pass rate leads; where it gives no evidence the metrics do, a worse one before a better one."""
    if rate != "no evidence":
        return rate
    if "worse" in metrics:
        return "worse"
    return "better" if "better" in metrics else "no evidence"


def _aligned(before: Side, after: Side) -> tuple[Side, Side]:
    """Both sides with the same names for the same variants; a single one on each side is the same one.

    Raises `RunError` when no variant is on both.
    """
    if len(before.variants) == 1 and len(after.variants) == 1:
        return _renamed(before, {before.variants[0]: ""}), _renamed(after, {after.variants[0]: ""})
    before = _renamed(before, {"": BASE}) if BASE in after.variants else before
    after = _renamed(after, {"": BASE}) if BASE in before.variants else after
    if not set(before.variants) & set(after.variants):
        told = " and ".join(f"{side.name} has {', '.join(side.variants)}" for side in (before, after))
        raise RunError(f"the runs have no variant in common: {told}", hint="compare runs of the same variants")
    return before, after


def _renamed(side: Side, names: Mapping[str, str]) -> Side:
    if all(names.get(variant, variant) == variant for variant in side.variants):
        return side
    cases = [
        msgspec.structs.replace(case, variant=names.get(case.variant, case.variant)) for case in side.cases.values()
    ]
    variants = tuple(names.get(variant, variant) for variant in side.variants)
    return replace(side, variants=variants, cases={case.id: case for case in cases})


def _sorted(before: Mapping[CaseId, CaseSide], after: Mapping[CaseId, CaseSide]) -> _Sorted:
    found = _Sorted([], [], [case.title for key, case in after.items() if key not in before], [], [], [], [])
    for key, one in before.items():
        other = after.get(key)
        title = one.title
        if other is None:
            found.only_before.append(title)
        elif one.input_id and other.input_id and one.input_id != other.input_id:
            found.other_input.append(title)
        elif one.has_passed is None and other.has_passed is None:
            continue
        elif one.has_passed is None:
            found.gained.append(title)
        elif other.has_passed is None:
            (found.spoiled if other.unjudged else found.lost).append(title)
        else:
            found.pairs.append((one, other))
    return found


def _why_none(found: _Sorted) -> str:
    if found.other_input:
        return f"cases of the same name ask something else now: {', '.join(found.other_input[:3])}"
    if found.spoiled:
        return "the provider failed in every case: run it again"
    return "cases are known by their names: keep them, and run both sides with the same selection"


def _rate(pairs: Sequence[tuple[CaseSide, CaseSide]]) -> RateDifference:
    by_case = _by_case(pairs)
    is_single = len(by_case) == len(pairs) and all(side.checked == 1 for pair in pairs for side in pair)
    shares = [(_share(before), _share(after)) for before, after in by_case]
    lost = sum(one > other for one, other in shares)
    won = sum(other > one for one, other in shares)
    return RateDifference(of_single_tries(shares) if is_single else of_shares(shares), lost, won)


def _by_case(pairs: Sequence[tuple[CaseSide, CaseSide]]) -> list[tuple[list[CaseSide], list[CaseSide]]]:
    """The variants of a case together: they are no independent cases."""
    together: dict[str, tuple[list[CaseSide], list[CaseSide]]] = {}
    for one, other in pairs:
        before, after = together.setdefault(one.case, ([], []))
        before.append(one)
        after.append(other)
    return list(together.values())


def _share(sides: Sequence[CaseSide]) -> float:
    if len(sides) == 1:
        return sides[0].passed / sides[0].checked
    return sum(side.passed for side in sides) / sum(side.checked for side in sides)


def _metrics(before: Side, after: Side, pairs: Sequence[tuple[CaseSide, CaseSide]]) -> list[MetricDifference]:
    found = [
        difference
        for name, facts in before.metrics.items()
        if name in after.metrics and (difference := _metric(name, facts, pairs)) is not None
    ]
    p_values = holm([metric.found.p for metric in found])
    return [
        msgspec.structs.replace(metric, found=adjusted(metric.found, p, is_lower_better=metric.facts.is_lower_better))
        for metric, p in zip(found, p_values, strict=True)
    ]


def _metric(name: str, facts: MetricFacts, pairs: Sequence[tuple[CaseSide, CaseSide]]) -> MetricDifference | None:
    values: dict[str, list[tuple[float, float]]] = {}
    unpaired = 0
    for one, other in pairs:
        old, new = one.scores.get(name), other.scores.get(name)
        if old is None:
            continue
        if new is None:
            unpaired += 1
            continue
        values.setdefault(one.case, []).append((old, new))
    if not values:
        return None
    means = [found[0] if len(found) == 1 else _means_of(found) for found in values.values()]
    found = of_values(means, is_lower_better=facts.is_lower_better, scale=_scale(facts))
    return MetricDifference(name, facts, found, unpaired)


def _means_of(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return fmean(before for before, _ in pairs), fmean(after for _, after in pairs)


def _scale(facts: MetricFacts) -> Scale:
    if facts.scale is None or facts.scale[1] is None:
        return float("-inf"), float("inf")
    return facts.scale[0], facts.scale[1]


def _case(before: CaseSide, after: CaseSide) -> CaseDifference:
    verdict: Verdict = "no evidence"
    if before.has_passed != after.has_passed:
        verdict = "better" if after.has_passed else "worse"
    p = None
    if before.checked > 1 or after.checked > 1:
        p = fisher_exact(before.passed, before.checked, after.passed, after.checked)
    return CaseDifference(before.case, before.variant, verdict, before, after, p)


def _taken(before: Side, after: Side, pairs: Sequence[tuple[CaseSide, CaseSide]]) -> Iterator[TakenDifference]:
    """By case where both sides know it, else from the means of all tries."""
    for what in _TAKEN:
        values = [(getattr(one.means, what), getattr(other.means, what)) for one, other in pairs]
        known = [(one, other) for one, other in values if one is not None and other is not None]
        if known:
            differences = [other - one for one, other in known]
            interval = t_interval(differences) if len(set(differences)) > 1 else None
            means = fmean(one for one, _ in known), fmean(other for _, other in known)
            yield TakenDifference(what, *means, len(known), interval)
            continue
        old, new = getattr(before.means, what), getattr(after.means, what)
        if old is not None and new is not None:
            yield TakenDifference(what, old, new)
