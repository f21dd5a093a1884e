"""``seatrial run``: one prompt, one answer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from seatrial.assembly.attachments import accepted_by, blocks_of_paths
from seatrial.assembly.live import LiveAgent, assemble
from seatrial.cli import terminal
from seatrial.cli.agents import closed, load_checked
from seatrial.cli.allow_mcp import allow_mcp_option, allow_servers
from seatrial.cli.options import agent_option
from seatrial.cli.running import run_async
from seatrial.cli.streamed import Streamed
from seatrial.cli.trace import show_step
from seatrial.core.messages import UserMessage
from seatrial.errors import ConfigError
from seatrial.runs.encoding import to_json
from seatrial.runs.masking import Masker
from seatrial.runs.verdict import INTERRUPTED

if TYPE_CHECKING:
    from seatrial.config.loaded import LoadedAgent
    from seatrial.core.abort import AbortSignal
    from seatrial.core.content import UserBlock
    from seatrial.core.events import AgentEvent, EventSink
    from seatrial.core.result import RunResult

_EXIT_CODES = {"stop": 0, "terminated": 0, "error": 3, "incomplete": 3, "aborted": 130}


@click.command("run")
@click.argument("prompt", required=False)
@click.argument("piped", required=False, metavar="[-]")
@agent_option
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Attach a file; may be given several times.",
)
@allow_mcp_option
@click.option("--max-turns", type=click.IntRange(min=1), metavar="N", help="Ask the model at most N times.")
@click.option("--stream", "is_streamed", is_flag=True, help="Write the answer while it comes.")
@click.option("--trace", is_flag=True, help="Show each step on stderr.")
@click.option("--json", "is_json", is_flag=True, help="The whole result as one JSON document on stdout.")
def command(
    prompt: str | None,
    piped: str | None,
    agent: Path,
    files: tuple[Path, ...],
    allow_mcp: bool,
    max_turns: int | None,
    is_streamed: bool,
    trace: bool,
    is_json: bool,
) -> int:
    """Answer one PROMPT, given here or on stdin; a `-` behind it puts what comes on stdin below it.

    The answer is all that stands on stdout; with --stream also what the model says before it calls tools.

    Exit code: 0 answered; 1 the answer is not whole (a limit, a refusal); 2 the input is wrong; 3 the provider or a
    server failed; 130 interrupted.
    """
    if is_json and is_streamed:
        raise click.UsageError("--json and --stream both write to stdout: leave one of them out")
    if piped not in (None, "-"):
        raise click.UsageError(f"{piped} is one argument too many: a prompt of several words needs quotes")
    asked = _prompt(prompt, has_more=piped is not None)
    loaded = _limited(load_checked(agent), max_turns)
    allow_servers(loaded, is_allowed=allow_mcp)
    showing = _Showing(is_traced=trace, is_streamed=is_streamed, is_json=is_json)
    return run_async(lambda stop: _answer(asked, loaded, files, stop, showing))


@dataclass(frozen=True, slots=True)
class _Showing:
    """What is shown, and when."""

    is_traced: bool
    is_streamed: bool
    is_json: bool


def _prompt(given: str | None, *, has_more: bool) -> str:
    """The prompt of the command line, of stdin, or the one above the other.

    Beside a prompt stdin is read only when that is said: whoever starts programs often leaves a pipe open that nobody
    writes to.
    """
    is_given = given not in (None, "-")
    parts = [given or ""] if is_given else []
    if has_more or not is_given:
        parts.append(_piped())
    prompt = "\n\n".join(part for part in parts if part.strip())
    if not prompt:
        raise ConfigError("there is no prompt", hint='seatrial run "What can you do?", or pipe it in')
    return prompt


def _piped() -> str:
    if sys.stdin.isatty():
        return ""
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        message = f"standard input is no UTF-8 text (byte {error.start + 1:,} of {len(data):,})"
        raise ConfigError(message, hint='attach a file instead: seatrial run "What is this?" --file PATH') from error


def _limited(loaded: LoadedAgent, max_turns: int | None) -> LoadedAgent:
    if max_turns is None:
        return loaded
    config = loaded.require()
    limits = config.limits.model_copy(update={"max_turns": max_turns})
    return replace(loaded, config=config.model_copy(update={"limits": limits}))


async def _answer(prompt: str, loaded: LoadedAgent, files: Sequence[Path], stop: AbortSignal, showing: _Showing) -> int:
    masker = Masker(loaded.secrets)
    with terminal.stdout_for_us_alone() as out:
        streamed = Streamed(out, loaded.secrets) if showing.is_streamed else None
        async with closed(assemble(loaded), stop) as live:
            message = UserMessage(prompt)
            if files:
                blocks = await asyncio.to_thread(_attached, live, files)
                message = UserMessage((*blocks, *message.blocks))
            await live.prepare(signal=stop, on_notice=lambda text: terminal.tell(masker.text(text)))
            sinks: list[EventSink] = [streamed] if streamed is not None else []
            sinks += [lambda event: show_step(masker.record(event))] if showing.is_traced else []
            result = await live.agent.run(message, signal=stop, sink=_all(sinks), with_deltas=showing.is_streamed)
            if streamed is not None:
                streamed.end()
    if showing.is_json:
        terminal.say_json(to_json(masker.record(result)))
    elif result.text.strip() and not (streamed is not None and streamed.has_written):
        terminal.say(masker.text(result.text))
    return _told(masker.record(result))


def _all(sinks: Sequence[EventSink]) -> EventSink | None:
    """Each event to all of them."""

    def tell(event: AgentEvent) -> None:
        for sink in sinks:
            sink(event)

    return tell if sinks else None


def _attached(live: LiveAgent, files: Sequence[Path]) -> list[UserBlock]:
    return blocks_of_paths(files, accepted_by(live.agent.model, live.loaded.require().model))


def _told(result: RunResult) -> int:
    """The exit code; whatever is not a whole answer is told on stderr."""
    code = _EXIT_CODES.get(result.stop_reason, 1)
    for problem in result.hook_errors:
        terminal.tell(f"error: {problem}")
        code = code or 1
    if result.stop_reason == "aborted":
        terminal.tell(INTERRUPTED)
    elif code and not (result.hook_errors and result.stop_reason in ("stop", "terminated")):
        why = result.error_message or (f"limit {result.limit}" if result.limit else result.stop_reason)
        terminal.tell(f"error: {why}")
    elif not result.text.strip():
        terminal.tell("the agent gave no text")
    return code
