"""Numbers and verdicts in the words of all reports."""

from __future__ import annotations

from collections.abc import Iterator

from seatrial.metrics.base import Score
from seatrial.metrics.totals import Total
from seatrial.metrics.verdict import shown_number
from seatrial.reporters.plain import one_line
from seatrial.reporters.report import Rate, Report
from seatrial.runs.encoding import to_json
from seatrial.runs.records import ExpectedCall, Tally, TrialRecord
from seatrial.runs.verdict import INTERRUPTED, is_cut_short

_NAMES = 10
_WARNING_WIDTH = 300

MARKS = {0: "PASSED", 1: "FAILED", 2: "UNCHECKED", 3: "ERRORED", 130: "INTERRUPTED"}
STOPPED = "STOPPED"
UNFINISHED = "UNFINISHED"

STOPPED_BY = {
    INTERRUPTED: "interrupted",
    "fail_fast": "stopped at the first failure (--fail-fast)",
    "fail_on_error": "stopped by a metric that must not fail (fail_on_error)",
    "max_time": "stopped by the time limit (--max-time)",
    "max_cost": "stopped by the money budget (--max-cost)",
    "max_tokens": "stopped by the token budget (--max-tokens)",
    "unknown_cost": "stopped: the provider did not say what a trial cost, so that --max-cost cannot be kept",
}


