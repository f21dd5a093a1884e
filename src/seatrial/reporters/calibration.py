"""How far judges agree with people, in sections of plain words, and as one JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from seatrial.metrics.judge.calibration import Calibration, Estimate, JudgeReport
from seatrial.metrics.verdict import shown_number
from seatrial.reporters.json_file import whole
from seatrial.reporters.sections import Section
from seatrial.reporters.words import dollars, percent
from seatrial.stats.thresholds import RESAMPLES, Suggestion

SCHEMA_VERSION = 1
_MOST_REASONS = 3
# Landis and Koch 1977, Biometrics 33, 159-174.
_KAPPA_WORDS = ((0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"), (0.0, "slight"))


def calibration_entry(reports: list[JudgeReport]) -> dict[str, Any]:
    """The document."""
    return {"schema_version": SCHEMA_VERSION, "judges": {report.metric: _entry(report) for report in reports}}


def calibration_sections(report: JudgeReport) -> Iterator[Section]:
    """One judge, the most important first."""
    found = report.calibration
    if found is None:
        yield Section(f"{report.metric}: no verdict", list(_lost(report)))
        return
    yield Section(
        f"{report.metric}: {found.n} item{'' if found.n == 1 else 's'}",
        [*_agreement(found), *_lost(report), *found.notes],
    )
    yield _pass_or_fail(found)
    if found.levels is not None:
        yield _level_table(found.levels)
    yield Section("Bias and self-consistency", [*_bias(found), *_consistency(found)])
    yield Section("Threshold", list(_threshold(found)))
    tokens = report.usage.input_tokens + report.usage.output_tokens
    yield Section("Spent", [f"{report.usage.requests:,} requests, {tokens:,} tokens, {_cost(report)}"])


def _entry(report: JudgeReport) -> dict[str, Any]:
    found = report.calibration
    return {
        "calibration": None if found is None else _whole(found),
        "errors": report.errors,
        "skipped": report.skipped,
        "requests": report.usage.requests,
        "input_tokens": report.usage.input_tokens,
        "output_tokens": report.usage.output_tokens,
        "cost_usd": report.cost_usd,
    }


def _whole(value: Any) -> Any:
    """As `whole`, with named tuples by their names."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _whole(item) for name, item in value._asdict().items()}
    if isinstance(value, Calibration):
        return {name: _whole(getattr(value, name)) for name in value.__struct_fields__}
    return whole(value)


def _agreement(found: Calibration) -> Iterator[str]:
    if found.same is not None:
        yield f"the same level as people: {percent(found.same.value)}{_within(found.same, as_share=True)}"
    if found.kappa_quadratic is not None:
        word = _in_words(found.kappa_quadratic.value)
        yield f"quadratic kappa {found.kappa_quadratic.value:.2f}{_within(found.kappa_quadratic)}: {word}"
    if found.kappa is not None:
        yield f"plain kappa {found.kappa.value:.2f}{_within(found.kappa)}: {_in_words(found.kappa.value)}"
    if found.alpha is not None:
        yield f"Krippendorff's alpha {found.alpha:.2f} ({found.alpha_level})"
    if found.people_alpha is not None:
        yield f"people among themselves: alpha {found.people_alpha:.2f}; more cannot be asked of a judge"
    if found.surplus is not None and found.absolute_error is not None:
        side = "above" if found.surplus.value > 0 else "below"
        mean = f"{abs(found.surplus.value):.2f} {side} people" if found.surplus.value else "level with people"
        yield f"in the mean {mean}{_within(found.surplus)}; {found.absolute_error:.2f} away from them"


