"""A command line that does not fit, in plain words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

import click

_EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)
_NO_COMMAND = re.compile(r"No such command '(.*?)'", re.DOTALL)
_CHOICE = re.compile(r"'(.*)' is not one of ", re.DOTALL)


def in_words(error: click.UsageError) -> str:
    """What is wrong, on one line, without a stop at its end."""
    match error:
        case click.NoSuchOption(option_name=name, possibilities=near):
            return f"there is no option {name}{_nearest(name, near or _options(error))}"
        case click.MissingParameter():
            return f"{_name(error)} is missing"
        case click.BadParameter(param=click.Parameter(type=click.Choice(choices=known))) if wrong := _CHOICE.match(
            error.message
        ):
            names = [str(name) for name in known]
            return f"{_name(error)}: there is no {wrong[1]!r}{_nearest(wrong[1], names)}; known: {', '.join(names)}"
        case click.BadParameter():
            return f"{_name(error)}: {_plain(error.message)}"
        case _ if (unknown := _NO_COMMAND.match(error.message)) and error.ctx is not None:
            names = error.ctx.command.list_commands(error.ctx) if isinstance(error.ctx.command, click.Group) else []
            hint = _nearest(unknown[1], names) or f"; known: {', '.join(names)}"
            return f"there is no command {unknown[1]!r}{hint}"
        case _:
            extra = _EXTRA.match(error.message)
            return f"{extra[1]} is one argument too many" if extra else _plain(error.message)


def where_to_look(error: click.UsageError) -> str:
    """The command that explains the options."""
    path = error.ctx.command_path if error.ctx is not None else "seatrial"
    return f"{path} --help lists what there is"


def _name(error: click.BadParameter) -> str:
    if error.param is None:
        return error.param_hint if isinstance(error.param_hint, str) else "an argument"
    if isinstance(error.param, click.Option):
        return max(error.param.opts, key=len)
    return error.param.make_metavar(error.ctx or click.Context(click.Command(None))).strip("[]")


def _options(error: click.UsageError) -> list[str]:
    command = None if error.ctx is None else error.ctx.command
    return [] if command is None else [name for param in command.params for name in param.opts]


def _nearest(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _plain(message: str) -> str:
    """The message as part of a sentence."""
    text = " ".join(message.split()).removesuffix(".")
    return text[:1].lower() + text[1:] if text[:2].istitle() else text
