"""The JSON file of the provider ``scripted``: what a model says, reply by reply."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from seatrial.config.located import KeyPath, locate
from seatrial.config.source import Source, read_source
from seatrial.config.yaml_reader import read_yaml
from seatrial.core.usage import UNKNOWN_USAGE, Usage
from seatrial.errors import ConfigError

T = TypeVar("T", bound=msgspec.Struct)
_FORM = 'a script is a list of replies, such as ["Hello."], or an object with `conversations`'


class ScriptedCall(msgspec.Struct, forbid_unknown_fields=True):
    """A tool call of a reply."""

    name: str
    arguments: dict[str, Any] = {}


class ScriptedReply(msgspec.Struct, forbid_unknown_fields=True):
    """One reply: text, tool calls, or an ``error`` as a provider that fails gives it."""

    text: str = ""
    reasoning: str = ""
    calls: list[ScriptedCall] = []
    error: str | None = None
    usage: Usage = UNKNOWN_USAGE


class _Conversation(msgspec.Struct, forbid_unknown_fields=True):
    when: str
    replies: list[Any]


@dataclass(frozen=True, slots=True)
class Script:
    """Replies for conversations whose first user message holds ``when``; None: for any."""

    replies: Sequence[ScriptedReply | str]
    when: str | None = None


def read_script(path: Path) -> list[Script]:
    """The scripts of the file, one for a mere list of replies. Raises `ConfigError` that says where it is wrong."""
    try:
        source = read_source(path)
    except ConfigError as error:
        raise ConfigError(
            f"the script {path.name} cannot be read: {error.message}",
            hint="for the provider `scripted`, `name` is the path of a JSON file with the replies",
        ) from error
    try:
        data = json.loads(source.text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}:{error.lineno}:{error.colno}: this is no JSON: {error.msg}", hint=_FORM) from error
    return _Reader(source).scripts(data)


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source

    def scripts(self, data: Any) -> list[Script]:
        if isinstance(data, list):
            return [Script(self._replies(data, ()))]
        if not isinstance(data, dict) or set(data) != {"conversations"} or not isinstance(data["conversations"], list):
            raise self._wrong((), "this is no script", _FORM)
        return [self._script(item, ("conversations", index)) for index, item in enumerate(data["conversations"])]

    def _script(self, item: Any, at: KeyPath) -> Script:
        conversation = self._read(item, _Conversation, at)
        return Script(self._replies(conversation.replies, (*at, "replies")), conversation.when)

    def _replies(self, items: list[Any], at: KeyPath) -> list[ScriptedReply | str]:
        return [item if isinstance(item, str) else self._reply(item, (*at, index)) for index, item in enumerate(items)]

    def _reply(self, item: Any, at: KeyPath) -> ScriptedReply:
        for index, call in enumerate(item["calls"] if isinstance(item, dict) and _has_calls(item) else ()):
            self._read(call, ScriptedCall, (*at, "calls", index))
        return self._read(item, ScriptedReply, at)

    def _read(self, item: Any, kind: type[T], at: KeyPath) -> T:
        fields = [field.name for field in msgspec.structs.fields(kind)]
        known = ", ".join(f"`{name}`" for name in fields)
        unknown = [key for key in item if key not in fields] if isinstance(item, dict) else []
        if unknown:
            near = get_close_matches(unknown[0], fields, n=1)
            meant = f"did you mean `{near[0]}`? " if near else ""
            raise self._wrong((*at, unknown[0]), f"there is no field `{unknown[0]}` here", f"{meant}known: {known}")
        try:
            return msgspec.convert(item, kind)
        except msgspec.ValidationError as error:
            raise self._wrong(at, str(error), f"the fields are {known}") from error

    def _wrong(self, at: KeyPath, message: str, hint: str) -> ConfigError:
        place = locate(read_yaml(self._source).data, at, of_key=bool(at) and isinstance(at[-1], str))
        where = f"{self._source.path}:{place.line}:{place.column}" if place is not None else str(self._source.path)
        return ConfigError(f"{where}: {message}", hint=hint)


def _has_calls(item: dict[str, Any]) -> bool:
    return isinstance(item.get("calls"), list)
