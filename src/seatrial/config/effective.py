"""An agent file as it is used: settings merged in, variables filled, each value with where it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from seatrial.config.diagnostics import Place
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import Block, FilledText, Listing, PlainText
from seatrial.config.secrets import MASK, is_holder_of_secrets, mask

_COLUMN = 60


def effective_lines(loaded: LoadedAgent) -> Iterator[str]:
    """The file as YAML, line by line, with ``# file:line`` behind each value; secrets masked, test cases counted."""
    if not isinstance(loaded.data, Block):
        return
    for key, value in loaded.data.items():
        if key == "test_cases" and isinstance(value, Listing):
            yield _told(f"test_cases: # {len(value)} in all", loaded.data.place_of_key(key))
        else:
            yield from _entry(loaded, loaded.data, key, value, 0, False)


def _entry(loaded: LoadedAgent, block: Block, key: str, value: Any, depth: int, is_secret: bool) -> Iterator[str]:
    hides = is_secret or is_holder_of_secrets(key)
    indent = "  " * depth
    if isinstance(value, (Block, Listing)) and value:
        yield f"{indent}{key}:"
        yield from _inside(loaded, value, depth + 1, hides)
    else:
        yield _told(f"{indent}{key}: {_scalar(loaded, value, hides)}", block.place_of_value(key), value)


def _inside(loaded: LoadedAgent, value: Block | Listing, depth: int, is_secret: bool) -> Iterator[str]:
    if isinstance(value, Block):
        for key, item in value.items():
            yield from _entry(loaded, value, key, item, depth, is_secret)
        return
    indent = "  " * depth
    for index, item in enumerate(value):
        if isinstance(item, (Block, Listing)) and item:
            first, *rest = _inside(loaded, item, depth + 1, is_secret)
            yield f"{indent}- {first.lstrip()}"
            yield from rest
        else:
            yield _told(f"{indent}- {_scalar(loaded, item, is_secret)}", value.place_of_item(index), item)


def _scalar(loaded: LoadedAgent, value: Any, is_secret: bool) -> str:
    if isinstance(value, PlainText) and not is_secret:
        return str(value)
    if isinstance(value, str):
        return json.dumps(MASK if is_secret else mask(value, loaded.secrets), ensure_ascii=False)
    return "" if value is None else json.dumps(value)


def _told(text: str, place: Place, value: Any = None) -> str:
    origin = f"{place.file}:{place.line}"
    if isinstance(value, FilledText):
        origin += f", {value.written.strip().splitlines()[0][:60]}" if value.written.strip() else ""
    return f"{text:<{_COLUMN}} # {origin}".rstrip()
