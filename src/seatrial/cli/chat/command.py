"""``seatrial chat``: a conversation with the agent. The prompt stands there before the agent is loaded."""

from __future__ import annotations

import asyncio
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from seatrial.cli.chat.lines import Lines
from seatrial.cli.mcp_option import allow_mcp_option
from seatrial.errors import MissingExtraError, SeatrialError

if TYPE_CHECKING:
    from seatrial.cli.chat.face import Face

INTERRUPTED = 130


@click.command("chat")
@click.argument("agent", type=click.Path(path_type=Path), required=False, default=Path(), metavar="[AGENT]")
@click.option("--model", metavar="PROVIDER:NAME", help="Use this model in place of the agent's own.")
@click.option("--plain", "is_plain", is_flag=True, help="Whole lines and no redrawing, for screen readers.")
@click.option("--trace", "is_full", is_flag=True, help="Show every step in full, with reasoning.")
@allow_mcp_option
def command(agent: Path, model: str | None, is_plain: bool, is_full: bool, allow_mcp: bool) -> int:
    """Talk with AGENT (a file or its folder; default: agent.yaml here).

    Enter sends, Ctrl-C stops the answer, a second one or /quit leaves; /help lists the commands, @PATH in a message
    attaches a file. Without a terminal each line of stdin is a message, and stdout holds the answers alone.

    Exit code: 0; 2 the input is wrong; 130 left by Ctrl-C. Without a terminal also 1 an answer is not whole (a limit,
    a refusal) and 3 the provider or a server failed.
    """
    return _run(agent, model, _face(is_plain=is_plain), is_full=is_full, allow_mcp=allow_mcp)


def _face(*, is_plain: bool) -> Face:
    """The face for the terminal that there is."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not is_terminal or is_plain or os.environ.get("TERM", "dumb") == "dumb":
        return Lines(has_labels=sys.stdin.isatty(), is_streamed=is_terminal)
    try:
        face: Face = import_module("seatrial.cli.chat.screen").Screen(_history())
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("prompt_toolkit", "markdown_it"):
            raise
        missing = MissingExtraError("chat", "the line editor of a chat")
        missing.hint = f"{missing.hint}, or do without it: seatrial chat --plain"
        raise missing from error
    return face


def _history() -> Path | None:
    """Where it is kept what was entered."""
    home = os.environ.get("XDG_STATE_HOME") or (
        str(Path(os.environ["HOME"]) / ".local" / "state") if os.environ.get("HOME") else ""
    )
    return Path(home) / "seatrial" / "chat-history" if home else None


def _run(agent: Path, model: str | None, face: Face, *, is_full: bool, allow_mcp: bool) -> int:
    """The event loop around the chat. When it is left by Ctrl-C nothing is waited for."""
    runner = asyncio.Runner()
    code = INTERRUPTED
    try:
        code = runner.run(_talk(agent, model, face, is_full=is_full, allow_mcp=allow_mcp))
    except SystemExit as error:
        raise SeatrialError("code of a tool or a hook ended the program", hint="let it raise an exception") from error
    finally:
        if code != INTERRUPTED:
            runner.close()
    return code


async def _talk(agent: Path, model: str | None, face: Face, *, is_full: bool, allow_mcp: bool) -> int:
    reading = asyncio.ensure_future(face.read()) if face.is_live else None
    await face.shown()
    talk = await asyncio.to_thread(import_module, "seatrial.cli.chat.talk")
    code: int = await talk.Talk(face, reading).run(agent, model, is_full=is_full, allow_mcp=allow_mcp)
    return code
