"""``seatrial completion``: the script that has a shell complete commands, options, files and names of runs."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from seatrial.cli import terminal
from seatrial.cli.completing import VARIABLE
from seatrial.errors import ConfigError

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print the script that completes seatrial's words in SHELL.

    \b
    To keep it, once, and then open a new shell:
      seatrial completion bash >> ~/.bashrc
      seatrial completion zsh >> ~/.zshrc
      seatrial completion fish > ~/.config/fish/completions/seatrial.fish
    """
    script = get_completion_class(shell)
    if script is None:
        raise ConfigError(f"nothing is known of completing in {shell}", hint=f"known: {', '.join(SHELLS)}")
    asked = script(click.Command("seatrial"), {}, "seatrial", VARIABLE)
    terminal.say_bytes((asked.source_template % asked.source_vars()).strip("\n").encode() + b"\n")
    return 0
