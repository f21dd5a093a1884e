"""``seatrial init``: a new project that runs at once."""

from __future__ import annotations

import shlex
import sys
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

import click

from seatrial.cli import terminal
from seatrial.cli.starter import PROJECT_NAME, TEMPLATES, name_for, project_files, write_project
from seatrial.cli.starter_model import (
    DEFAULT_ENDPOINT,
    LOCAL,
    LOCAL_NAME,
    StarterModel,
    needs_endpoint,
    providers_to_choose,
)
from seatrial.installed import install_command
from seatrial.providers.model_catalog import known_names, model_info, near_names


def _valid_name(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not PROJECT_NAME.fullmatch(value):
        raise click.BadParameter(
            f"{value!r} must begin with a letter and hold only letters, digits and hyphens, at most 100"
        )
    return value


def _valid_url(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not value.startswith(("http://", "https://")):
        raise click.BadParameter(f"{value!r} must begin with http:// or https://")
    return value


@click.command("init")
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@click.option("--template", type=click.Choice(list(TEMPLATES)), help="What to begin with; minimal when not asked.")
@click.option("--name", callback=_valid_name, help="The agent's name; the folder's when not given.")
@click.option("--provider", help="Who hosts the model; local (embedded, no key) when not asked.")
@click.option("--model", "model_name", metavar="NAME", help="The model's name at the provider.")
@click.option("--endpoint", metavar="URL", callback=_valid_url, help="The server's base URL (openai_compatible).")
@click.option("--force", is_flag=True, help="Overwrite files that are there already.")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing, take the defaults.")
def command(
    folder: Path,
    template: str | None,
    name: str | None,
    provider: str | None,
    model_name: str | None,
    endpoint: str | None,
    force: bool,
    yes: bool,
) -> None:
    """Write a new project into DIR (default: here): agent file, instructions, a tool, data and test cases.

    Asks for what is not given when run in a terminal. Never overwrites a file without --force.
    """
    asks = not yes and sys.stdin.isatty() and sys.stderr.isatty()
    template = template or (_ask_template() if asks else "minimal")
    model = _chosen_model(provider, model_name, endpoint, asks=asks)
    contents = project_files(template, name or name_for(folder), model)
    write_project(folder, contents, force=force)
    _warn_of_unknown(model)
    _show(folder, list(contents), model)


def _ask_template() -> str:
    for name, summary in TEMPLATES.items():
        terminal.tell(f"  {name:<9} {summary}")
    answer: str = click.prompt("template", type=click.Choice(list(TEMPLATES)), default="minimal", err=True)
    return answer


def _chosen_model(provider: str | None, name: str | None, endpoint: str | None, *, asks: bool) -> StarterModel:
    known = providers_to_choose()
    if provider is None and name is not None and name.partition(":")[0] in known:
        provider, _, name = name.partition(":")
    if provider is None:
        provider = _default_provider(known, name, endpoint, asks=asks)
    if provider not in known:
        near = get_close_matches(provider, known, n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        raise click.BadParameter(
            f"there is no provider {provider!r}; {meant}known: {', '.join(known)}", param_hint="--provider"
        )
    if provider == LOCAL:
        if endpoint is not None:
            raise click.UsageError("the provider local has no --endpoint; name another --provider")
        return StarterModel(LOCAL, name or LOCAL_NAME)
    if name is None:
        if not asks:
            raise click.UsageError(f"--provider {provider} needs --model NAME")
        name = click.prompt("model", err=True)
    if endpoint is None and needs_endpoint(provider):
        endpoint = click.prompt("endpoint", default=DEFAULT_ENDPOINT, err=True) if asks else DEFAULT_ENDPOINT
    return StarterModel(provider, name, endpoint)


def _default_provider(known: list[str], name: str | None, endpoint: str | None, *, asks: bool) -> str:
    if endpoint is not None:
        return "openai_compatible"
    if name is not None:
        raise click.UsageError(f"--model {name} needs --provider; known: {', '.join(known)}")
    if not asks:
        return LOCAL
    answer: str = click.prompt("provider", type=click.Choice(known), default=LOCAL, err=True)
    return answer


def _warn_of_unknown(model: StarterModel) -> None:
    if known_names(model.provider) and model_info(model.provider, model.name) is None:
        near = near_names(model.provider, model.name)
        hint = f"; near names: {', '.join(near)}" if near else ""
        terminal.tell(f"warning: the model {model.name!r} of {model.provider} is not in the catalogue{hint}")


def _show(folder: Path, paths: list[str], model: StarterModel) -> None:
    terminal.say(f"wrote {len(paths)} files to {folder}")
    for path in paths:
        terminal.say(f"  {path}")
    terminal.say()
    terminal.say("next:")
    for step in _next_steps(folder, model):
        terminal.say(f"  {step}")


def _next_steps(folder: Path, model: StarterModel) -> list[str]:
    steps = [] if folder == Path() else [f"cd {shlex.quote(str(folder))}"]
    if find_spec("onnxruntime") is None or find_spec("numpy") is None:
        steps.append(install_command("local"))
    steps += [f"export {variable}=...    # or put {variable}=... into .env" for variable in model.variables]
    return [*steps, "seatrial test"]
