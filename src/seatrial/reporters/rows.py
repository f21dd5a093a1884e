"""What a table of results shows, column by column, in plain words; how it looks is decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from seatrial.metrics.base import Score
from seatrial.metrics.verdict import shown_number
from seatrial.reporters.plain import one_line
from seatrial.reporters.report import NOT_PASSED, Report
from seatrial.reporters.tool_cells import BESIDES, EXPECTED_TOOLS, Cell, tool_cells
from seatrial.reporters.words import dollars, in_words, is_yes_or_no, seconds
from seatrial.runs.records import Outcome, TrialRecord

MOST_ROWS = 50
SIGNS: dict[Outcome, str] = {"passed": "✓", "failed": "✗", "errored": "!", "unchecked": "?", "not_run": "–"}
NO_SCORE = "–"
_MEANINGS: dict[Outcome, str] = {"errored": "could not be judged", "unchecked": "nothing was checked"}

Tries = Sequence[TrialRecord]


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and what stands under it for the tries of one case."""

    heading: str
    cell: Callable[[Tries], list[Cell]]
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """The tries that a table shows, by case and variant, and how many rows were left out."""

    shown: list[list[TrialRecord]]
    left_out: int = 0

    @classmethod
    def of(cls, report: Report, most: int = MOST_ROWS) -> Rows:
        """All rows of a run that has no more than ``most``; of a larger one the first so many that did not pass.

        Cases whose turn never came, because the run was stopped, have no row.
        """
        is_small = len(report.cases) <= most
        shown: list[list[TrialRecord]] = []
        left_out = 0
        for tries in report.tries():
            is_worth_a_row = is_small or any(trial.outcome in NOT_PASSED for trial in tries)
            if len(shown) < most and is_worth_a_row and not _was_cut_off(tries, report):
                shown.append(tries)
            else:
                left_out += 1
        return cls(shown, left_out)

    @property
    def trials(self) -> Iterator[TrialRecord]:
        """Every try shown."""
        return (trial for tries in self.shown for trial in tries)

    def columns(self) -> list[Column]:
        """The columns that have something to say, the case first."""
        trials = list(self.trials)
        columns = [Column("case", _case)]
        if any(trial.variant for trial in trials):
            columns.append(Column("variant", lambda tries: [Cell(one_line(tries[0].variant))]))
        columns.append(Column("outcome", _outcome))
        names = dict.fromkeys(score.metric for trial in trials for score in trial.scores)
        columns += [self._metric_column(name) for name in names if name != EXPECTED_TOOLS]
        if any(trial.expected_tools is not None or trial.called_tools for trial in trials):
            columns.append(Column("tools", _tools))
        columns += [Column("time", _time, is_number=True), Column("tokens", _tokens, is_number=True)]
        if any(trial.cost_usd for trial in trials):
            columns.append(Column("cost", _cost, is_number=True))
        return columns

    def legend(self) -> list[str]:
        """What the signs mean that are not plain by themselves, of those that occur."""
        outcomes = {overall(tries) for tries in self.shown}
        told = [f"{SIGNS[outcome]} {meaning}" for outcome, meaning in _MEANINGS.items() if outcome in outcomes]
        texts = [cell.text for column in self.columns() for tries in self.shown for cell in column.cell(tries)]
        if NO_SCORE in texts:
            told.append(f"{NO_SCORE} not measured")
        if any(text.startswith(BESIDES) for text in texts):
            told.append(f"{BESIDES.strip()} called besides")
        if any(overall(tries) == "passed" and _counts_failed_call(tries) for tries in self.shown):
            told.append("✗ …: error: made and failed (`ok: true` asks for a success)")
        return told

    def _metric_column(self, name: str) -> Column:
        scores = [score for trial in self.trials for score in trial.scores if score.metric == name]
        if _is_check(scores):
            return Column(one_line(name), lambda tries: [_metric(tries, name)], is_number=True)
        thresholds = {score.threshold for score in scores}
        if len(thresholds) == 1 and (threshold := thresholds.pop()) is not None:
            heading = f"{one_line(name)}\n{'≤' if _is_lower_better(scores) else '≥'} {shown_number(threshold)}"
            return Column(heading, lambda tries: [_metric(tries, name)], is_number=True)
        shown = one_line(name)
        return Column(shown, lambda tries: [_metric(tries, name, with_threshold=True)], is_number=True)


def _counts_failed_call(tries: Tries) -> bool:
    """Whether a call that the case expects was made and gave an error."""
    return any(not set(trial.failed_tools).isdisjoint(_named_by(trial)) for trial in tries if trial.outcome == "passed")


def _named_by(trial: TrialRecord) -> set[str]:
    """The called tools that the case expects, by the names under which they were called."""
    expected = set(trial.expected_tools or ())
    return expected | {tool for tool, aliases in trial.tool_aliases.items() if not expected.isdisjoint(aliases)}


