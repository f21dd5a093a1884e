"""``seatrial index``: build, refresh and try the vector indexes of an agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
import msgspec

from seatrial.assembly.tools import build_reranker, open_index, search_settings
from seatrial.cli import terminal
from seatrial.cli.agents import load_checked
from seatrial.cli.index_progress import IndexBar
from seatrial.cli.index_words import counted, index_in_words
from seatrial.cli.numbers import Number, Whole
from seatrial.cli.options import agent_option
from seatrial.cli.running import run_async
from seatrial.config.loaded import LoadedAgent
from seatrial.config.vectorstore import VectorstoreToolConfig
from seatrial.core.abort import AbortSignal
from seatrial.core.threads import in_thread
from seatrial.errors import ConfigError
from seatrial.retrieval.base import SearchMode, SearchResult
from seatrial.retrieval.report import IndexReport, IndexStats, require_passages
from seatrial.retrieval.search import SearchSettings

if TYPE_CHECKING:
    from seatrial.retrieval.index import Index

_PROBLEMS_SHOWN = 10

tool_option = click.option("--tool", "tool", metavar="NAME", help="Only this vectorstore tool.")
json_option = click.option("--json", "is_json", is_flag=True, help="One JSON document on stdout.")


@click.group("index", invoke_without_command=True)
@agent_option
@tool_option
@click.option("--rebuild", is_flag=True, help="Read and embed every file again, changed or not.")
@click.option("--stats", is_flag=True, help="Only show what the indexes hold; nothing is read or built.")
@json_option
@click.pass_context
def command(ctx: click.Context, agent: Path, tool: str | None, rebuild: bool, stats: bool, is_json: bool) -> int:
    """Build or refresh the vector indexes of the agent: only files that changed are read.

    A killed run loses nothing but the file in flight; the next one goes on there.
    """
    if ctx.invoked_subcommand is not None:
        # What was said before the subcommand holds for it too.
        ctx.default_map = {"search": {"agent": str(agent), "tool": tool}}
        return 0
    if stats:
        return _show_stats(load_checked(agent, show_warnings=False), tool, is_json)
    loaded = load_checked(agent)
    return run_async(lambda stop: _build(loaded, tool, rebuild, is_json, stop))


@command.command("search")
@click.argument("query")
@agent_option
@tool_option
@click.option("-n", "--top-k", type=Whole(), metavar="N", help="How many passages (default: the tool's).")
@click.option(
    "--min-score",
    type=Number(0, 1),
    metavar="S",
    help="Leave out passages below this score, the number that stands behind each (0 to 1).",
)
@click.option("--mode", type=click.Choice(get_args(SearchMode)), help="How to search (default: the tool's).")
@json_option
def search(
    query: str,
    agent: Path,
    tool: str | None,
    top_k: int | None,
    min_score: float | None,
    mode: SearchMode | None,
    is_json: bool,
) -> int:
    """Show the passages that a question finds. The index is refreshed before."""
    loaded = load_checked(agent, show_warnings=False)

    def settings(config: VectorstoreToolConfig) -> SearchSettings:
        own = search_settings(config)
        least = own.min_score if min_score is None else min_score
        return replace(own, top_k=top_k or own.top_k, min_score=least, mode=mode or own.mode)

    return run_async(lambda stop: _search(loaded, tool, query, settings, is_json, stop))


async def _build(loaded: LoadedAgent, tool: str | None, is_forced: bool, is_json: bool, stop: AbortSignal) -> int:
    reports: dict[str, IndexReport] = {}
    for config in _chosen(loaded, tool):
        report = await in_thread(_refresh, config, loaded, is_forced, stop)
        reports[config.name] = report
        if not is_json:
            terminal.say(f"{config.name}: {index_in_words(report)}")
        _tell_problems(report)
    if is_json:
        terminal.say_json(msgspec.json.encode({name: asdict(report) for name, report in reports.items()}))
    return 0


async def _search(
    loaded: LoadedAgent,
    tool: str | None,
    query: str,
    settings: Callable[[VectorstoreToolConfig], SearchSettings],
    is_json: bool,
    stop: AbortSignal,
) -> int:
    found = {
        config.name: await in_thread(_refresh_and_search, config, loaded, query, settings(config), stop)
        for config in _chosen(loaded, tool)
    }
    if is_json:
        results = {name: [asdict(result) for result in hits] for name, hits in found.items()}
        terminal.say_json(msgspec.json.encode({"query": query, "results": results}))
        return 0
    for name, hits in found.items():
        terminal.say(f"{name}: {counted(len(hits), 'passage')}")
        for number, hit in enumerate(hits, start=1):
            terminal.say(_hit_in_words(number, hit))
    return 0


def _show_stats(loaded: LoadedAgent, tool: str | None, is_json: bool) -> int:
    stats = {config.name: _stats(config, loaded) for config in _chosen(loaded, tool)}
    if is_json:
        terminal.say_json(msgspec.json.encode({name: asdict(one) for name, one in stats.items()}))
        return 0
    for name, one in stats.items():
        size = "" if one.bytes_on_disk is None else f", {one.bytes_on_disk / 1e6:.1f} MB on disk"
        problems = f", {counted(one.problems, 'problem')}" if one.problems else ""
        terminal.say(
            f"{name}: {counted(one.files, 'file')}, {counted(one.chunks, 'passage')}{size}{problems}; {one.embedder}"
        )
    return 0


def _chosen(loaded: LoadedAgent, tool: str | None) -> list[VectorstoreToolConfig]:
    configs = [config for config in loaded.require().tools if isinstance(config, VectorstoreToolConfig)]
    if not configs:
        raise ConfigError(f"{loaded.path} has no tool of type vectorstore", hint="there is nothing to index")
    chosen = [config for config in configs if tool in (None, config.name)]
    if not chosen:
        known = ", ".join(config.name for config in configs)
        raise ConfigError(f"{loaded.path} has no vectorstore tool {tool!r}", hint=f"known: {known}")
    return chosen


@contextmanager
def _opened(config: VectorstoreToolConfig, loaded: LoadedAgent) -> Iterator[Index]:
    index = open_index(config, loaded)
    try:
        yield index
    finally:
        index.close()


def _stats(config: VectorstoreToolConfig, loaded: LoadedAgent) -> IndexStats:
    with _opened(config, loaded) as index:
        return index.stats()


def _refresh(config: VectorstoreToolConfig, loaded: LoadedAgent, is_forced: bool, stop: AbortSignal) -> IndexReport:
    source = loaded.path_to(config.source)
    with _opened(config, loaded) as index, IndexBar(config.name) as bar:
        return require_passages(index.refresh(source, on_progress=bar, signal=stop, is_forced=is_forced), source)


def _refresh_and_search(
    config: VectorstoreToolConfig, loaded: LoadedAgent, query: str, settings: SearchSettings, stop: AbortSignal
) -> list[SearchResult]:
    rerank = build_reranker(config, loaded)
    _refresh(config, loaded, False, stop)
    with _opened(config, loaded) as index:
        return index.search(query, settings, rerank=rerank)


def _tell_problems(report: IndexReport) -> None:
    for problem in report.problems[:_PROBLEMS_SHOWN]:
        terminal.tell(f"  warning: {problem}")
    if len(report.problems) > _PROBLEMS_SHOWN:
        terminal.tell(f"  and {len(report.problems) - _PROBLEMS_SHOWN} more problems")


def _hit_in_words(number: int, hit: SearchResult) -> str:
    known: dict[str, Any] = {name: value for name, value in hit.metadata_dict.items() if name != "location"}
    facts = "; ".join(f"{name}: {value}" for name, value in known.items())
    lines = [f"\n{number}. {hit.source_reference}  {hit.relevance_score:.3f}"]
    lines += [f"   {line}" for line in (*hit.matched_content.splitlines(), facts) if line.strip()]
    return "\n".join(lines)
