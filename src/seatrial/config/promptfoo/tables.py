"""The data file: hosts, names of settings, and what to write in place of what is not here."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> Any:
    """One table of ``data/promptfoo.json``."""
    text = files("seatrial.config").joinpath("data/promptfoo.json").read_text("utf-8")
    return json.loads(text)[name]
