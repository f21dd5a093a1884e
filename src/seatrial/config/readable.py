"""The parts of a refused agent file that can be read, so that a mistake in one place hides none in another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from seatrial.config.agent import AgentConfig
from seatrial.config.fields import LENIENT
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import Block, KeyPath, Listing

_ROUNDS = 8
# For what an agent must have and this one has not in a readable form. Nothing is ever built from it.
_STAND_INS: dict[str, Any] = {
    "name": "unread",
    "model": {"provider": "openai_compatible", "name": "unread"},
    "instructions": "unread",
}


def readable_part(loaded: LoadedAgent) -> LoadedAgent | None:
    """The agent without what was refused of it, for further checks alone; None when too little is left."""
    if not isinstance(loaded.data, Block):
        return None
    data = _copied(loaded.data, {})
    for _ in range(_ROUNDS):
        for key, value in _STAND_INS.items():
            if data.get(key) is None:
                data[key] = value
        try:
            config = AgentConfig.model_validate(data, context={LENIENT: True})
        except ValidationError as error:
            _remove(data, error)
        else:
            return replace(loaded, config=config, data=data)
    return None


def path_in_file(data: Any, path: Iterable[str | int]) -> KeyPath:
    """A key path of the readable part as that of the file, where items of lists may stand before it."""
    found: list[str | int] = []
    for step in path:
        if isinstance(data, _Kept) and isinstance(step, int) and step < len(data):
            found.append(data.numbers[step])
            data = data[step]
        else:
            found.append(step)
            data = data.get(step) if isinstance(data, dict) else None
    return tuple(found)


class _Kept(Listing):
    """A list that may have lost items; ``numbers`` are those that the others have in the file."""

    __slots__ = ("numbers",)
    numbers: list[int]

    def drop(self, index: int) -> None:
        """Takes an item out."""
        del self[index]
        del self.numbers[index]
        del self.spots[index : index + 1]


def _copied(value: Any, done: dict[int, Any]) -> Any:
    """Blocks and lists anew, everything in them as it is; what stands there twice stays one."""
    if id(value) in done:
        return done[id(value)]
    copy: Block | _Kept
    if isinstance(value, Block):
        copy = done[id(value)] = Block(value.file, value.line, value.column)
        copy.is_flow = value.is_flow
        copy.spots.update(value.spots)
        copy.update({key: _copied(item, done) for key, item in value.items()})
    elif isinstance(value, Listing):
        copy = done[id(value)] = _Kept(value.file, value.line, value.column)
        copy.extend(_copied(item, done) for item in value)
        copy.spots = list(value.spots)
        copy.numbers = list(range(len(value)))
    else:
        return value
    return copy


def _remove(data: Block, error: ValidationError) -> None:
    """Takes out every refused value; where one is missing, the block that lacks it."""
    found = {
        (id(holder), step): holder
        for detail in error.errors(include_url=False)
        for holder, step in _innermost(data, detail["loc"])
    }
    for (_, step), holder in sorted(found.items(), key=_from_the_end):
        if isinstance(holder, _Kept) and isinstance(step, int):
            holder.drop(step)
        elif isinstance(holder, Block) and isinstance(step, str):
            holder.pop(step, None)


def _from_the_end(entry: tuple[tuple[int, str | int], Block | _Kept]) -> int:
    step = entry[0][1]
    return -step if isinstance(step, int) else 0


def _innermost(data: Any, path: KeyPath) -> Iterator[tuple[Block | _Kept, str | int]]:
    """The last step of the path that the data can go, with what it starts from."""
    last: tuple[Block | _Kept, str | int] | None = None
    for step in path:
        if _is_in(data, step):
            last, data = (data, step), data[step]
        elif isinstance(data, Block) and isinstance(step, str) and not step.startswith("<"):
            break
    if last is not None:
        yield last


def _is_in(data: Any, step: str | int) -> bool:
    if isinstance(data, _Kept):
        return isinstance(step, int) and step < len(data)
    return isinstance(data, Block) and isinstance(step, str) and step in data
