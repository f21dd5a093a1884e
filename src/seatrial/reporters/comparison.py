"""What a comparison tells, section by section, in plain words; how it looks is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from seatrial.metrics.verdict import shown_number
from seatrial.reporters.comparison_changes import change_lines
from seatrial.reporters.sections import Section
from seatrial.reporters.words import dollars, percent, seconds
from seatrial.runs.compare import CaseDifference, Comparison, MetricDifference, Taken, TakenDifference
from seatrial.runs.difference import LEVEL, Difference
from seatrial.runs.sides import CaseSide, Side
from seatrial.stats.intervals import Interval

MOST_CASES = 20
_MOST_NAMES = 10
_SHORT_S = 0.1
_WORDS: dict[Taken, str] = {"duration_s": "time", "tokens": "tokens", "cost_usd": "cost"}
MARKS = {"better": "BETTER", "worse": "WORSE", "no evidence": "NO EVIDENCE"}


def headline(found: Comparison) -> str:
    """The verdict in one sentence, without its mark."""
    rate = found.rate.found
    changed = f"{_cases(len(found.worse))} worse, {len(found.better):,} better"
    passed = f"{percent(rate.before)} → {percent(rate.after)} passed of {_cases(rate.n)}"
    return f"{_versus(found)}: {passed} ({_points(rate.difference)}{_reach(rate)}; {_test(rate)}); {changed}"


def sections(found: Comparison) -> Iterator[Section]:
    """Everything behind the headline, the most important first; only what there is to say."""
    yield Section("", list(_sure(found)))
    yield from _case_section("Worse", found.worse)
    yield from _case_section("Better", found.better)
    if found.metrics:
        yield _metric_section(found)
    if found.taken:
        yield _taken_section(found.taken)
    lists = list(_lists(found))
    if lists:
        yield Section("Not compared", lists)
    yield Section("What changed", list(change_lines(found)))


def side_line(side: Side) -> str:
    """A side in one line: what it is, its models, when, at which commit."""
    commit = "" if side.git is None else f"commit {side.git.commit[:10]}{' with changes' if side.git.is_dirty else ''}"
    name = f"{side.name} (run {side.run})" if side.is_baseline else f"run {side.name}"
    parts = [name, side.agent, ", ".join(side.models), f"{side.started_at.astimezone():%Y-%m-%d %H:%M}", commit]
    return " · ".join(part for part in parts if part)


def _versus(found: Comparison) -> str:
    if found.verdict == "no evidence":
        return f"of a difference between {found.before.name} and {found.after.name}"
    return f"{found.after.name} than {found.before.name}"


def _sure(found: Comparison) -> Iterator[str]:
    """How sure the verdict is, and what stands in its way."""
    rate = found.rate.found
    if found.verdict != rate.verdict:
        decisive = [metric.metric for metric in found.metrics if metric.found.verdict == found.verdict]
        yield f"the pass rate gives no evidence; {', '.join(decisive)} does"
    if rate.verdict == "no evidence":
        yield _power(rate)
    if found.before.agent != found.after.agent:
        yield f"these are two agents: {found.before.agent} and {found.after.agent}"
    if found.changes.touches_measure:
        yield "the cases or the metrics changed too (see What changed): both sides were not measured in the same way"
    for side in (found.before, found.after):
        if side.missing:
            yield f"{side.name} is not whole: {side.missing:,} planned trials were not made"
    flaky = [case for case in found.cases if case.before.is_flaky or case.after.is_flaky]
    if flaky:
        yield f"flaky: {_names([f'{case.after.title} {_tries(case)}' for case in flaky])}"


def _power(rate: Difference) -> str:
    if rate.smallest_detectable is None:
        return f"with {_cases(rate.n)}, no difference could have been told from chance"
    smallest = f"{rate.smallest_detectable * 100:.1f}"
    return f"a difference of {smallest} points or more would have been found in {_cases(rate.n)} (with 80 % power)"


def _case_section(title: str, cases: Sequence[CaseDifference]) -> Iterator[Section]:
    if not cases:
        return
    rows = [[case.after.title, _tries(case), _case_scores(case)] for case in islice(cases, MOST_CASES)]
    more = len(cases) - MOST_CASES
    yield Section(
        f"{title}: {_cases(len(cases))}",
        [f"and {more:,} more"] if more > 0 else (),
        ("case", "passed", "scores that changed"),
        rows,
    )


def _tries(case: CaseDifference) -> str:
    shown = f"{_of(case.before)} → {_of(case.after)}"
    return shown if case.p is None else f"{shown}, p = {_p(case.p)}"


def _of(side: CaseSide) -> str:
    if side.checked == 1:
        return "yes" if side.passed else "no"
    return f"{side.passed}/{side.checked}"


def _case_scores(case: CaseDifference) -> str:
    told = []
    for name, before in case.before.scores.items():
        after = case.after.scores.get(name)
        if after is None:
            told.append(f"{name} {shown_number(before)} → no score")
        elif after != before:
            told.append(f"{name} {shown_number(before)} → {shown_number(after)}")
    return ", ".join(told)


def _metric_section(found: Comparison) -> Section:
    rows = [_metric_row(metric) for metric in found.metrics]
    count = len(found.metrics)
    note = f"p-values are Holm's, for {count} metrics; evidence is p < {LEVEL:g}" if count > 1 else ""
    headings = ("metric", "before", "after", "difference", "95 % interval", "p", "cases", "verdict")
    return Section("Metrics", [note] if note else (), headings, rows, frozenset({1, 2, 3, 4, 5, 6}))


def _metric_row(metric: MetricDifference) -> list[str]:
    found = metric.found
    title = f"{metric.metric} (lower is better)" if metric.facts.is_lower_better else metric.metric
    numbers = [shown_number(found.before), shown_number(found.after), f"{_signed(found.difference)}"]
    interval = "–" if found.interval_95 is None else _range(found.interval_95, 1)
    cases = f"{found.n:,}" + (f" (and {metric.unpaired:,} without a score now)" if metric.unpaired else "")
    verdict: str = found.verdict
    if found.verdict == "no evidence" and found.smallest_detectable is not None:
        verdict = f"no evidence (would have found {shown_number(found.smallest_detectable, 2)})"
    return [title, *numbers, interval, _p(found.p_adjusted), cases, verdict]


def _taken_section(taken: Sequence[TakenDifference]) -> Section:
    rows = [_taken_row(each) for each in taken]
    headings = ("per try", "before", "after", "change", "95 % interval of the difference", "cases")
    return Section("Time, tokens and cost", (), headings, rows, frozenset({1, 2, 3, 4, 5}))


def _taken_row(taken: TakenDifference) -> list[str]:
    interval = "–"
    if taken.interval_95 is not None and taken.n > 1:
        low, high = taken.interval_95
        interval = f"{_amount(taken.what, low)} to {_amount(taken.what, high)}"
    change = "–" if not taken.before else f"{_signed((taken.after / taken.before - 1) * 100, 0)} %"
    cases = f"{taken.n:,}" if taken.n else "all tries"
    before, after = (_amount(taken.what, value) for value in (taken.before, taken.after))
    return [_WORDS[taken.what], before, after, change, interval, cases]


def _amount(what: Taken, value: float) -> str:
    sign = "−" if value < 0 else ""
    match what:
        case "duration_s":
            return sign + (f"{abs(value) * 1000:.1f} ms" if abs(value) < _SHORT_S else seconds(abs(value)))
        case "tokens":
            return f"{sign}{abs(value):,.0f}"
        case "cost_usd":
            return sign + dollars(abs(value))


def _lists(found: Comparison) -> Iterator[str]:
    for told, names in (
        (f"only in {found.before.name}", found.only_before),
        (f"only in {found.after.name}", found.only_after),
        ("of this name, but asking something else now", found.other_input),
        ("judged before, without a verdict now", found.lost),
        ("spoiled by the provider now", found.spoiled),
        ("judged now, without a verdict before", found.gained),
        ("metrics measured before and nowhere now", found.metrics_lost),
        ("asking for less, or something else", found.eased),
    ):
        if names:
            yield f"{told}: {_names(names)}"


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _test(found: Difference) -> str:
    return f"{found.test} p = {_p(found.p)}"


def _p(p: float) -> str:
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.4f}".rstrip("0").rstrip(".") if p < 0.1 else f"{p:.2f}".rstrip("0").rstrip(".")


def _points(difference: float) -> str:
    return f"{_signed(difference * 100, 1)} points"


def _reach(rate: Difference) -> str:
    return "" if rate.interval_95 is None else f", 95 % interval {_range(rate.interval_95, 100)}"


def _range(interval: Interval, factor: int) -> str:
    digits = 1 if factor == 100 else 3
    return f"{_signed(interval.low * factor, digits)} to {_signed(interval.high * factor, digits)}"


def _signed(value: float, digits: int = 4) -> str:
    text = shown_number(abs(value), digits)
    return text if text == "0" else f"{'−' if value < 0 else '+'}{text}"


def _cases(count: int) -> str:
    return f"{count:,} case{'' if count == 1 else 's'}"
