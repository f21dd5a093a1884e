"""``seatrial tools``: what the agent can call, and one call by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from seatrial.assembly.toolset import Listing, Toolset, assemble_tools
from seatrial.cli import terminal
from seatrial.cli.agents import closed, load_checked
from seatrial.cli.allow_mcp import allow_mcp_option, allow_servers
from seatrial.cli.running import run_async
from seatrial.cli.tool_call import OUTAGE, CallWords, call_document, call_words, read_arguments, tell_call
from seatrial.cli.tool_lines import listing_document, listing_lines, parameters_in_words
from seatrial.cli.trace import show_step
from seatrial.config.loaded import LoadedAgent
from seatrial.config.names import did_you_mean
from seatrial.config.secrets import masked
from seatrial.core.abort import AbortSignal
from seatrial.core.events import ToolUpdated, WarningRaised
from seatrial.core.result import RunResult
from seatrial.core.schema import check_tool_arguments
from seatrial.errors import ConfigError, ProviderError, ToolArgumentError
from seatrial.runs.encoding import to_json
from seatrial.runs.masking import Masker

json_option = click.option("--json", "is_json", is_flag=True, help="One JSON document on stdout.")
agent_option = click.option(
    "-a",
    "--agent",
    "agent",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The agent file or its folder (default: agent.yaml here).",
)


class _Tools(click.Group):
    """A group whose first word may also be an agent: then its tools are listed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts ``list`` before anything that is no command of the group, and no slip of one either."""
        near = get_close_matches(args[0], self.commands, n=1) if args else []
        if near and args[0] not in self.commands and not Path(args[0]).exists():
            ctx.fail(f"there is no command {args[0]!r}; did you mean {near[0]}?")
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group("tools", cls=_Tools)
def command() -> None:
    """List the agent's tools, or call one by hand.

    `seatrial tools [AGENT]` is short for `seatrial tools list [AGENT]`. The files of function tools are executed, and
    servers are started.
    """


@command.command("list", short_help="The tools with their parameters.")
@click.argument("place", type=click.Path(path_type=Path), required=False, metavar="[AGENT]")
@agent_option
@click.option("--schema", "has_schema", is_flag=True, help="Show each tool's JSON Schema.")
@click.option("--sent", "is_sent", is_flag=True, help="Show what each provider's API is sent.")
@allow_mcp_option
@json_option
def list_tools(
    place: Path | None, agent: Path | None, has_schema: bool, is_sent: bool, allow_mcp: bool, is_json: bool
) -> int:
    """The tools of AGENT (a file or its folder; default: agent.yaml here): type, source, parameters.

    Exit code: 0 listed; 2 a tool cannot be used; 3 a server could not be asked for its tools.
    """
    if place is not None and agent is not None:
        raise ConfigError("the agent is named twice", hint="write it as the argument or with --agent")
    loaded = load_checked(place or agent or Path())
    allow_servers(loaded, is_allowed=allow_mcp)
    masker = Masker(loaded.secrets)

    async def work(stop: AbortSignal) -> int:
        with terminal.stdout_for_us_alone():
            async with _live(loaded, masker, stop) as toolset:
                listing = await toolset.listed(stop)
        if is_json:
            terminal.say_json(to_json(masked(listing_document(listing, loaded), loaded.secrets)))
        for line in () if is_json else listing_lines(listing, has_schema=has_schema, is_sent=is_sent):
            terminal.say(masker.text(line))
        _tell_problems(listing, masker)
        return OUTAGE if listing.problems else 0

    return run_async(work)


@command.command("call", short_help="Call one tool by hand.")
@click.argument("words", nargs=-1, metavar="[AGENT] NAME [ARGUMENTS]")
@agent_option
@allow_mcp_option
@json_option
def call_tool(words: tuple[str, ...], agent: Path | None, allow_mcp: bool, is_json: bool) -> int:
    """Call the tool NAME of AGENT as a model would: its arguments are checked, hooks and time-outs hold.

    ARGUMENTS is a JSON object, `@FILE` with one, or `-` to read it from stdin; without it there are none. The result
    is all that stands on stdout. Exit code: 0; 1 the tool failed or was not run; 2 the input is wrong; 3 a server or
    provider failed; 130 interrupted.
    """
    asked = call_words(words, agent)
    arguments = read_arguments(asked.arguments)
    loaded = load_checked(asked.agent)
    allow_servers(loaded, is_allowed=allow_mcp)
    masker = Masker(loaded.secrets)

    async def work(stop: AbortSignal) -> int:
        with terminal.stdout_for_us_alone():
            async with _live(loaded, masker, stop, only=asked.name) as toolset:
                result = await _called(toolset, asked, arguments, masker, stop)
        if is_json:
            terminal.say_json(to_json(masked(call_document(result, arguments), loaded.secrets)))
        return tell_call(masker.record(result), is_json=is_json)

    return run_async(work)


@asynccontextmanager
async def _live(
    loaded: LoadedAgent, masker: Masker, stop: AbortSignal, *, only: str | None = None
) -> AsyncIterator[Toolset]:
    """The tools, alive; when ``only`` one is wanted that is none of a server's, no server is started."""
    async with closed(assemble_tools(loaded), stop) as toolset:
        if only is None or not toolset.has_own(only):
            await toolset.start(stop, lambda text: terminal.tell(masker.text(text)))
        yield toolset


async def _called(
    toolset: Toolset, asked: CallWords, arguments: dict[str, Any], masker: Masker, stop: AbortSignal
) -> RunResult:
    """The run that is this call. Raises `ConfigError` for a name that is not there and arguments that do not fit."""
    listing = await toolset.listed(stop)
    tool = listing.get(asked.name)
    if tool is None:
        _tell_problems(listing, masker)
        message = f"the agent has no tool `{asked.name}`"
        names = [listed.offered.name for listed in listing.tools]
        if listing.problems:
            raise ProviderError(message, hint="it may be one of a server that could not be asked")
        raise ConfigError(message, hint=did_you_mean(asked.name, names) or "it has no tools at all")
    try:
        check_tool_arguments(tool, arguments)
    except ToolArgumentError as error:
        words = [line.rstrip(".") for line in parameters_in_words(tool.spec.parameters)]
        takes = "; ".join(words) or "no arguments"
        raise ConfigError(f"{asked.name}: {error.message}", hint=f"it takes {takes}") from error

    def tell(event: object) -> None:
        if isinstance(event, ToolUpdated | WarningRaised):
            show_step(masker.record(event))

    return await toolset.call(asked.name, arguments, signal=stop, sink=tell)


def _tell_problems(listing: Listing, masker: Masker) -> None:
    for problem in listing.problems:
        terminal.tell(f"error: {masker.text(problem)}")
