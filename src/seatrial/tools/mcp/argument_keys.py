"""Names of arguments that some API does not take, under others, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

# Anthropic takes no other names of arguments.
_TAKEN = re.compile(r"[a-zA-Z0-9_.-]{1,64}", re.ASCII)
_NOT_TAKEN = re.compile(r"[^a-zA-Z0-9_.-]", re.ASCII)


@dataclass(frozen=True, slots=True)
class ArgumentKeys:
    """The arguments of one tool that have another name for the model: the server's name, then the model's."""

    renamed: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> ArgumentKeys:
        """For the arguments that stand at the top of a schema."""
        properties = schema.get("properties")
        names = list(properties) if isinstance(properties, dict) else []
        taken = {name for name in names if _TAKEN.fullmatch(name)}
        renamed: dict[str, str] = {}
        for name in names:
            if name in taken:
                continue
            legal = _NOT_TAKEN.sub("_", name)[:64] or "_"
            if legal in taken:
                legal = f"{legal[:55]}_{sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"
            taken.add(legal)
            renamed[name] = legal
        return cls(renamed)

    def offered(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema with the model's names; the same one when none is renamed."""
        if not self.renamed:
            return schema
        changed = {**schema, "properties": self._renamed(schema["properties"])}
        required = schema.get("required")
        if isinstance(required, list):
            changed["required"] = [self.renamed.get(name, name) for name in required]
        return changed

    def original(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments under the server's names."""
        if not self.renamed:
            return arguments
        back = {new: old for old, new in self.renamed.items()}
        return {back.get(name, name): value for name, value in arguments.items()}

    def _renamed(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        return {self.renamed.get(name, name): about for name, about in properties.items()}
