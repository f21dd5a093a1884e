"""Placeholders of prompt templates: ``{name}``, ``{{name}}`` and ``{{$name}}``."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACEHOLDER = re.compile(r"\{\{\s*\$?([A-Za-z_]\w*)\s*\}\}|(?<!\{)\{([A-Za-z_]\w*)\}")


def placeholders(template: str) -> list[str]:
    """The names that a template asks for, each once, in the order of their first appearance."""
    return list(dict.fromkeys(match[1] or match[2] for match in _PLACEHOLDER.finditer(template)))


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its placeholders replaced; what stands in the values is not looked at again."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1] or match[2], match[0]), template)
