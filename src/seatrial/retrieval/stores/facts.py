"""A pair of a passage's metadata as text that can be looked for."""

from __future__ import annotations

import json
from typing import Any


def written_fact(name: str, value: Any) -> str:
    """The pair as it stands in JSON; of a whole number only the digits, for 1 and 1.0 are one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{json.dumps(name)}: {json.dumps(value, default=str)}"
