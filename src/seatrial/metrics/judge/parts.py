"""From a trial to the fenced texts that a judge sees."""

from __future__ import annotations

import json
from collections.abc import Sequence

from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.text import shorten_middle
from seatrial.metrics.base import Evidence
from seatrial.metrics.judge.material import Part
from seatrial.metrics.judge.rubrics import PartName

_RESULT_CHARS = 4_000

_TITLES: dict[PartName, str] = {
    "question": "QUESTION",
    "answer": "ANSWER",
    "context": "CONTEXT",
    "ground_truth": "GROUND TRUTH",
    "conversation": "CONVERSATION",
    "instructions": "INSTRUCTIONS",
    "tools": "TOOLS",
}


def parts_of(evidence: Evidence, names: Sequence[PartName]) -> list[Part]:
    """The parts, in the order asked for; those that the trial does not have are left out."""
    found = [(name, _text(evidence, name)) for name in names]
    return [Part(_TITLES[name], text) for name, text in found if text]


def passages(context: Sequence[str]) -> str:
    """Numbered passages."""
    return "\n\n".join(f"[{number}] {passage}" for number, passage in enumerate(context, start=1))


def conversation_of(messages: Sequence[Message]) -> str:
    """The messages as a protocol, calls and results included; long results are shortened in the middle."""
    return "\n\n".join(line for message in messages for line in _lines(message))


def _text(evidence: Evidence, name: PartName) -> str:
    match name:
        case "question":
            return evidence.input
        case "answer":
            return evidence.output
        case "context":
            return passages(evidence.context)
        case "ground_truth":
            return evidence.ground_truth or ""
        case "conversation":
            return conversation_of(evidence.messages) or f"User: {evidence.input}\n\nAgent: {evidence.output}"
        case "instructions":
            return evidence.instructions
        case "tools":
            return "\n".join(f"{tool.name}: {tool.description} {_json(tool.parameters)}" for tool in evidence.tools)


def _lines(message: Message) -> list[str]:
    match message:
        case UserMessage():
            return [f"User: {message.text}"]
        case AssistantMessage():
            said = [f"Agent: {message.text}"] if message.text else []
            return said + [f"Agent calls {call.name} {_json(call.arguments)}" for call in message.tool_calls]
        case ToolResultMessage():
            kind = "Error of" if message.is_error else "Result of"
            return [f"{kind} {message.tool_name}: {shorten_middle(message.text, _RESULT_CHARS)}"]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
