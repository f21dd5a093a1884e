"""A vendor's own request types as judges of JSON: nothing that they do not know passes."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic_core import SchemaValidator

NEVER = {"type": "literal", "expected": ["objects of the SDK do not come over a wire"]}


class VendorType:
    """Checks request bodies against a ``TypedDict`` of an SDK, strictly: exact types, no unknown keys, every item."""

    def __init__(self, params: Any) -> None:
        self._validator = SchemaValidator(_strict(TypeAdapter(params).core_schema))

    def check(self, body: bytes) -> None:
        """Raises ``ValidationError`` for what the vendor's types do not describe."""
        self._validator.validate_json(body, strict=True)


def _strict(node: Any) -> Any:
    if isinstance(node, list | tuple):
        return type(node)(map(_strict, node))
    if not isinstance(node, dict):
        return node
    if node.get("type") == "model":
        return NEVER | ({"ref": node["ref"]} if "ref" in node else {})
    strict = {key: _strict(value) for key, value in node.items()}
    if node.get("type") == "typed-dict":
        strict["extra_behavior"] = "forbid"
    if node.get("type") == "generator":  # else its items are looked at only when they are asked for
        strict["type"] = "list"
    return strict
