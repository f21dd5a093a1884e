"""The option that allows servers to be started; light, for commands that show something before they load an agent."""

from __future__ import annotations

import click

allow_mcp_option = click.option(
    "--allow-mcp",
    is_flag=True,
    envvar="SEATRIAL_ALLOW_MCP",
    help="Start the programs that the agent file names as MCP servers without asking.",
)
