"""The command table. A command's module is imported when the command is called, never for ``--help``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple, NoReturn

import click

from seatrial import __version__
from seatrial.cli import streams, terminal
from seatrial.errors import SeatrialError


class Entry(NamedTuple):
    """Where a command lives (a module with a click command named ``command``) and its line in the help."""

    module: str
    summary: str


COMMANDS = {
    "init": Entry("seatrial.cli.init", "Begin a new project that runs at once."),
    "validate": Entry("seatrial.cli.validate", "Check the agent file and say what to write instead."),
    "schema": Entry("seatrial.cli.schema", "Print the JSON Schema of the agent file."),
    "run": Entry("seatrial.cli.run", "Answer one prompt."),
    "chat": Entry("seatrial.cli.chat.command", "Talk with the agent."),
    "test": Entry("seatrial.cli.suite", "Run the test cases and give a verdict."),
    "tools": Entry("seatrial.cli.tools", "List the agent's tools, or call one by hand."),
    "index": Entry("seatrial.cli.index", "Build or refresh the vector indexes."),
    "runs": Entry("seatrial.cli.runs", "List, show, export and delete stored runs."),
    "compare": Entry("seatrial.cli.compare", "Say what got better and worse between two runs."),
    "calibrate": Entry("seatrial.cli.calibrate", "Say how far judges agree with people."),
    "doctor": Entry("seatrial.cli.doctor.command", "Check the environment and say what to mend."),
    "import": Entry("seatrial.cli.import_suite", "Carry over files of other tools."),
    "completion": Entry("seatrial.cli.completion", "Print the script that completes words in your shell."),
}


class CommandTable(click.Group):
    """A group that knows its commands by name and summary only."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command itself; here its module is imported."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = import_module(entry.module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but an unknown name is answered with the nearest known ones."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = import_module("difflib").get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(COMMANDS)}"
            ctx.fail(f"there is no command {name!r}; {hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """As click does it, but a broken pipe is not taken for the console's, which never breaks."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise SeatrialError(f"the connection to another program broke: {error}") from error

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the table without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


def _remember_debug(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if isinstance(ctx.obj, terminal.Session):
        ctx.obj.is_debug = ctx.obj.is_debug or value


@click.group(cls=CommandTable, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="seatrial", message="%(prog)s %(version)s")
@click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=_remember_debug,
    help="On an internal error, write the traceback to a file and say where.",
)
def cli() -> None:
    """Put an agent through its sea trial before it sails."""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """The console script: runs one command and ends the process with its exit code."""
    instruction = os.environ.get("_SEATRIAL_COMPLETE")
    if instruction:
        sys.exit(import_module("seatrial.cli.completing").complete(instruction))
    args = list(sys.argv[1:] if argv is None else argv)
    session = terminal.Session()
    sinks = streams.prepare()
    code = terminal.guard(
        lambda: cli.main(args=args, prog_name="seatrial", standalone_mode=False, obj=session), session
    )
    terminal.leave(code, streams.lost(sinks))