def _pass_or_fail(found: Calibration) -> Section:
    """People against the judge at the present pass line."""
    verdicts = found.verdicts
    rows = [
        ["people: pass", str(verdicts.both_pass), str(verdicts.false_fail)],
        ["people: fail", str(verdicts.false_pass), str(verdicts.both_fail)],
    ]
    told = []
    if found.verdict_kappa is not None:
        told.append(f"kappa of the verdicts {found.verdict_kappa:.2f}: {_in_words(found.verdict_kappa)}")
    if verdicts.false_pass:
        failed = verdicts.false_pass + verdicts.both_fail
        told.append(f"of {failed} that people let fail the judge lets {verdicts.false_pass} pass")
    title = f"Pass or fail, at {shown_number(found.pass_line)}"
    if found.human_line is not None and found.human_line != found.pass_line:
        title += f" (people at {shown_number(found.human_line)})"
    return Section(title, told, ("", "judge: pass", "judge: fail"), rows, frozenset({1, 2}))


def _level_table(levels: Mapping[str, Mapping[str, int]]) -> Section:
    names = list(levels)
    rows = [[f"people {human}", *(str(levels[human][judge] or "·") for judge in names)] for human in names]
    headings = ("", *(f"judge {name}" for name in names))
    return Section("Levels", (), headings, rows, frozenset(range(1, len(names) + 1)))


def _bias(found: Calibration) -> Iterator[str]:
    if found.length is not None:
        shorter, longer, correlation = found.length
        told = f"by length: {shorter:+.2f} against people in the shorter half, {longer:+.2f} in the longer"
        if correlation is not None:
            told += f"; rank correlation {correlation.rho:.2f}, p = {correlation.p:.3f}"
        yield told
    if found.order is not None:
        order = found.order
        yield (
            f"by position: with the material in the opposite order {order.mean.value:+.2f}{_within(order.mean)}, "
            f"{percent(order.turned_over)} of {order.n} verdicts turn over"
        )


def _consistency(found: Calibration) -> Iterator[str]:
    own = found.consistency
    if own is None:
        return
    alpha = "" if own.alpha is None else f", alpha {own.alpha:.2f}"
    same = f"{percent(own.same_number)} of {own.n} items have the same number each time"
    yield f"asked again: {same}, {percent(own.same_verdict)} the same verdict{alpha}"


def _threshold(found: Calibration) -> Iterator[str]:
    chosen = found.suggestion
    if chosen is None:
        yield "none can be suggested: it takes items that people let pass and fail, and a judge that tells them apart"
        return
    now = "" if found.verdict_kappa is None else f", {found.verdict_kappa:.2f} at the present {_line(found.pass_line)}"
    yield f"suggested: {_line(chosen.threshold)} (kappa {chosen.kappa:.2f}{now})"
    yield from _how_sure(chosen)


def _how_sure(chosen: Suggestion) -> Iterator[str]:
    low, high = chosen.interval_95
    between = f"always {_line(low)}" if low == high else f"95 % of them between {_line(low)} and {_line(high)}"
    yield (
        f"chosen as the line with the highest kappa, the stricter of equal ones; "
        f"{percent(chosen.chosen_in)} of {RESAMPLES:,} resamples choose the same, {between}"
    )
    if chosen.expected_kappa is not None:
        yield f"on items that did not choose it kappa is {chosen.expected_kappa:.2f}: that is what to expect"


def _lost(report: JudgeReport) -> Iterator[str]:
    for what, lost in (("in error", report.errors), ("skipped", report.skipped)):
        if lost:
            some = "; ".join(f"{item}: {reason}" for item, reason in list(lost.items())[:_MOST_REASONS])
            more = f" and {len(lost) - _MOST_REASONS} more" if len(lost) > _MOST_REASONS else ""
            yield f"{len(lost)} {what} and in none of the numbers: {some}{more}"


def _cost(report: JudgeReport) -> str:
    return "cost unknown" if report.cost_usd is None else dollars(report.cost_usd)


def _line(value: float) -> str:
    return shown_number(value)


def _within(estimate: Estimate, *, as_share: bool = False) -> str:
    if estimate.interval_95 is None:
        return ""
    low, high = estimate.interval_95
    ends = f"{percent(low)} to {percent(high)}" if as_share else f"{low:.2f} to {high:.2f}"
    return f" (95 % interval {ends})"


def _in_words(kappa: float) -> str:
    return next((word for least, word in _KAPPA_WORDS if kappa > least), "no better than chance")
