"""What a server offers and answers, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """A tool as its server lists it; ``name`` is the name on the wire, ``input_schema`` the server's own."""

    name: str
    label: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    annotations: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, listed: dict[str, Any]) -> RemoteTool:
        """From the server's own JSON, which has a name; anything else in it may be missing or of another kind."""
        annotations = listed.get("annotations")
        annotations = annotations if isinstance(annotations, dict) else {}
        name: str = listed["name"]
        label = _first_text(listed.get("title"), annotations.get("title"), listed.get("label")) or name
        schema, output = listed.get("inputSchema"), listed.get("outputSchema")
        return cls(
            name=name,
            label=label,
            description=_first_text(listed.get("description")) or label,
            input_schema=schema if isinstance(schema, dict) and schema else _NO_ARGUMENTS,
            output_schema=output if isinstance(output, dict) else None,
            annotations=annotations,
        )

    @property
    def may_repeat(self) -> bool:
        """Whether the server says that calling it twice does no more than calling it once."""
        return self.annotations.get("readOnlyHint") is True or self.annotations.get("idempotentHint") is True


@dataclass(frozen=True, slots=True)
class RemoteResult:
    """What a call gave, in the server's own JSON."""

    content: tuple[Any, ...]
    structured_content: Any = None
    has_structured_content: bool = False
    is_error: bool = False

    @classmethod
    def of(cls, result: dict[str, Any]) -> RemoteResult:
        """From the server's own JSON; content may be missing, or one block or text without a list around it."""
        content = result.get("content")
        blocks = content if isinstance(content, list) else [] if content is None else [content]
        return cls(
            content=tuple(blocks),
            structured_content=result.get("structuredContent"),
            has_structured_content="structuredContent" in result,
            is_error=result.get("isError") is True,
        )


def _first_text(*values: Any) -> str:
    return next((value for value in values if isinstance(value, str) and value.strip()), "")
