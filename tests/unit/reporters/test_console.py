from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console
from tests.support.stored_trials import a_few, trial

from seatrial.core.content import TextContent
from seatrial.core.messages import AssistantMessage, UserMessage
from seatrial.metrics.base import Score
from seatrial.reporters.console import ConsoleReporter
from seatrial.reporters.console_report import print_report
from seatrial.reporters.plain import Glyphs
from seatrial.reporters.report import Report
from seatrial.reporters.tool_cells import tool_cells
from seatrial.runs.events import (
    Prepared,
    Preparing,
    RunFinished,
    RunStarted,
    Stopping,
    TrialFinished,
    TrialStarted,
    Warned,
)
from seatrial.runs.records import TrialError, TrialRecord

MakeReport = Callable[..., Report]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def shown(report: Report, width: int = 120, encoding: str = "utf-8") -> str:
    out = io.StringIO()
    print_report(report, Console(file=out, width=width, markup=False, emoji=False, highlight=False), Glyphs(encoding))
    return out.getvalue()


def line_with(text: str, part: str) -> str:
    return next(line for line in text.splitlines() if part in line)


def test_each_case_has_its_line_with_outcome_scores_tools_time_and_tokens(report_of: MakeReport) -> None:
    text = shown(report_of(a_few()))
    assert " ".join(line_with(text, "✓  case 0").split()) == "✓ case 0 passed 0.75 ✓ order_status 0.50 s 14"
    failed = line_with(text, "✗  case 1")
    assert "failed" in failed
    assert "0.25" in failed
    assert "✗ order_status not called" in failed
    assert "+ search" in text
    assert "errored" in line_with(text, "!  case 2")
    assert "unchecked" in line_with(text, "?  case 3")
    assert "not run" in line_with(text, "–  case 4")


def test_the_threshold_stands_once_over_its_column(report_of: MakeReport) -> None:
    assert "≥ 0.5" in shown(report_of(a_few()))
    lower = trial(scores=(Score("wer", "passed", 0.1, 0.3),))
    assert "≤ 0.3" in shown(report_of([lower]))


def test_what_failed_is_told_in_words_with_its_place(report_of: MakeReport) -> None:
    text = shown(report_of(a_few()))
    assert "✗ case 1  agent.yaml:11" in text
    assert "f1_score: 0.25 < 0.5: 1 of 4 words" in text
    assert "expected_tools: missing: order_status" in text
    assert "expected  It arrives tomorrow." in text
    assert "401: wrong key" in text
    assert "set the key" in text


def test_the_verdict_says_how_sure_it_is_and_how_to_see_more(report_of: MakeReport) -> None:
    text = shown(report_of(a_few()))
    assert (
        "FAILED  1 of 3 passed (33 %, 95 % interval 6 % to 79 %); 1 failed, 1 errored, 1 unchecked, 1 not run" in text
    )
    assert "2.5 s · 56 tokens · cost unknown · run 20260503-120000-aaaa" in text
    assert "whole conversation: seatrial runs show --case 'case 1'\n" in text


def test_a_run_that_checked_nothing_says_so_and_is_not_called_passed(report_of: MakeReport) -> None:
    text = shown(report_of([trial(0, "unchecked")]))
    assert "UNCHECKED  nothing was checked: 1 unchecked" in text


def test_errors_of_one_kind_are_told_once(report_of: MakeReport) -> None:
    trials = [trial(n, "errored", error=TrialError("provider", "503: overloaded")) for n in range(30)]
    text = shown(report_of(trials))
    assert text.count("503: overloaded") == 1
    assert "30 trials errored alike" in text
    assert "and 25 more" in text


def test_of_a_large_run_only_what_did_not_pass_is_listed(report_of: MakeReport) -> None:
    trials = [trial(n, "failed" if n % 100 == 7 else "passed") for n in range(400)]
    text = shown(report_of(trials))
    assert "396 more without a row" in text
    assert "case 7" in text
    assert "case 8 " not in text


def test_tries_of_one_case_share_a_row_and_a_try_that_failed_is_told_once(report_of: MakeReport) -> None:
    trials = [
        trial(0, "passed" if n < 3 else "failed", repeat=n, scores=(Score("m", "passed", n / 10, 0.0),))
        for n in (1, 2, 3, 4)
    ]
    text = shown(report_of(trials, repeat=4))
    assert "2/4 passed" in text
    assert "2 of 4 tries failed" in text


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_no_line_of_the_results_is_wider_than_the_terminal(report_of: MakeReport, width: int) -> None:
    scores = tuple(Score(f"metric_{n}", "passed", 0.5, 0.4) for n in range(4))
    trials = [trial(n, case=f"a case with quite a long name, number {n}", scores=scores) for n in range(3)]
    text = shown(report_of(trials), width)
    results = text.split("\n\n")[0].splitlines()
    assert max(len(line) for line in results) <= width
    assert "metric_3" in text


