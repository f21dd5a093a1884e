"""``seatrial run``: one prompt, one answer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
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
    from seatrial.core.result import RunResult

_EXIT_CODES = {"stop": 0, "terminated": 0, "error": 3, "incomplete": 3, "aborted": 130}


@click.command("run")
@click.argument("prompt", required=False)
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
@click.option("--trace", is_flag=True, help="Show each step on stderr.")
@click.option("--json", "is_json", is_flag=True, help="The whole result as one JSON document on stdout.")
def command(
    prompt: str | None, agent: Path, files: tuple[Path, ...], allow_mcp: bool, trace: bool, is_json: bool
) -> int:
    """Answer one PROMPT, given here or on stdin.

    The answer is all that stands on stdout. Exit code: 0 answered; 1 the answer is not whole (a limit, a refusal);
    2 the input is wrong; 3 the provider or a server failed; 130 interrupted.
    """
    asked = _prompt(prompt)
    loaded = load_checked(agent)
    allow_servers(loaded, is_allowed=allow_mcp)
    return run_async(lambda stop: _answer(asked, loaded, files, stop, is_traced=trace, is_json=is_json))


def _prompt(given: str | None) -> str:
    """The prompt of the command line with what comes from a pipe below it."""
    piped = "" if given not in (None, "-") or sys.stdin.isatty() else sys.stdin.read()
    prompt = piped if given in (None, "-") else given
    if not prompt or not prompt.strip():
        raise ConfigError("there is no prompt", hint='seatrial run "What can you do?", or pipe it in')
    return prompt


async def _answer(
    prompt: str, loaded: LoadedAgent, files: Sequence[Path], stop: AbortSignal, *, is_traced: bool, is_json: bool
) -> int:
    masker = Masker(loaded.secrets)
    with terminal.stdout_for_us_alone():
        async with closed(assemble(loaded), stop) as live:
            message = UserMessage(prompt)
            if files:
                blocks = await asyncio.to_thread(_attached, live, files)
                message = UserMessage((*blocks, *message.blocks))
            await live.prepare(signal=stop, on_notice=lambda text: terminal.tell(masker.text(text)))
            sink = (lambda event: show_step(masker.record(event))) if is_traced else None
            result = await live.agent.run(message, signal=stop, sink=sink, with_deltas=False)
    if is_json:
        terminal.say_json(to_json(masker.record(result)))
    elif result.text.strip():
        terminal.say(masker.text(result.text))
    return _told(masker.record(result))


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
