"""One trial on the terminal: the whole conversation, then the scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.metrics.base import Score
from seatrial.metrics.verdict import shown_number
from seatrial.reporters import words
from seatrial.reporters.console_report import show
from seatrial.reporters.console_table import STYLES
from seatrial.reporters.plain import Glyphs, one_line, visible
from seatrial.reporters.report import Report, place_of_crash
from seatrial.reporters.rows import SIGNS
from seatrial.reporters.tool_results import beside_result
from seatrial.runs.encoding import to_json
from seatrial.runs.records import TrialRecord

_LABEL_WIDTH = 10
_LONGEST_RESULT = 4000

Block = TextContent | ImageContent | FileContent | ReasoningContent | ToolCall


def print_tries(tries: Sequence[TrialRecord], report: Report, console: Console, glyphs: Glyphs) -> None:
    """The tries of one case, one after the other; what is the same as in an earlier try is told once."""
    seen: list[TrialRecord] = []
    for trial in tries:
        if seen:
            console.print()
        same = next((earlier for earlier in seen if _is_alike(trial, earlier)), None)
        if same is None:
            print_trial(trial, report, console, glyphs)
            seen.append(trial)
            continue
        _print_heading(trial, report, console, glyphs)
        _print(console, "", Text(f"word for word as {_try(same, report)}", "bright_black"))
        console.print(Text(glyphs(_facts(trial)), "bright_black"))


def print_trial(trial: TrialRecord, report: Report, console: Console, glyphs: Glyphs) -> None:
    """What was said and done, in order, and what the metrics made of it."""
    _print_heading(trial, report, console, glyphs)
    for reason in words.why_beyond_scores(trial):
        _print(console, "", Text(visible(reason), STYLES[trial.outcome]))
    for warning in trial.warnings:
        _print(console, "", Text(visible(f"warning: {warning}"), "yellow"))
    console.print()
    for message in trial.messages or (UserMessage(trial.input),):
        for label, text in _lines(message, glyphs):
            _print(console, label, text)
    for label, told in _expectations(trial):
        _print(console, label, Text(glyphs(told), "bright_black"))
    console.print()
    for score in trial.scores:
        _print(console, "", _score(score, glyphs))
    console.print(Text(glyphs(_facts(trial)), "bright_black"))


def _print_heading(trial: TrialRecord, report: Report, console: Console, glyphs: Glyphs) -> None:
    sign = f"{glyphs(SIGNS[trial.outcome])} {one_line(trial.case)}"
    outcome = f"  {words.in_words(trial.outcome)}"
    place = _place(trial, report)
    console.print(Text.assemble((sign, f"bold {STYLES[trial.outcome]}"), outcome, (place, "bright_black")))


def _is_alike(one: TrialRecord, other: TrialRecord) -> bool:
    """Whether both tell the same, whenever and however fast it happened."""
    return _told(one) == _told(other)


def _told(trial: TrialRecord) -> list[tuple[str, str]]:
    """All that is shown of a trial but times."""
    plain = Glyphs("utf-8")
    timeless = (
        msgspec.structs.replace(message, duration_s=None) if isinstance(message, ToolResultMessage) else message
        for message in trial.messages
    )
    said = [(label, text.plain) for message in timeless for label, text in _lines(message, plain)]
    judged = [(score.metric, _score(score, plain).plain) for score in trial.scores]
    beyond = [(trial.outcome, reason) for reason in words.why_beyond_scores(trial)]
    warned = [("warning", warning) for warning in trial.warnings]
    return [(trial.variant, trial.outcome), *said, *judged, *beyond, *warned]


def _expectations(trial: TrialRecord) -> Iterator[tuple[str, str]]:
    if trial.ground_truth is not None:
        yield "expected", visible(trial.ground_truth)
    if trial.expected_tools is not None:
        yield "tools", f"expected: {words.calls(trial) or 'no call'}"
    if trial.forbidden_tools:
        yield "tools", f"forbidden: {one_line(', '.join(trial.forbidden_tools))}"


def _score(score: Score, glyphs: Glyphs) -> Text:
    tone = {"passed": "green", "failed": "red", "error": "magenta"}.get(score.outcome, "bright_black")
    text = Text.assemble((score.outcome, tone), f"  {one_line(score.metric)}")
    if not words.is_yes_or_no(score):
        if score.value is not None:
            text.append(f"  {words.score_value(score)}")
        if score.threshold is not None:
            text.append(f" (threshold {shown_number(score.threshold)})", "bright_black")
    if score.reason:
        text.append(f"  {glyphs(visible(words.reason_of(score)))}", "bright_black")
    return text


def _lines(message: Message, glyphs: Glyphs) -> Iterator[tuple[str, Text]]:
    match message:
        case UserMessage():
            for block in message.blocks:
                yield "user", _block(block, glyphs)
        case AssistantMessage():
            for part in message.content:
                yield "assistant", _block(part, glyphs)
            for warning in message.warnings:
                yield "", Text(visible(warning), "yellow")
        case ToolResultMessage():
            took = "" if message.duration_s is None else f"  {words.seconds(message.duration_s)}"
            tone = "red" if message.is_error else ""
            text = Text.assemble((f"{one_line(message.tool_name)} ", "cyan"), (_cut(visible(message.text)), tone))
            if place := place_of_crash(message):
                text.append(f"  in {one_line(place)}", tone)
            yield "tool", text.append(took, "bright_black")
            for label, told in beside_result(message):
                yield label, Text(_cut(visible(told)), "bright_black")
        case _:
            assert_never(message)


def _block(block: Block, glyphs: Glyphs) -> Text:
    match block:
        case TextContent(text):
            return Text(visible(text))
        case ReasoningContent(text):
            return Text(_cut(visible(text)) or "(reasoning that the provider hides)", "italic bright_black")
        case ToolCall():
            arguments = ", ".join(f"{name}={to_json(value).decode()}" for name, value in block.arguments.items())
            shown = block.arguments_text if block.arguments_error else arguments
            return Text.assemble(glyphs("→ "), (one_line(block.name), "cyan"), f"({visible(shown or '')})")
        case ImageContent():
            return Text(f"[picture, {block.mime_type}, {len(block.data) * 3 // 4:,} bytes]", "bright_black")
        case FileContent():
            return Text(f"[file {one_line(block.name)}, {block.mime_type}]", "bright_black")
        case _:
            assert_never(block)


def _print(console: Console, label: str, text: Text) -> None:
    """A label at the left and the text beside it, all its lines indented alike."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=_LABEL_WIDTH if label else 1)
    grid.add_column(overflow="fold")
    grid.add_row(Text(label, "bold"), text)
    show(console, grid)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_RESULT else f"{text[:_LONGEST_RESULT]} ... ({len(text):,} characters)"


