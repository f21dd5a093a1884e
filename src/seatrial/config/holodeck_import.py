"""A file of the other dialect, rewritten in ours: the text stays, each change is told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from seatrial.config.holodeck import blocks_of, entries_at, ignored_keys, rules
from seatrial.config.located import Block, Listing
from seatrial.config.settings import find_settings
from seatrial.config.source import read_source
from seatrial.config.text_edits import TextEdits
from seatrial.config.yaml_reader import read_yaml
from seatrial.errors import ConfigError

# What HoloDeck sends when a file does not say it.
_DEFAULTS = {"temperature": "0.3", "max_tokens": "1000"}


@dataclass(frozen=True)
class Imported:
    """The new text, and what was changed: ``line: what``, in the order of the file."""

    text: str
    changes: tuple[str, ...]


def import_holodeck(path: Path) -> Imported:
    """The agent file at ``path`` in our form. Variables stay as they are.

    Raises `ConfigError` with diagnostics for a file that cannot be read.
    """
    source = read_source(path)
    document = read_yaml(source)
    if document.problems or not isinstance(document.data, Block):
        raise ConfigError(f"{path} cannot be read as YAML keys", diagnostics=document.problems)
    return _Import(document.data, TextEdits(source), path).run()


class _Import:
    def __init__(self, data: Block, edits: TextEdits, path: Path) -> None:
        self.data = data
        self.edits = edits
        self.folder = path.parent
        self.changes: list[tuple[int, str]] = []
        self.new_names: dict[str, str] = {}

    def run(self) -> Imported:
        self._agent_name()
        for tool in blocks_of(self.data.get("tools")):
            self._tool(tool)
        self._renamed_keys()
        self._keys_without_effect()
        self._model_defaults()
        for case in blocks_of(self.data.get("test_cases")):
            self._expected_tools(case)
            for turn in blocks_of(case.get("turns")):
                self._expected_tools(turn)
        ordered = sorted(self.changes)
        return Imported(self.edits.apply(), tuple(f"line {line}: {what}" for line, what in ordered))

    def _note(self, block: Block, key: str, what: str) -> None:
        self.changes.append((block.place_of_key(key).line, what))

    def _agent_name(self) -> None:
        name = self.data.get("name")
        if not isinstance(name, str) or re.fullmatch("[A-Za-z][A-Za-z0-9-]*", name):
            return
        made = re.sub("[^A-Za-z0-9]+", "-", name).strip("-") or "agent"
        made = made if made[0].isalpha() else f"agent-{made}"
        self.edits.replace(self.data, "name", made[:100])
        self._note(self.data, "name", f"`name: {name}` is `{made[:100]}`: letters, digits and hyphens")

    def _tool(self, tool: Block) -> None:
        name = tool.get("name")
        if isinstance(name, str) and not re.fullmatch("[A-Za-z0-9_]+", name):
            made = re.sub("[^A-Za-z0-9_]", "_", name)
            self.new_names[name] = made
            self.edits.replace(tool, "name", made)
            self._note(tool, "name", f"the tool `{name}` is `{made}`: letters, digits and underscores")
        if tool.get("description") == "":
            self.edits.replace(tool, "description", f"The tool {re.sub('[^A-Za-z0-9_]', '_', str(name))}.")
            self._note(tool, "description", "a description was made up: write a better one")
        if tool.get("type") == "hierarchical_document":
            self.edits.replace(tool, "type", "vectorstore")
            self._note(tool, "type", "`hierarchical_document` is `vectorstore`")
            for old, new in rules()["renamed_in_hierarchical_document"].items():
                if old in tool and new not in tool:
                    self.edits.rename(tool, old, new)
                    self._note(tool, old, f"`{old}` is `{new}`")
        if "database" in tool:
            self._database(tool)

    def _database(self, tool: Block) -> None:
        written = tool["database"]
        named = self._store_named(written) if isinstance(written, str) else None
        block = written if named is None else named
        provider = block.get("provider") if isinstance(block, Block) else block
        if not isinstance(provider, str):
            return
        ours = rules()["databases"].get(provider, provider)
        if provider in rules()["databases_not_here"]:
            ours = "embedded"
        if ours == "embedded":
            self.edits.replace(tool, "database", "embedded")
            self._note(tool, "database", f"the store {provider} is the embedded one")
        elif isinstance(written, Block) and ours != provider:
            self.edits.replace(written, "provider", ours)
            self._note(written, "provider", f"the store {provider} is called {ours}")
        elif isinstance(named, Block):
            connection = named.get("connection_string")
            shown = f'{{provider: {ours}, connection_string: "{connection}"}}' if connection else ours
            self.edits.replace(tool, "database", shown)
            self._note(tool, "database", f"the store `{written}` was taken from {named.file.name}")

    def _store_named(self, name: str) -> Block | None:
        found = (settings.stores for settings in find_settings(self.folder, {}))
        return next((stores[name] for stores in found if name in stores), None)

    def _renamed_keys(self) -> None:
        for pattern, new in rules()["renamed"].items():
            for holder, key in entries_at(self.data, pattern):
                if new in holder:
                    self._remove(holder, key, f"`{key}` is left out, `{new}` says the same")
                else:
                    self.edits.rename(holder, key, new)
                    self._note(holder, key, f"`{key}` is `{new}`")

    def _keys_without_effect(self) -> None:
        for pattern, reason in ignored_keys().items():
            for holder, key in entries_at(self.data, pattern):
                self._remove(holder, key, f"`{key}` is left out: {reason}")

    def _remove(self, holder: Block, key: str, what: str) -> None:
        self.edits.remove(holder, key)
        self._note(holder, key, what)

    def _model_defaults(self) -> None:
        model = self.data.get("model")
        if not isinstance(model, Block) or "name" not in model:
            return
        for key, value in _DEFAULTS.items():
            if key not in model:
                self.edits.add(model, "name", f"{key}: {value}")
                self._note(model, "name", f"`{key}: {value}` is written out: HoloDeck sends it when it is absent")

    def _expected_tools(self, holder: Block) -> None:
        expected = holder.get("expected_tools")
        if not isinstance(expected, Listing):
            return
        known = [str(tool["name"]) for tool in blocks_of(self.data.get("tools")) if isinstance(tool.get("name"), str)]
        for index, item in enumerate(expected):
            written = item.get("name") if isinstance(item, Block) else item
            if not isinstance(written, str):
                continue
            whole = _whole_name(written, known)
            made = self.new_names.get(whole, whole)
            if made != written:
                if isinstance(item, Block):
                    self.edits.replace(item, "name", made)
                else:
                    self.edits.replace_item(expected, index, made)
                place = expected.place_of_item(index)
                self.changes.append((place.line, f"the expected tool `{written}` is `{made}`"))


def _whole_name(written: str, known: list[str]) -> str:
    if written in known:
        return written
    meant = [name for name in known if written in name] or [name for name in known if written == f"{name}_search"]
    return meant[0] if len(meant) == 1 else written
