"""What a finished trial shows: to its metrics, and to people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from seatrial.core.messages import Message, ToolResultMessage
from seatrial.core.usage import UsageTotal
from seatrial.metrics.base import Evidence
from seatrial.runs.records import ExpectedCall

if TYPE_CHECKING:
    from seatrial.config.cases import CaseConfig
    from seatrial.core.result import RunResult
    from seatrial.runner.execute import Turn


def evidence_of_turn(turn: Turn, case: str = "", index: int = 0, instructions: str = "") -> Evidence:
    """What one turn of a case shows: its own messages, not those before it. Turns count from 0.

    The context is what the case names, then what searches found.
    """
    config, messages = turn.config, turn.result.added.messages
    return Evidence(
        input=config.input or "",
        output=turn.answer,
        messages=messages,
        ground_truth=config.ground_truth,
        context=(*config.retrieval_context, *passages_in(messages)),
        duration_s=turn.duration_s,
        cost_usd=turn.result.cost_usd,
        instructions=instructions,
        tools=turn.result.tools,
        case=case,
        turn_index=index,
        turn_config=config.turn_config or {},
    )


def evidence_of_conversation(
    config: CaseConfig, turns: Sequence[Turn], case: str = "", instructions: str = ""
) -> Evidence:
    """What all turns together show; the answer, and the place, are those of the last one."""
    messages = turns[-1].result.transcript.messages
    return Evidence(
        input=said_in(config),
        output=turns[-1].answer,
        messages=messages,
        ground_truth=config.ground_truth,
        context=(*config.retrieval_context, *passages_in(messages)),
        duration_s=sum(turn.duration_s for turn in turns),
        cost_usd=cost_of_turns(turn.result for turn in turns),
        instructions=instructions,
        tools=turns[-1].result.tools,
        case=case,
        turn_index=len(turns) - 1,
        turn_config=config.turn_config or {},
    )


def said_in(case: CaseConfig) -> str:
    """What the user says, turn by turn."""
    return case.input if case.input is not None else "\n".join(turn.input for turn in case.turns)


def expected_tools(case: CaseConfig) -> tuple[str, ...] | None:
    """The names of the tools that the case expects, each as often as it should be called; None when it does not say."""
    stated = [each.expected_tools for each in (case, *case.turns) if each.expected_tools is not None]
    if not stated:
        return None
    return tuple(
        tool.name for tools in stated for tool in tools for _ in range(1 if tool.count is None else tool.count)
    )


def expected_calls(case: CaseConfig) -> tuple[ExpectedCall, ...]:
    """The same with arguments."""
    stated = [tool for each in (case, *case.turns) for tool in each.expected_tools or ()]
    return tuple(
        ExpectedCall(tool.name, tool.args, 1 if tool.count is None else tool.count, tool.ok) for tool in stated
    )


def forbidden_tools(case: CaseConfig) -> tuple[str, ...]:
    """The tools that the case, or one of its turns, forbids."""
    return tuple(dict.fromkeys(name for each in (case, *case.turns) for name in each.forbidden_tools))


def cost_of_turns(results: Iterable[RunResult]) -> float | None:
    """Dollars of all turns; None as soon as one is unknown."""
    total = None
    for result in results:
        if result.cost_usd is None:
            return None
        total = (total or 0.0) + result.cost_usd
    return total


def usage_of_turns(results: Iterable[RunResult]) -> UsageTotal:
    """The tokens of all turns."""
    total = None
    for result in results:
        total = result.usage if total is None else total.plus(result.usage)
    return total or UsageTotal()


def passages_in(messages: tuple[Message, ...]) -> Iterator[str]:
    """The passages that searches found."""
    for message in messages:
        if not isinstance(message, ToolResultMessage) or not isinstance(message.details, dict):
            continue
        results = message.details.get("results")
        for found in results if isinstance(results, list) else ():
            if isinstance(found, dict) and isinstance(found.get("matched_content"), str):
                yield found["matched_content"]
