"""``seatrial schema``: the JSON Schema of the agent file, for editors."""

from __future__ import annotations

import click
import msgspec

from seatrial.cli import terminal
from seatrial.config.json_schema import agent_json_schema
from seatrial.metrics import catalog
from seatrial.providers.catalog import PROVIDERS


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of the agent file.

    Editors complete and check the file with it: write it next to the agent file (`seatrial schema > agent.schema.json`)
    and put `# yaml-language-server: $schema=agent.schema.json` into the agent file's first line.
    """
    schema = agent_json_schema(PROVIDERS.names(), catalog.names())
    terminal.say_json(msgspec.json.format(msgspec.json.encode(schema), indent=2))