def _was_cut_off(tries: Tries, report: Report) -> bool:
    """Whether the run ended before the case's turn came: the count of such cases says it all."""
    return report.run.stopped_by is not None and all(trial.outcome == "not_run" for trial in tries)


def _is_check(scores: Sequence[Score]) -> bool:
    """Whether the metric only ever held or did not hold."""
    measured = [score for score in scores if score.value is not None]
    return bool(measured) and all(map(is_yes_or_no, measured))


def overall(tries: Tries) -> Outcome:
    """The outcome that stands for all tries of a case: the worst of them, unless enough passed."""
    outcomes = {trial.outcome for trial in tries}
    if tries[0].require is not None and sum(trial.outcome == "passed" for trial in tries) >= tries[0].require:
        return "passed"
    order: tuple[Outcome, ...] = ("failed", "errored", "not_run", "unchecked")
    return next((outcome for outcome in order if outcome in outcomes), "passed")


def _case(tries: Tries) -> list[Cell]:
    return [Cell(one_line(tries[0].case))]


def _outcome(tries: Tries) -> list[Cell]:
    return [*_outcomes(tries), *([Cell("warned", "unchecked")] if any(trial.warnings for trial in tries) else [])]


def _outcomes(tries: Tries) -> list[Cell]:
    if len(tries) == 1:
        return [Cell(in_words(tries[0].outcome), tries[0].outcome)]
    if len({trial.outcome for trial in tries}) == 1 and tries[0].outcome in ("unchecked", "not_run"):
        return [Cell(in_words(tries[0].outcome), tries[0].outcome)]
    passed = sum(trial.outcome == "passed" for trial in tries)
    return [Cell(f"{passed}/{len(tries)} passed", overall(tries))]


def _metric(tries: Tries, name: str, *, with_threshold: bool = False) -> Cell:
    scores = [score for trial in tries for score in trial.scores if score.metric == name]
    if not scores:
        return Cell(NO_SCORE, "dim")
    if _is_check(scores):
        return _tick(scores)
    values = [score.value for score in scores if score.value is not None]
    outcomes = {score.outcome for score in scores}
    tone = next((tone for word, tone in _TONES.items() if word in outcomes), "")
    if not values:
        return Cell(scores[0].outcome, tone)
    value, threshold = fmean(values), scores[0].threshold
    if threshold is None:
        return Cell(_short(value), tone)
    shown, line = _short_pair(value, threshold)
    return Cell(f"{shown} / {line}" if with_threshold else shown, tone)


def _tick(scores: Sequence[Score]) -> Cell:
    """Whether a check held, of several tries in how many."""
    outcomes = {score.outcome for score in scores}
    tone = next((tone for word, tone in _TONES.items() if word in outcomes), "")
    held = sum(score.outcome == "passed" for score in scores)
    if len(outcomes) > 1:
        return Cell(f"{held}/{len(scores)}", tone)
    return Cell({"passed": SIGNS["passed"], "failed": SIGNS["failed"]}.get(scores[0].outcome, scores[0].outcome), tone)


_TONES = {"error": "errored", "failed": "failed", "passed": "passed", "skipped": "dim", "scored": "dim"}


def _short(value: float, digits: int = 2) -> str:
    """A score in few characters that stand well below each other."""
    return f"{value:.0f}" if value == int(value) and abs(value) > 1 else f"{value:.{digits}f}"


def _short_pair(value: float, threshold: float) -> tuple[str, str]:
    """Both numbers, the value with more digits where rounding would hide on which side it is."""
    digits = 2
    while digits < 10 and value != threshold and _short(value, digits) == _short(threshold, digits):
        digits += 1
    return _short(value, digits), shown_number(threshold)


def _is_lower_better(scores: Sequence[Score]) -> bool:
    """Seen from the verdicts: a metric passes below its threshold, or fails above it."""
    for score in scores:
        if score.value is None or score.threshold is None or score.value == score.threshold:
            continue
        return (score.outcome == "passed") == (score.value < score.threshold)
    return False


def _tools(tries: Tries) -> list[Cell]:
    worst = next((trial for trial in tries if trial.outcome != "passed"), tries[0])
    return [] if worst.outcome == "not_run" else tool_cells(worst)


def _time(tries: Tries) -> list[Cell]:
    made = [trial.duration_s for trial in tries if trial.outcome != "not_run"]
    return [Cell(seconds(fmean(made)) if made else "–")]


def _tokens(tries: Tries) -> list[Cell]:
    total = sum(trial.usage.input_tokens + trial.usage.output_tokens for trial in tries)
    return [Cell(f"{total:,}" if total else "–")]


def _cost(tries: Tries) -> list[Cell]:
    made = [trial for trial in tries if trial.usage.requests]
    if not made:
        return [Cell("–")]
    costs = [trial.cost_usd for trial in made]
    known = [cost for cost in costs if cost is not None]
    return [Cell(dollars(sum(known)) if len(known) == len(costs) else "unknown")]