def seconds(duration_s: float) -> str:
    """A duration: ``0.42 s``, ``7.1 s``, ``3 min 20 s``, ``2 h 05 min``."""
    if duration_s < 59.95:
        return f"{duration_s:.2f} s" if duration_s < 0.995 else f"{duration_s:.1f} s"
    minutes, rest = divmod(round(duration_s), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def dollars(cost_usd: float | None) -> str:
    """An amount with enough digits to be no zero; ``unknown`` is never 0."""
    if cost_usd is None:
        return "unknown"
    if cost_usd and cost_usd < 0.01:
        return f"${cost_usd:.2g}" if cost_usd >= 0.0001 else "<$0.0001"
    return f"${cost_usd:,.2f}" if cost_usd >= 1 or not cost_usd else f"${cost_usd:.3f}"


def total_cost(tally: Tally) -> str:
    """What a run cost, as far as it is known."""
    if not tally.unknown_costs:
        return dollars(tally.cost_usd)
    if not tally.cost_usd:
        return "cost unknown"
    return f"{dollars(tally.cost_usd)} and {tally.unknown_costs} at an unknown price"


def judges(report: Report) -> str:
    """What of the tokens and the money judges spent; empty where none was asked."""
    usage, cost_usd = report.judges
    if not usage.requests:
        return ""
    cost = "cost unknown" if cost_usd is None else dollars(cost_usd)
    return f"judges {usage.input_tokens + usage.output_tokens:,} tokens of them, {cost}"


def percent(share: float) -> str:
    """A share in whole per cent, with a decimal near the ends: only all is 100 %, only nothing is 0 %."""
    exact = share * 100
    if exact in (0, 100) or 0 < round(exact) < 100:
        return f"{round(exact)} %"
    return f"{min(max(round(exact, 1), 0.1), 99.9)} %"


def pass_rate(rate: Rate | None, unit: str = "") -> str:
    """A pass rate with how sure it is: ``7 of 10 passed (70 %, 95 % interval 40 % to 89 %)``.

    Where cases were tried several times it is said that the interval is one over cases.
    """
    if rate is None:
        return "nothing was checked"
    interval = f"95 % interval {percent(rate.interval.low)} to {percent(rate.interval.high)}"
    if rate.cases < rate.checked:
        interval += f" over {rate.cases:,} case{'' if rate.cases == 1 else 's'}"
    share = percent(rate.passed / rate.checked)
    return f"{rate.passed:,} of {rate.checked:,}{unit} passed ({share}, {interval})"


def other_outcomes(tally: Tally) -> str:
    """What did not pass, by outcome: ``2 failed, 1 errored``; empty when there is nothing."""
    counts = (
        (tally.failed, "failed"),
        (tally.errored, "errored"),
        (tally.unchecked, "unchecked"),
        (tally.not_run, "not run"),
    )
    return ", ".join(f"{count:,} {word}" for count, word in counts if count)


def in_words(outcome: str) -> str:
    """An outcome as people read it: ``not run``."""
    return outcome.replace("_", " ")


def repeats(report: Report) -> list[str]:
    """What several tries of each case say together, in sentences; nothing when there was one of each."""
    found = report.repeats
    if found is None:
        return []
    chances = f"pass@{found.k} {percent(found.pass_at_k)}, pass^{found.k} {percent(found.pass_hat_k)}"
    told = [f"{found.met:,} of {found.cases:,} cases passed as often as they must; {chances}"]
    if found.flaky:
        names = [f"{one_line(case.case)} {case.passed}/{case.checked}" for case in found.flaky[:_NAMES]]
        more = f" and {len(found.flaky) - _NAMES:,} more" if len(found.flaky) > _NAMES else ""
        told.append(f"flaky: {', '.join(names)}{more}")
    return told


def verdict(report: Report) -> str:
    """The run in one sentence."""
    others = other_outcomes(report.tally)
    if report.rate is None:
        told = [f"nothing was checked: {others or 'no trial was run'}"]
    else:
        told = [pass_rate(report.rate, " tries" if report.repeats is not None else ""), others]
    missing = report.run.planned - report.tally.total
    if missing > 0:
        told.insert(0, f"{missing:,} of {report.run.planned:,} trials were not made")
    return "; ".join(part for part in (*told, *_metrics_without_score(report)) if part)


def _metrics_without_score(report: Report) -> Iterator[str]:
    for outcome, told in (("skipped", "skipped"), ("error", "in error")):
        count = sum(found.outcome == outcome for found in report.unmeasured)
        if count:
            yield f"{count:,} metric{'' if count == 1 else 's'} {told}"


def unmeasured(report: Report) -> list[str]:
    """The metrics that gave no score although the case has a verdict, in sentences; nothing when all did."""
    verbs = {"skipped": "was skipped", "error": "gave an error"}
    return [
        f"{one_line(found.metric)} {verbs.get(found.outcome, found.outcome)} in {found.trials:,} "
        f"trial{'' if found.trials == 1 else 's'}: {one_line(found.reason) or found.outcome}"
        for found in report.unmeasured
    ]


def sentences(report: Report) -> list[str]:
    """What stands below the verdict, where there is more to say than one sentence holds."""
    found = (by_variant, totals, judges_agree, repeats, unmeasured, warnings)
    return [sentence for part in found for sentence in part(report)]


def warnings(report: Report) -> list[str]:
    """What people should know of trials besides their verdicts, in sentences, the most frequent first."""
    told = [
        f"warning in {count:,} trial{'' if count == 1 else 's'}: {one_line(text, _WARNING_WIDTH)}"
        for text, count in report.warned.most_common(_NAMES)
    ]
    left = len(report.warned) - len(told)
    return [*told, f"and {left:,} other warnings"] if left else told


def judges_agree(report: Report) -> list[str]:
    """How far the draws of judges that were asked several times agree, in sentences."""
    return [
        f"{one_line(metric.metric)}: its draws agree with an alpha of {metric.draws_alpha:.2f}"
        for metric in report.metrics
        if metric.draws_alpha is not None
    ]


def totals(report: Report) -> list[str]:
    """The weighted total of all metrics and of each group, in sentences; nothing where the file asks for none."""
    return [_total(total) for total in report.totals]


def _total(total: Total) -> str:
    name = f"group {one_line(total.group)}" if total.group else "weighted total"
    low, high = total.interval_95
    counts = ((total.passed, "passed"), (total.failed, "failed"), (total.missing, "without a score"))
    told = ", ".join(f"{count:,} {word}" for count, word in counts if count)
    shown = [shown_number(value, 3) for value in (total.mean, low, high)]
    return f"{name}: {shown[0]} of 1 (95 % interval {shown[1]} to {shown[2]}; {told or 'scored only'})"


def without_row(shown: int, left_out: int) -> str:
    """How many cases have no row in a table; no ``more`` where none has one."""
    return f"{left_out:,} {'more' if shown else 'case' if left_out == 1 else 'cases'} without a row"


def by_variant(report: Report) -> list[str]:
    """The pass rate of each variant, in sentences; nothing when there is only one."""
    return [f"{one_line(name)}: {pass_rate(rate)}" for name, rate in report.rates_by_variant().items()]


def mark(report: Report) -> str:
    """The run in one word.

    ``STOPPED`` is a run that a budget ended before anything failed in it, ``UNFINISHED`` one that lacks trials: it was
    broken off, or is still under way.
    """
    if report.tally.total < report.run.planned:
        return UNFINISHED
    return STOPPED if is_cut_short(report.run, report.tally, report.cases) else MARKS[report.exit_code]


def why(trial: TrialRecord) -> Iterator[str]:
    """Why a trial did not pass, one reason at a time; nothing for one that did."""
    yield from _why_before_scores(trial)
    for score in trial.scores:
        if score.outcome in ("failed", "error"):
            yield f"{score.metric}: {reason_of(score)}"
    yield from _why_after_scores(trial)


def why_beyond_scores(trial: TrialRecord) -> Iterator[str]:
    """The reasons that stand with no failed score."""
    yield from _why_before_scores(trial)
    yield from _why_after_scores(trial)


def _why_before_scores(trial: TrialRecord) -> Iterator[str]:
    if trial.error is not None:
        yield trial.error.message
        if trial.error.hint:
            yield trial.error.hint
    if trial.reason:
        yield trial.reason


def _why_after_scores(trial: TrialRecord) -> Iterator[str]:
    if trial.outcome == "errored" and trial.error is None:
        yield from (
            f"{score.metric} was skipped: {score.reason}" for score in trial.scores if score.outcome == "skipped"
        )
    if trial.outcome == "unchecked" and not trial.reason:
        yield "nothing was checked: no metric has a threshold" if trial.scores else "the case has nothing to check"


def reason_of(score: Score) -> str:
    """The reason of a score, or its outcome; without its ``0 < 1: ``, which says nothing of a check."""
    return (score.reason.removeprefix("0 < 1: ") if is_yes_or_no(score) else score.reason) or score.outcome


def is_yes_or_no(score: Score) -> bool:
    """Whether the numbers, 1 and 0, say no more than that it held or did not."""
    return score.threshold == 1 and score.value == float(score.outcome == "passed")


def calls(trial: TrialRecord) -> str:
    """The calls that a case expects: ``order_status(order_id: "A-1") ×2, search``; empty when it expects none."""
    if not trial.expected_calls:
        return ", ".join(one_line(name) for name in trial.expected_tools or ())
    return ", ".join(map(_call, trial.expected_calls))


def _call(expected: ExpectedCall) -> str:
    arguments = ", ".join(f"{name}: {to_json(value).decode()}" for name, value in expected.args.items())
    times = "" if expected.count == 1 else f" ×{expected.count}"
    success = " without an error" if expected.ok else ""
    return one_line(f"{expected.name}({arguments})" if arguments else expected.name) + times + success


def score_value(score: Score) -> str:
    """A score's number, or the word that stands in its place."""
    return score.outcome if score.value is None else shown_number(score.value)
