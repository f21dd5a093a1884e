"""``prompts:``: the system part, and what the user says, turn by turn."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from seatrial.config.diagnostics import Place
from seatrial.config.located import Block, Listing, as_written
from seatrial.config.notes import Keys
from seatrial.config.paths import is_pattern, kind_of
from seatrial.config.promptfoo.files import CODE, MARK, Files
from seatrial.config.promptfoo.template import names_in
from seatrial.config.source import Source
from seatrial.config.yaml_reader import read_yaml

_PARTED = re.compile(r"^---[ \t]*$", re.MULTILINE)
_REMOTE = re.compile(r"(?:exec|langfuse|portkey|helicone|package|huggingface|https?):")
_SUFFIXES = (".txt", ".md", ".j2", ".json", ".yaml", ".yml", ".csv", *CODE)
_IMAGE = re.compile(r"^(?:data:[^,]*,)?\s*\{\{\s*(\w+)\s*\}\}\s*$")


@dataclass(frozen=True)
class Prompt:
    """One prompt. ``turns`` are what the user says; ``images`` are names of variables that hold pictures."""

    label: str
    place: Place
    turns: tuple[str, ...]
    system: str = ""
    images: tuple[str, ...] = ()
    label_place: Place | None = None

    @property
    def names(self) -> set[str]:
        """The variables that it uses."""
        return set(self.images).union(*map(names_in, (self.system, *self.turns)))


@dataclass
class Prompts:
    """Reads what ``prompts:`` may hold."""

    files: Files
    found: list[Prompt] = field(default_factory=list)
    _label_place: Place | None = None

    def read(self, value: Any, place: Place) -> list[Prompt]:
        """The prompts in order; without any, promptfoo's own ``{{prompt}}``."""
        self._add(self.files.value(value, place) if _is_data(value) else value, place, None)
        if value is None:
            self.found.append(Prompt("prompt", place, ("{{prompt}}",)))
        return self.found

    def _add(self, value: Any, place: Place, label: str | None) -> None:
        match value:
            case None:
                return
            case Listing():
                for index, item in enumerate(value):
                    self._add(item, value.place_of_item(index), None)
            case Block() if "raw" in value or "id" in value:
                keys = Keys(value, self.files.notes)
                raw, identity, own = keys.take("raw"), keys.take("id"), keys.take("label")
                keys.rest({"config": "a prompt has no settings; write them under `model:`"})
                self._label_place = value.place_of_key("label") if own is not None else None
                self._add(raw if isinstance(raw, str) else identity, place, str(own or identity or "") or None)
                self._label_place = None
            case Block():
                for key, own in value.items():
                    if isinstance(own, str):
                        self._label_place = value.place_of_key(key)
                        self._add(key, value.place_of_key(key), own)
                        self._label_place = None
                    else:
                        self.files.notes.left(value.place_of_key(key), f"`{key}`", "a prompt is a text or a file")
            case str():
                self._text(value, place, label)
            case _:
                self.files.notes.left(place, "a prompt", "a prompt is a text or a file")

    def _text(self, text: str, place: Place, label: str | None) -> None:
        if _REMOTE.match(text):
            self.files.notes.left(place, f"`{text}`", "what a program or a service gives: write it as a text")
        elif text.startswith(MARK) or self._is_file(text):
            for path in self.files.named(text, place):
                self._file(path, place, label)
        else:
            self._one(text, place, label)

    def _is_file(self, text: str) -> bool:
        if "\n" in text or "{{" in text or not re.sub(r"(\.\w+):\w+$", r"\1", text.strip()).endswith(_SUFFIXES):
            return False
        return is_pattern(text) or " " not in text or kind_of(self.files.folder / text) == "file"

    def _file(self, path: Path, place: Place, label: str | None) -> None:
        here = Place(path, 1)
        suffix = path.suffix.lower()
        if suffix == ".csv":
            for line, row in self.files.rows(path, place):
                self._one(row.get("prompt") or "", Place(path, line), row.get("label") or label)
            return
        text = self.files.text(path, place)
        if text is None:
            return
        if suffix in (".json", ".yaml", ".yml"):
            self._one(text, here, label or path.name)
        else:
            parts = [part.strip("\n") for part in _PARTED.split(text) if part.strip()]
            for number, part in enumerate(parts, start=1):
                name = label or path.name
                self._one(part, here, name if len(parts) == 1 else f"{name} {number}")

    def _one(self, text: str, place: Place, label: str | None) -> None:
        if not text.strip():
            self.files.notes.left(place, "an empty prompt", "there is nothing to ask")
            return
        name = label or f"prompt {len(self.found) + 1}"
        messages = _messages(text)
        if messages is None:
            self.found.append(Prompt(name, place, (text,), label_place=self._label_place))
        else:
            self.found.append(replace(self._chat(messages, place, name), label_place=self._label_place))

    def _chat(self, messages: list[Any], place: Place, label: str) -> Prompt:
        system: list[str] = []
        turns: list[str] = []
        images: list[str] = []
        for message in messages:
            role = str(message.get("role"))
            text = "\n".join(self._content(message.get("content"), place, images))
            for key in sorted(set(message) - {"role", "content"}):
                self.files.notes.left(place, f"`{key}` of a message", "a message has a role and a text")
            if role in ("system", "developer"):
                system.append(text)
            elif role == "user":
                turns.append(text)
            else:
                instead = "the model answers each turn itself; put examples into the system prompt"
                self.files.notes.left(place, f"a message of the role {role}: {text[:60]}", instead)
        if not turns:
            self.files.notes.changed(place, "a prompt without a user's message", "its text is asked as a question")
            turns, system = ["\n\n".join(system) or "."], []
        return Prompt(label, place, tuple(turns), "\n\n".join(system), tuple(images))

    def _content(self, content: Any, place: Place, images: list[str]) -> Iterator[str]:
        if isinstance(content, str):
            yield content
            return
        for part in content if isinstance(content, list) else []:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind in ("text", "input_text") and isinstance(part.get("text"), str):
                yield part["text"]
                continue
            address = part.get("image_url") if isinstance(part, dict) else None
            address = address.get("url") if isinstance(address, dict) else address
            found = _IMAGE.match(address) if isinstance(address, str) else None
            if found is not None:
                images.append(found[1])
            else:
                self.files.notes.left(place, f"a part of a message ({kind})", "write it under `files:` of the cases")


def _is_data(value: Any) -> bool:
    """Whether prompts stand in a YAML file of their own, as a list."""
    return isinstance(value, str) and value.startswith(MARK) and value.endswith(("prompts.yaml", "prompts.yml"))


def _messages(text: str) -> list[Any] | None:
    """The messages of a chat in JSON or YAML; None for a plain text."""
    start = text.lstrip()
    data: Any = None
    if start.startswith(("[", "{")) and not start.startswith(("{{", "{%", "{#")):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = None
    elif start.startswith(("- role:", '- "role":', "- content:")):
        data = as_written(read_yaml(Source(Path("prompt"), text)).data)
    if isinstance(data, dict) and isinstance(data.get("messages"), list):
        data = data["messages"]
    is_chat = isinstance(data, list) and data and all(isinstance(item, dict) and "role" in item for item in data)
    return data if is_chat else None
