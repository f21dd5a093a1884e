"""How far a judge agrees with people, and with itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal, NamedTuple

import msgspec

from seatrial.core.usage import UsageTotal
from seatrial.metrics.verdict import is_good_enough
from seatrial.stats.agreement import Level, cohen_kappa, krippendorff_alpha
from seatrial.stats.correlation import Correlation, spearman
from seatrial.stats.intervals import Interval, bootstrap_interval, t_interval, wilson
from seatrial.stats.thresholds import Suggestion, suggest_threshold, verdict_kappa

_MOST_LEVELS = 11
_RESAMPLES = 1000
_FEW = 30

Label = float | bool
LabelKind = Literal["numbers", "verdicts"]


class Judged(msgspec.Struct, frozen=True):
    """One item: what people said, what the judge says, again and again, and with the material turned round.

    ``length`` is that of the answer in characters. ``again`` and ``turned`` hold only readable verdicts.
    """

    name: str
    labels: tuple[Label, ...]
    value: float
    length: int
    again: tuple[float, ...] = ()
    turned: float | None = None


class Estimate(NamedTuple):
    """A number and its 95 % interval, where there is one."""

    value: float
    interval_95: Interval | None


class Verdicts(NamedTuple):
    """Items by what people and the judge make of them: whether they pass."""

    both_pass: int
    false_pass: int
    false_fail: int
    both_fail: int

    @property
    def n(self) -> int:
        """All items."""
        return sum(self)


class Shift(NamedTuple):
    """How a change that should not matter moves a judge: the mean change, and the share of verdicts that turn over."""

    n: int
    mean: Estimate
    turned_over: float


class LengthBias(NamedTuple):
    """The judge's surplus over people in the shorter and in the longer half, and its correlation with length."""

    shorter: float
    longer: float
    correlation: Correlation | None


class Consistency(NamedTuple):
    """Over items that were judged several times: how often all verdicts were the same number, and on one side of the
    pass line; Krippendorff's alpha of the numbers.
    """

    n: int
    same_number: float
    same_verdict: float
    alpha: float | None


class Calibration(msgspec.Struct, frozen=True):
    """One judge against people. What needs numbers from people is None where they gave verdicts (pass or fail).

    ``pass_line`` is the threshold for the judge, ``human_line`` that for people's numbers. ``levels`` is the confusion
    table, people's level first; None where the scale is continuous.
    """

    n: int
    kind: LabelKind
    pass_line: float
    human_line: float | None
    verdicts: Verdicts
    verdict_kappa: float | None
    same: Estimate | None = None
    surplus: Estimate | None = None
    absolute_error: float | None = None
    kappa: Estimate | None = None
    kappa_quadratic: Estimate | None = None
    alpha: float | None = None
    alpha_level: Level | None = None
    people_alpha: float | None = None
    levels: dict[str, dict[str, int]] | None = None
    length: LengthBias | None = None
    order: Shift | None = None
    consistency: Consistency | None = None
    suggestion: Suggestion | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """What came of one judge. ``errors`` and ``skipped`` are items without a verdict, each with its reason."""

    metric: str
    calibration: Calibration | None
    errors: Mapping[str, str]
    skipped: Mapping[str, str]
    usage: UsageTotal
    cost_usd: float | None


class Scaled(NamedTuple):
    """What is known of the judge's scale."""

    scale: tuple[float, float]
    pass_line: float
    human_line: float
    is_lower_better: bool = False


def calibrate(items: Sequence[Judged], scaled: Scaled) -> Calibration:
    """Everything that these items say of a judge; at least one is needed."""
    kind: LabelKind = (
        "verdicts" if any(isinstance(label, bool) for item in items for label in item.labels) else "numbers"
    )
    people = [_people_pass(item, scaled) for item in items]
    judge = [_passes(item.value, scaled.pass_line, scaled) for item in items]
    signed = [
        (-item.value if scaled.is_lower_better else item.value, good) for item, good in zip(items, people, strict=True)
    ]
    line = -scaled.pass_line if scaled.is_lower_better else scaled.pass_line
    found = Calibration(
        n=len(items),
        kind=kind,
        pass_line=scaled.pass_line,
        human_line=scaled.human_line if kind == "numbers" else None,
        verdicts=_verdicts(people, judge),
        verdict_kappa=verdict_kappa(signed, line),
        order=_shift(items, scaled),
        consistency=_consistency(items, scaled),
        suggestion=suggest_threshold([item.value for item in items], people, is_lower_better=scaled.is_lower_better),
        people_alpha=_people_alpha(items),
        notes=tuple(_notes(items, people)),
    )
    return msgspec.structs.replace(found, **_of_numbers(items, scaled)) if kind == "numbers" else found


def _of_numbers(items: Sequence[Judged], scaled: Scaled) -> dict[str, object]:
    pairs = [(_human_value(item), item.value) for item in items]
    errors = [judge - human for human, judge in pairs]
    has_levels = _has_levels(pairs, scaled.scale)
    level: Level = "ordinal" if has_levels else "interval"
    found: dict[str, object] = {
        "surplus": Estimate(fmean(errors), t_interval(errors) if len(set(errors)) > 1 else None),
        "absolute_error": fmean(map(abs, errors)),
        "alpha": krippendorff_alpha(pairs, level),
        "alpha_level": level,
        "length": _length_bias(items, errors),
    }
    if has_levels:
        same = sum(human == judge for human, judge in pairs)
        found |= {
            "same": Estimate(same / len(pairs), wilson(same, len(pairs))),
            "kappa": _kappa(pairs, is_quadratic=False),
            "kappa_quadratic": _kappa(pairs, is_quadratic=True),
            "levels": _levels(pairs, scaled.scale),
        }
    return found


