"""The steps of an agent's run, told on stderr one by one."""

from __future__ import annotations

from seatrial.cli import terminal
from seatrial.core.events import (
    AgentEvent,
    MessageEnded,
    RetryScheduled,
    RunEnded,
    ToolEnded,
    ToolStarted,
    ToolUpdated,
    TurnStarted,
    UsageCounted,
    WarningRaised,
)
from seatrial.reporters.plain import one_line
from seatrial.reporters.words import dollars, seconds
from seatrial.runs.encoding import to_json

_WIDTH = 400


def show_step(event: AgentEvent) -> None:
    """One line for a step that people want to see; nothing for the others."""
    match event:
        case TurnStarted(turn):
            terminal.tell(f"turn {turn}")
        case MessageEnded(message):
            for part in message.reasoning:
                terminal.tell(f"  thinks  {one_line(part.text, _WIDTH)}")
            if message.text.strip() and message.tool_calls:
                terminal.tell(f"  says    {one_line(message.text, _WIDTH)}")
        case ToolStarted(call):
            terminal.tell(f"  calls   {call.name}({one_line(to_json(call.arguments).decode(), _WIDTH)})")
        case ToolUpdated(_, text):
            terminal.tell(f"          {one_line(text, _WIDTH)}")
        case ToolEnded(result):
            word = "failed" if result.is_error else "gave"
            took = "" if result.duration_s is None else f"  ({seconds(result.duration_s)})"
            terminal.tell(f"  {word:<8}{one_line(result.text, _WIDTH)}{took}")
        case RetryScheduled(attempt, delay_s, reason):
            terminal.tell(f"  retry   {attempt} in {seconds(delay_s)}: {one_line(reason, _WIDTH)}")
        case WarningRaised(text):
            terminal.tell(f"  warning {one_line(text, _WIDTH)}")
        case UsageCounted(usage, cost_usd):
            known = f"{usage.input_tokens} + {usage.output_tokens} tokens" if usage.is_known else "tokens unknown"
            terminal.tell(f"  used    {known}, {'cost unknown' if cost_usd is None else dollars(cost_usd)}")
        case RunEnded(stop_reason, limit, error_message):
            why = error_message or limit
            terminal.tell(f"ended: {stop_reason}" + (f" ({one_line(why, _WIDTH)})" if why else ""))
        case _:
            pass
