"""The run as one HTML file that opens from disk, makes no request and runs nothing that a model wrote."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import BinaryIO

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.reporters import words
from seatrial.reporters.plain import one_line, visible
from seatrial.reporters.report import Report
from seatrial.reporters.rows import SIGNS, Column, Rows, overall
from seatrial.reporters.tool_cells import Cell
from seatrial.runs.encoding import to_json
from seatrial.runs.records import OUTCOMES, TrialRecord

MOST_ROWS = 2000
_MARK_TONES = {"PASSED": "passed", "FAILED": "failed", "ERRORED": "errored"}


def write_html(report: Report, out: BinaryIO) -> None:
    """Writes the page row by row. A content security policy forbids every script but our own and every request."""
    style, script = _asset("report.css"), _asset("report.js")
    for part in _page(report, style, script):
        out.write(part.encode())
        out.write(b"\n")


def html_text(text: str) -> str:
    """The text as it reads, never as markup; control characters as escapes."""
    return escape(visible(text))


def _page(report: Report, style: str, script: str) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{_digest(script)}'"
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
    yield '<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">'
    yield f"<title>{html_text(report.run.agent)}: {words.mark(report).lower()}</title>"
    yield f"<style>{style}</style></head><body>"
    yield from _header(report)
    yield from _toolbar(report)
    yield "<main><table>"
    yield from _grid(report)
    yield "</table></main>"
    yield f"<script>{script}</script></body></html>"


def _header(report: Report) -> Iterator[str]:
    run, tally = report.run, report.tally
    mark = words.mark(report)
    tone = _MARK_TONES.get(mark, "unchecked")
    yield f'<header><h1><b class="{tone}">{mark}</b>{html_text(run.agent)}</h1>'
    yield f'<p class="verdict">{html_text(words.verdict(report))}</p>'
    for sentence in words.sentences(report):
        yield f"<p>{html_text(sentence)}</p>"
    if report.rate is not None:
        interval = report.rate.interval
        low, width = interval.low * 100, (interval.high - interval.low) * 100
        rate = report.rate.passed / report.rate.checked * 100
        yield (
            '<div class="rate" title="pass rate and its 95 % interval">'
            f'<i style="left:{low:.2f}%;width:{width:.2f}%"></i><u style="left:{rate:.2f}%"></u></div>'
        )
    models = ", ".join(dict.fromkeys(f"{variant.provider} {variant.model}" for variant in run.variants))
    facts = [models, f"{run.started_at:%Y-%m-%d %H:%M} UTC", words.seconds(run.worked_s)]
    facts += [f"{tally.input_tokens + tally.output_tokens:,} tokens", words.total_cost(tally), words.judges(report)]
    facts.append(f"run {run.id}")
    if run.git is not None:
        facts.append(f"commit {run.git.commit[:10]}{' with changes' if run.git.is_dirty else ''}")
    yield f'<p class="facts">{" · ".join(html_text(fact) for fact in facts if fact)}</p></header>'


def _toolbar(report: Report) -> Iterator[str]:
    yield "<nav>"
    for outcome in OUTCOMES:
        count = getattr(report.tally, outcome)
        if count:
            label = f'<span class="{outcome}">{count:,} {words.in_words(outcome)}</span>'
            yield f'<button value="{outcome}" aria-pressed="false">{label}</button>'
    yield '<input type="search" placeholder="search" aria-label="search"><output></output>'
    yield '<span class="keys">j k move · Enter opens · f failures · / search</span></nav>'


def _grid(report: Report) -> Iterator[str]:
    rows = Rows.of(report, most=MOST_ROWS)
    columns = rows.columns()
    shown = {(tries[0].case, tries[0].variant) for tries in rows.shown}
    headings = "".join(f'<th class="{_kind(column)}">{html_text(column.heading)}</th>' for column in columns)
    yield f"<thead><tr><th></th>{headings}<th>why</th></tr></thead><tbody>"
    for tries in report.tries(with_messages=True):
        if (tries[0].case, tries[0].variant) not in shown:
            continue
        outcome = overall(tries)
        cells = "".join(f'<td class="{_kind(column)}">{_cells(column.cell(tries))}</td>' for column in columns)
        reason = next((reason for trial in tries if trial.outcome == outcome for reason in words.why(trial)), "")
        yield (
            f'<tr class="case" tabindex="0" aria-expanded="false" data-outcome="{outcome}">'
            f'<td class="{outcome}">{SIGNS[outcome]}</td>{cells}'
            f'<td class="why">{html_text(one_line(reason, 300))}</td></tr>'
        )
        details = "".join(_detail(trial, report) for trial in tries)
        span = len(columns) + 2
        yield f'<tr class="detail" hidden><td colspan="{span}"></td><td hidden><template>{details}</template></td></tr>'
    yield "</tbody>"
    if rows.left_out:
        told = f"{words.without_row(len(rows.shown), rows.left_out)}: only what did not pass has one"
        yield f'<caption class="dim">{told}</caption>'


def _detail(trial: TrialRecord, report: Report) -> str:
    """The conversation at the left, the checks at the right."""
    messages = "".join(_message(message) for message in trial.messages or (UserMessage(trial.input),))
    return f'<div class="split"><div>{messages}</div><dl>{"".join(_facts(trial, report))}</dl></div>'


def _facts(trial: TrialRecord, report: Report) -> Iterator[str]:
    if trial.repeat > 1 or report.run.repeat > 1:
        yield _fact("try", f"{trial.repeat}: {trial.outcome}", trial.outcome)
    for reason in words.why(trial):
        yield _fact("why", reason, trial.outcome)
    for warning in trial.warnings:
        yield _fact("warning", warning, "unchecked")
    if trial.ground_truth is not None:
        yield _fact("expected", trial.ground_truth)
    if trial.expected_tools is not None:
        yield _fact("expected tools", words.calls(trial) or "none")
    if trial.forbidden_tools:
        yield _fact("forbidden tools", ", ".join(trial.forbidden_tools))
    for score in trial.scores:
        shown = words.score_value(score)
        threshold = "" if score.threshold is None else f" (threshold {score.threshold:g})"
        if words.is_yes_or_no(score):
            shown, threshold = score.outcome, ""
        tone = {"error": "errored", "skipped": "dim", "scored": "dim"}.get(score.outcome, score.outcome)
        yield _fact(score.metric, f"{shown}{threshold}  {score.reason}".rstrip(), tone)
    yield _fact("took", words.seconds(trial.duration_s))
    yield _fact("tokens", f"{trial.usage.input_tokens:,} in, {trial.usage.output_tokens:,} out")
    yield _fact("cost", words.dollars(trial.cost_usd))
    if trial.stop_reason is not None:
        yield _fact("ended with", trial.stop_reason + (f" {trial.limit}" if trial.limit else ""))
    place = report.place_of(trial)
    if place:
        yield _fact("written at", place)


def _fact(label: str, text: str, tone: str = "") -> str:
    return f'<dt>{html_text(label)}</dt><dd class="{tone}">{html_text(text)}</dd>'


def _message(message: Message) -> str:
    if isinstance(message, ToolResultMessage):
        tone = "failed" if message.is_error else ""
        took = "" if message.duration_s is None else f' <span class="dim">{words.seconds(message.duration_s)}</span>'
        body = f'<code>{html_text(message.tool_name)}</code>{took}<pre class="{tone}">{html_text(message.text)}</pre>'
        return f'<div class="message"><b>tool</b><div>{body}</div></div>'
    label = "assistant" if isinstance(message, AssistantMessage) else "user"
    blocks = message.content if isinstance(message, AssistantMessage) else message.blocks
    return f'<div class="message"><b>{label}</b><div>{"".join(_block(block) for block in blocks)}</div></div>'


def _block(block: TextContent | ImageContent | FileContent | ReasoningContent | ToolCall) -> str:
    match block:
        case TextContent(text):
            return f"<pre>{html_text(text)}</pre>"
        case ReasoningContent(text):
            return f'<pre class="dim">{html_text(text)}</pre>'
        case ToolCall():
            return f'<div class="call">→ {html_text(block.name)}({html_text(to_json(block.arguments).decode())})</div>'
        case ImageContent():
            return f'<span class="dim">[picture, {html_text(block.mime_type)}]</span>'
        case FileContent():
            return f'<span class="dim">[file {html_text(block.name)}, {html_text(block.mime_type)}]</span>'


def _cells(cells: Sequence[Cell]) -> str:
    return "".join(f'<span class="{cell.tone}">{html_text(cell.text)}</span>' for cell in cells)


def _kind(column: Column) -> str:
    return "number" if column.is_number else ""


def _asset(name: str) -> str:
    return files("seatrial.reporters").joinpath("static", name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()
