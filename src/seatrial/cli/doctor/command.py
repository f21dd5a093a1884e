"""``seatrial doctor``: checks the environment and tells the mends."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from seatrial.cli import terminal
from seatrial.cli.doctor import agent as agent_checks
from seatrial.cli.doctor import machine
from seatrial.cli.doctor.finding import Finding, exit_code_of, told_once
from seatrial.cli.doctor.online import ask_hosts, hosts_of
from seatrial.cli.options import store_option
from seatrial.config.agent_path import agent_file
from seatrial.config.env_file import read_env_file
from seatrial.config.loaded import LoadedAgent
from seatrial.core.model import Model
from seatrial.runs.encoding import to_json
from seatrial.runs.masking import Masker


@click.command("doctor")
@click.argument("agent", type=click.Path(path_type=Path), required=False, metavar="[AGENT]")
@click.option("--online/--offline", "is_online", default=None, help="Ask the agent's hosts, or do not even offer it.")
@store_option
@click.option("--json", "is_json", is_flag=True, help="One JSON document on stdout.")
def command(agent: Path | None, is_online: bool | None, place: str | None, is_json: bool) -> int:
    """Check Python, extras, keys, the run store, and what AGENT (a file or its folder) needs; say what to do.

    Without AGENT the agent.yaml of this folder is looked at, if there is one. Values of keys are never shown, and no
    host is asked without --online or a yes. Exit code: 0 nothing to mend; 2 something to mend; 3 only the world
    outside is at fault.
    """
    path = agent or Path()
    folder = agent_file(path).parent
    findings = [machine.python(), *machine.extras(), *machine.keys(_environ(folder))]
    masker = Masker(())
    if agent is not None or agent_file(path).exists():
        loaded, told = agent_checks.load(path)
        findings += told
        if loaded is not None:
            masker = Masker(loaded.secrets)
            findings += _of_agent(loaded, is_online=is_online, may_ask=not is_json)
    findings.append(machine.store(folder, place))
    findings = [masker.record(finding) for finding in told_once(findings)]
    code = exit_code_of(findings)
    if is_json:
        terminal.say_json(to_json({"findings": findings, "exit_code": code}))
    else:
        _show(findings)
    return code


def _of_agent(loaded: LoadedAgent, *, is_online: bool | None, may_ask: bool) -> list[Finding]:
    built = list(agent_checks.models(loaded))
    findings = [finding for finding, _ in built]
    findings += [*agent_checks.needed_extras(loaded), *agent_checks.servers(loaded), *agent_checks.sources(loaded)]
    models = [model for _, model in built if model is not None]
    hosts = hosts_of(models, loaded)
    if is_online is None:
        is_online = may_ask and _says_yes(hosts)
    return [*findings, *asyncio.run(_asked(models, loaded, is_online=is_online))]


async def _asked(models: Sequence[Model], loaded: LoadedAgent, *, is_online: bool) -> list[Finding]:
    try:
        return await ask_hosts(models, loaded) if is_online else []
    finally:
        for model in models:
            await model.close()


def _says_yes(hosts: Sequence[str]) -> bool:
    if not hosts or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    return click.confirm(f"ask whether it can be reached: {', '.join(hosts)}?", err=True)


def _environ(folder: Path) -> Mapping[str, str]:
    """The environment with ``.env`` behind it."""
    variables, _ = read_env_file(folder / ".env")
    return {**variables, **os.environ}


def _show(findings: Sequence[Finding]) -> None:
    width = max(len(finding.about) for finding in findings)
    for finding in findings:
        terminal.say(f"{finding.state:<8} {finding.about.ljust(width)}  {finding.message}")
        if finding.mend:
            terminal.say(f"{'':<8} {'':<{width}}  -> {finding.mend}")
    problems = [finding for finding in findings if finding.state == "problem"]
    terminal.say()
    terminal.say(
        f"{len(problems)} to mend: {', '.join(each.about for each in problems)}" if problems else "nothing to mend"
    )