def _place(trial: TrialRecord, report: Report) -> str:
    parts = [f"variant {one_line(trial.variant)}"] if trial.variant else []
    if report.run.repeat > 1 or trial.repeat > 1:
        parts.append(_try(trial, report))
    parts += [one_line(report.place_of(trial))] if trial.line is not None else []
    return f"  {', '.join(parts)}" if parts else ""


def _try(trial: TrialRecord, report: Report) -> str:
    return f"try {trial.repeat} of {report.run.repeat}" if report.run.repeat >= trial.repeat else f"try {trial.repeat}"


def _facts(trial: TrialRecord) -> str:
    parts = [words.seconds(trial.duration_s), f"{trial.usage.requests} requests"]
    parts.append(f"{trial.usage.input_tokens:,} + {trial.usage.output_tokens:,} tokens")
    parts.append(words.dollars(trial.cost_usd) if trial.cost_usd is not None else "cost unknown")
    judges = trial.judges
    if judges.usage.requests:
        tokens = judges.usage.input_tokens + judges.usage.output_tokens
        parts.append(f"judges {tokens:,} tokens, {words.dollars(judges.cost_usd)}")
    if trial.stop_reason is not None:
        parts.append(f"ended with {trial.stop_reason}")
    if trial.retries:
        parts.append(f"{trial.retries} retries")
    return " · ".join(parts)