def _kappa(pairs: Sequence[tuple[float, float]], *, is_quadratic: bool) -> Estimate | None:
    def of(places: Sequence[float]) -> float:
        chosen = [pairs[int(place)] for place in places]
        kappa = cohen_kappa([one for one, _ in chosen], [other for _, other in chosen], is_quadratic=is_quadratic)
        return 1.0 if kappa is None else kappa

    value = cohen_kappa([one for one, _ in pairs], [other for _, other in pairs], is_quadratic=is_quadratic)
    if value is None:
        return None
    return Estimate(value, bootstrap_interval(range(len(pairs)), statistic=of, resamples=_RESAMPLES))


def _has_levels(pairs: Sequence[tuple[float, float]], scale: tuple[float, float]) -> bool:
    low, high = scale
    is_short = high - low < _MOST_LEVELS
    return is_short and all(value == int(value) for pair in pairs for value in pair) and high - low >= 1


def _levels(pairs: Sequence[tuple[float, float]], scale: tuple[float, float]) -> dict[str, dict[str, int]]:
    counts = Counter((int(human), int(judge)) for human, judge in pairs)
    levels = range(int(scale[0]), int(scale[1]) + 1)
    return {str(human): {str(judge): counts[human, judge] for judge in levels} for human in levels}


def _verdicts(people: Sequence[bool], judge: Sequence[bool]) -> Verdicts:
    counts = Counter(zip(people, judge, strict=True))
    return Verdicts(counts[True, True], counts[False, True], counts[True, False], counts[False, False])


def _people_pass(item: Judged, scaled: Scaled) -> bool:
    """What most people say; the worse of two sides that are equally strong."""
    if any(isinstance(label, bool) for label in item.labels):
        verdicts = [
            label if isinstance(label, bool) else _passes(label, scaled.human_line, scaled) for label in item.labels
        ]
        return sum(verdicts) * 2 > len(verdicts)
    return _passes(_human_value(item), scaled.human_line, scaled)


def _human_value(item: Judged) -> float:
    """The median, of two middle ones the lower: people's levels stay levels."""
    ordered = sorted(float(label) for label in item.labels)
    return ordered[(len(ordered) - 1) // 2]


def _passes(value: float, line: float, scaled: Scaled) -> bool:
    return is_good_enough(value, line, is_lower_better=scaled.is_lower_better)


def _length_bias(items: Sequence[Judged], errors: Sequence[float]) -> LengthBias | None:
    middle = median(item.length for item in items)
    pairs = list(zip(items, errors, strict=True))
    shorter = [error for item, error in pairs if item.length <= middle]
    longer = [error for item, error in pairs if item.length > middle]
    if not shorter or not longer:
        return None
    return LengthBias(fmean(shorter), fmean(longer), spearman([item.length for item in items], errors))


def _shift(items: Sequence[Judged], scaled: Scaled) -> Shift | None:
    pairs = [(item.value, item.turned) for item in items if item.turned is not None]
    if not pairs:
        return None
    moves = [turned - value for value, turned in pairs]
    over = [_passes(a, scaled.pass_line, scaled) != _passes(b, scaled.pass_line, scaled) for a, b in pairs]
    return Shift(len(pairs), Estimate(fmean(moves), t_interval(moves) if len(set(moves)) > 1 else None), fmean(over))


def _consistency(items: Sequence[Judged], scaled: Scaled) -> Consistency | None:
    several = [(item.value, *item.again) for item in items if item.again]
    if not several:
        return None
    return Consistency(
        n=len(several),
        same_number=_share(several, lambda values: len(set(values)) == 1),
        same_verdict=_share(several, lambda values: len({_passes(v, scaled.pass_line, scaled) for v in values}) == 1),
        alpha=krippendorff_alpha(several, "interval"),
    )


def _share(several: Sequence[tuple[float, ...]], holds: Callable[[tuple[float, ...]], bool]) -> float:
    return sum(map(holds, several)) / len(several)


def _people_alpha(items: Sequence[Judged]) -> float | None:
    """Agreement among people: no judge can be asked for more."""
    if all(len(item.labels) < 2 for item in items):
        return None
    return krippendorff_alpha([[float(label) for label in item.labels] for item in items], "interval")


def _notes(items: Sequence[Judged], people: Sequence[bool]) -> list[str]:
    told = []
    if len(items) < _FEW:
        told.append(f"{len(items)} labelled items tell little; {_FEW} or more make the numbers usable")
    if len(set(people)) == 1:
        verdict = "pass" if people[0] else "fail"
        told.append(f"people let every item {verdict}: no threshold can be found, label some that do not")
    if len({item.value for item in items}) == 1:
        told.append(f"the judge gave every item {items[0].value:g}: it tells nothing apart")
    return told
