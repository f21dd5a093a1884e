"""The words of ``seatrial tools call``, and what a call gave."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from seatrial.cli import terminal
from seatrial.core.content import FileContent, ImageContent, TextContent
from seatrial.core.messages import ToolResultMessage
from seatrial.core.result import RunResult
from seatrial.errors import ConfigError
from seatrial.reporters.words import dollars, seconds
from seatrial.runs.verdict import INTERRUPTED

_FORM = 'write a JSON object, like \'{"city": "Oslo"}\''
_MOST_WORDS = 3
OUTAGE = 3
_TOLD = ("content", "details", "was_executed", "duration_s", "left_out_chars", "usage", "cost_usd")


class CallWords(NamedTuple):
    """What is called; ``arguments`` as written, None for none."""

    agent: Path
    name: str
    arguments: str | None


def call_words(words: Sequence[str], agent: Path | None) -> CallWords:
    """``[AGENT] NAME [ARGUMENTS]``: of two words the second is the arguments when it looks like them."""
    if len(words) > (_MOST_WORDS if agent is None else _MOST_WORDS - 1):
        raise click.UsageError(f"{words[-1]} is one argument too many")
    if not words:
        raise click.UsageError("the tool's NAME is missing")
    is_named = agent is not None
    if is_named or len(words) == 1 or (len(words) < _MOST_WORDS and _looks_like_arguments(words[1])):
        return CallWords(agent or Path(), words[0], words[1] if len(words) > 1 else None)
    return CallWords(Path(words[0]), words[1], words[2] if len(words) == _MOST_WORDS else None)


def _looks_like_arguments(word: str) -> bool:
    """Whether it is no name of a tool: those are letters, digits and underscores."""
    return not word or word.lstrip()[:1] in "{[@-"


def read_arguments(text: str | None) -> dict[str, Any]:
    """The JSON object that the text is, or that is in the file or on stdin. Raises `ConfigError`."""
    if text is None:
        return {}
    origin, document = _document(text)
    try:
        value = json.loads(document, parse_constant=_refuse)
    except ValueError as error:
        raise ConfigError(f"{origin}: this is no JSON: {error}", hint=_FORM) from error
    except RecursionError as error:
        raise ConfigError(f"{origin}: the JSON is nested too deeply") from error
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else f"`{json.dumps(value)[:40]}`"
        raise ConfigError(f"{origin}: the arguments are {kind}, not an object", hint=_FORM)
    return value


def _document(text: str) -> tuple[str, str]:
    if text == "-":
        return "stdin", sys.stdin.read()
    if not text.startswith("@"):
        return "the arguments", text
    path = Path(text[1:])
    try:
        return str(path), path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}", hint="@FILE names a file with JSON") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text") from error


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def call_document(result: RunResult, arguments: dict[str, Any]) -> dict[str, Any]:
    """What was called and everything that came of it, in JSON's terms."""
    told = _result_of(result)
    called = result.transcript.tool_calls
    document = {
        "tool": called[0].name if called else None,
        "arguments": arguments,
        "text": None if told is None else told.text,
        "is_error": told is None or told.is_error,
        **({name: None if told is None else getattr(told, name) for name in _TOLD}),
        "stop_reason": result.stop_reason,
        "warnings": result.warnings,
    }
    return {name: msgspec.to_builtins(value) for name, value in document.items()}


def tell_call(result: RunResult, *, is_json: bool) -> int:
    """Shows the result on stdout, unless it stands there as JSON, and the rest on stderr; gives the exit code."""
    told = _result_of(result)
    if told is not None and not is_json:
        for block in told.content:
            terminal.say(_shown(block))
    if told is not None:
        for line in _beside(told):
            terminal.tell(line)
    if result.stop_reason == "aborted":
        terminal.tell(INTERRUPTED)
        return terminal.INTERRUPTED
    for pending in result.pending_approvals:
        terminal.tell(f"not run: it waits for a person's approval{f' ({pending.reason})' if pending.reason else ''}")
    if told is not None and told.is_error and _details_of(told).get("outage"):
        return OUTAGE
    return 0 if told is not None and not told.is_error and not result.hook_errors else 1


def _result_of(result: RunResult) -> ToolResultMessage | None:
    results = result.transcript.tool_results
    return results[0] if results else None


def _shown(block: TextContent | ImageContent | FileContent) -> str:
    match block:
        case TextContent(text):
            return text
        case ImageContent():
            return f"[picture, {block.mime_type}, {len(block.data) * 3 // 4:,} bytes]"
        case FileContent():
            return f"[file {block.name}, {block.mime_type}]"


def _details_of(told: ToolResultMessage) -> dict[str, Any]:
    return told.details if isinstance(told.details, dict) else {}


def _beside(told: ToolResultMessage) -> list[str]:
    """What is not the result itself: what was printed, where it failed, what it took."""
    details = _details_of(told)
    lines = [
        f"printed: {details[name].rstrip()}" for name in ("stdout", "stderr") if isinstance(details.get(name), str)
    ]
    if told.is_error and isinstance(details.get("at"), str):
        lines.append(f"failed in {details['at']}")
    if told.left_out_chars:
        lines.append(f"{told.left_out_chars:,} characters were left out of what a model is shown")
    facts = [] if told.duration_s is None else [f"took {seconds(told.duration_s)}"]
    if told.usage is not None:
        facts.append("cost unknown" if told.cost_usd is None else f"cost {dollars(told.cost_usd)}")
    if not told.was_executed:
        facts.append("the tool was not run")
    return [*lines, ", ".join(facts)] if facts else lines