def test_p017_an_answer_cannot_move_the_cursor(report_of: MakeReport) -> None:
    evil = "\x1b[2J\x1b[31mred\x07 [bold]x[/bold] :smile: \u202e"
    trials = [
        trial(0, "failed", case=f"n {evil}", output=evil, input=evil, scores=(Score("m", "failed", 0.1, 0.2, evil),))
    ]
    text = shown(report_of(trials))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\\x1b[2J" in text
    assert "[bold]x[/bold] :smile:" in text


def test_p017_in_ascii_every_sign_has_a_stand_in(report_of: MakeReport) -> None:
    text = shown(report_of(a_few()), encoding="ascii")
    text.encode("ascii")
    assert "+  case 0" in text


def follow(reporter: ConsoleReporter, report: Report, trials: list[TrialRecord]) -> None:
    reporter.open()
    reporter(Preparing("indexing for search", 0, 3))
    reporter(Prepared("indexed for search: 3 files"))
    reporter(RunStarted(report.run))
    reporter(Warned("careful"))
    for each in trials:
        reporter(TrialStarted(each.key))
        reporter(TrialFinished(each))
    reporter(Stopping("interrupted"))
    reporter(RunFinished(report.run, report.tally))


def test_away_from_a_terminal_there_are_only_plain_lines(report_of: MakeReport) -> None:
    out = io.StringIO()
    report = report_of(a_few())
    follow(ConsoleReporter(out, report.store), report, a_few())
    text = out.getvalue()
    assert "\x1b" not in text
    assert "\r" not in text
    assert text.splitlines()[:3] == [
        "indexed for search: 3 files",
        "shop · openai gpt-x · 5 trials · 4 at once",
        "warning: careful",
    ]
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_failures_are_told_as_they_come_once_a_run_takes_long(
    report_of: MakeReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = 0.0
    monkeypatch.setattr("seatrial.reporters.console.time.monotonic", lambda: clock)
    out = io.StringIO()
    report = report_of(a_few())
    reporter = ConsoleReporter(out, report.store)
    reporter(RunStarted(report.run))
    reporter(TrialFinished(trial(0, "failed", scores=(Score("m", "failed", 0.1, 0.2, "0.1 < 0.2"),))))
    assert "case 0" not in out.getvalue()
    clock = 30.0
    reporter(TrialFinished(trial(1, "failed")))
    assert "✗ case 0  m: 0.1 < 0.2\n✗ case 1" in out.getvalue()
    clock = 60.0
    reporter(TrialFinished(trial(2)))
    assert "3 of 5 done, 2 not passed" in out.getvalue()


def test_on_a_terminal_progress_moves_and_is_gone_at_the_end(
    report_of: MakeReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = Terminal()
    report = report_of(a_few())
    follow(ConsoleReporter(out, report.store), report, a_few())
    text = out.getvalue()
    assert "\x1b[?25l" in text
    assert text.count("\x1b[?25h") == 1
    assert "FAILED" in text


def test_the_moving_part_shows_progress_counts_and_the_latest_failures(report_of: MakeReport) -> None:
    from seatrial.reporters.console_live import LiveArea

    out = io.StringIO()
    console = Console(file=out, width=100)
    live = LiveArea(console, Glyphs("utf-8"))
    report = report_of(a_few())
    live.begin(10, report.tally)
    live.trial_started(trial(5).key)
    live.trial_finished(trial(6, "failed", cost_usd=0.5), "m: 0.1 < 0.2")
    console.print(live._render())
    text = out.getvalue()
    assert "✗ case 6  m: 0.1 < 0.2" in text
    assert "running case 5" in text
    assert "5/10" in text
    assert "2 failed" in text
    assert "$0.500" in text


def test_where_to_go_on_is_told_after_an_interrupt(report_of: MakeReport) -> None:
    changes: dict[str, Any] = {"status": "interrupted", "stopped_by": "interrupted", "agent_file": "my agents/a.yaml"}
    text = shown(report_of(a_few(), **changes))
    assert "INTERRUPTED" in text
    assert "go on: seatrial test 'my agents/a.yaml' --resume\n" in text


def test_p016_flaky_cases_are_named_with_the_chances_of_several_tries(report_of: MakeReport) -> None:
    passes = {0: 4, 1: 2, 2: 0}
    trials = [
        trial(index, "passed" if repeat <= passed else "failed", repeat=repeat)
        for index, passed in passes.items()
        for repeat in (1, 2, 3, 4)
    ]
    text = shown(report_of(trials, repeat=4))
    assert "6 of 12 tries passed (50 %" in text
    assert "1 of 3 cases passed as often as they must; pass@4 67 %, pass^4 33 %" in text
    assert "flaky: case 1 2/4" in text


def test_cases_whose_turn_never_came_are_counted_and_not_listed(report_of: MakeReport) -> None:
    trials = [trial(0), *(trial(n, "not_run") for n in range(1, 9))]
    text = shown(report_of(trials, status="interrupted", stopped_by="interrupted"))
    assert "case 0" in text
    assert "case 5" not in text
    assert "8 more without a row" in text
    assert "8 not run" in text


def test_what_the_model_warned_of_stands_with_the_failure_and_long_reasons_are_indented(
    report_of: MakeReport,
) -> None:
    warned = AssistantMessage((TextContent("No."),), warnings=("no tool was close enough",))
    told = Score("expected_tools", "failed", 0.0, 1.0, "price: not called\nalso called: hours()")
    text = shown(report_of([trial(0, "failed", scores=(told,), messages=(UserMessage("Hm?"), warned, warned))]))
    assert "\n  expected_tools: price: not called\n  also called: hours()\n" in text
    assert text.count("\n  no tool was close enough\n") == 1


def test_a_check_shows_whether_it_held_and_no_numbers(report_of: MakeReport) -> None:
    held, broke = Score("contains", "passed", 1.0, 1.0), Score("contains", "failed", 0.0, 1.0, "0 < 1: no such text")
    text = shown(report_of([trial(0, scores=(held,)), trial(1, "failed", scores=(broke,))]))
    assert line_with(text, "✓  case 0").split()[3:5] == ["passed", "✓"]
    assert line_with(text, "✗  case 1").split()[3:5] == ["failed", "✗"]
    assert "1.00" not in text
    assert "≥" not in text
    tries = [trial(0, scores=(held,)), trial(0, "failed", repeat=2, scores=(broke,))]
    assert " 1/2 " in line_with(shown(report_of(tries, id="again")), "case 0")


def test_a_tool_that_gave_an_error_does_not_look_like_one_that_worked(report_of: MakeReport) -> None:
    called = {"called_tools": ("price", "price", "hours"), "failed_tools": ("price",)}
    (row,) = (line for line in shown(report_of([trial(**called)])).split("\n\n")[0].splitlines() if "case 0" in line)
    assert "price" in row
    text = shown(report_of([trial(expected_tools=("price", "price"), **called)], id="again"))
    assert "✓ price" in text
    assert "✗ price: error" in text
    assert "+ hours" in text


@pytest.mark.parametrize(
    ("changes", "is_explained"),
    [
        ({"expected_tools": ("price",)}, True),
        ({"expected_tools": ("shop",), "tool_aliases": {"price": ("shop",)}}, True),
        ({"expected_tools": ("hours",)}, False),
        ({"expected_tools": ("shop",), "tool_aliases": {"hours": ("shop",)}}, False),
        ({"expected_tools": ("price",), "outcome": "failed"}, False),
        ({"expected_tools": ("price",), "failed_tools": ()}, False),
    ],
)
def test_the_legend_explains_a_failed_call_only_where_a_case_passed_by_it(
    report_of: MakeReport, changes: dict[str, Any], is_explained: bool
) -> None:
    told = {"called_tools": ("price", "hours"), "failed_tools": ("price",), "outcome": "passed", **changes}
    text = shown(report_of([trial(0, **told)]))
    assert ("made and failed (`ok: true` asks for a success)" in " ".join(text.split())) == is_explained


def test_a_case_that_broke_off_blames_no_tool_for_not_being_called(report_of: MakeReport) -> None:
    broken = trial(0, "errored", error=TrialError("provider", "503"), expected_tools=("price",), called_tools=())
    assert "not called" not in shown(report_of([broken]))


def test_only_signs_that_occur_are_explained(report_of: MakeReport) -> None:
    text = shown(report_of(a_few()))
    assert "\n! could not be judged · ? nothing was checked · – not measured · + called besides\n" in text
    assert "·" not in shown(report_of([trial(0)], id="again")).split("PASSED")[0]


def test_repeats_say_what_the_interval_counts_and_never_look_worse_than_one_try(report_of: MakeReport) -> None:
    once = shown(report_of([trial(n) for n in range(5)]))
    assert "PASSED  5 of 5 passed (100 %, 95 % interval 57 % to 100 %)\n" in once
    thrice = [trial(n, repeat=repeat) for n in range(5) for repeat in (1, 2, 3)]
    text = shown(report_of(thrice, id="again", repeat=3))
    assert "15 of 15 tries passed (100 %, 95 % interval 57 % to 100 % over 5 cases)\n" in text


def test_a_run_that_only_its_budget_ended_is_called_stopped(report_of: MakeReport) -> None:
    cut = {"status": "stopped", "stopped_by": "max_time"}
    text = shown(report_of([trial(0, "not_run")], **cut))
    assert "STOPPED  nothing was checked: 1 not run" in text
    assert "FAILED  0 of 1 passed" in shown(report_of([trial(0, "failed")], id="again", **cut))


def test_commands_to_go_on_fit_the_line_and_name_a_run_only_where_it_is_not_the_last(report_of: MakeReport) -> None:
    place = {"agent_file": "examples/support/agent.yaml"}
    earlier = report_of([trial(0, "failed")], **place)
    assert "whole conversation: seatrial runs show --case 'case 0' -a examples/support\n" in shown(earlier)
    report_of([trial(0)], id="20260503-130000-bbbb")
    assert f"seatrial runs show {earlier.run.id} --case 'case 0'" in shown(earlier)
    long = shown(report_of([trial(0, "failed", case="x" * 80)], id="later", **place))
    assert "whole conversation:\n  seatrial runs show --case xxx" in long


def test_a_stream_that_is_gone_silences_the_reporter_and_nothing_else(report_of: MakeReport) -> None:
    class Gone(io.StringIO):
        def write(self, _text: str) -> int:
            raise BrokenPipeError

    report = report_of(a_few())
    reporter = ConsoleReporter(Gone(), report.store)
    follow(reporter, report, a_few())
    assert isinstance(reporter.lost, BrokenPipeError)


def test_p021_a_metric_skipped_beside_one_that_passed_stands_in_the_verdict(report_of: MakeReport) -> None:
    skipped = Score("recall", "skipped", None, 0.5, "the case has no ground_truth")
    text = shown(report_of([trial(n, scores=(Score("f1_score", "passed", 1.0, 0.5), skipped)) for n in range(3)]))
    assert "PASSED  3 of 3 passed (100 %, 95 % interval 44 % to 100 %); 1 metric skipped" in text
    assert "recall was skipped in 3 trials: the case has no ground_truth" in text


def test_a_metric_in_error_that_only_scores_is_told_with_its_reason(report_of: MakeReport) -> None:
    broken = Score("judge", "error", None, None, "401: wrong key")
    text = shown(report_of([trial(scores=(Score("f1_score", "passed", 1.0, 0.5), broken))]))
    assert "FAILED  1 of 1 passed (100 %, 95 % interval 21 % to 100 %); 1 metric in error" in text
    assert "judge gave an error in 1 trial: 401: wrong key" in text


def test_a_large_run_in_which_all_passed_has_no_rows_and_no_more_of_them(report_of: MakeReport) -> None:
    text = shown(report_of([trial(n) for n in range(500)]))
    assert "500 cases without a row" in text
    assert "more" not in text


def test_a_metric_name_cannot_steer_the_terminal(report_of: MakeReport) -> None:
    scores = (Score("a\x1b[2J\nb", "failed", 0.25, 0.5, "x\x1b"), Score("c\x1b]0;t\x07", "passed", 1.0, 1.0))
    for width in (40, 120):
        report = report_of([trial(0, "failed", scores=scores, tags=("\x1b",))], id=f"20260503-1200{width:02}-aaaa")
        assert not set(shown(report, width)) & set("\x1b\x07")


def test_a_tool_that_was_expected_under_another_name_of_its_is_shown_as_called() -> None:
    aliases = {"docs_search": ("docs", "search"), "docs_open": ("docs", "open")}
    seen = trial(
        0,
        expected_tools=("docs", "docs_search", "web"),
        called_tools=("docs_search", "docs_open"),
        tool_aliases=aliases,
    )
    assert [cell.text for cell in tool_cells(seen)] == ["✓ docs_search", "✓ docs_open", "✗ web not called"]
