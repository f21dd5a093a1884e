"""``providers:``: which models answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from seatrial.config.diagnostics import Place
from seatrial.config.located import Block, Listing, plain
from seatrial.config.notes import Keys, Notes
from seatrial.config.promptfoo.files import Files
from seatrial.config.promptfoo.tables import table

_ENV = re.compile(r"\{\{\s*env\.(\w+)\s*\}\}|\{\{\s*env\[['\"](\w+)['\"]\]\s*\}\}|\$\{(\w+)\}")
_RANGES = {"temperature": (0, 2), "top_p": (0, 1)}
_OURS = {"openai": "openai", "anthropic": "anthropic", "azure": "azure_openai", "azureopenai": "azure_openai"}


@dataclass(frozen=True)
class Model:
    """A model block in our form, and the name that the configuration gives it."""

    label: str
    block: dict[str, Any]
    label_place: Place | None = None


class Models:
    """Reads what ``providers:`` may hold."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.notes: Notes = files.notes

    def read(self, value: Any, place: Place) -> list[Model]:
        """The models in order; what is no model is noted."""
        value = self.files.value(value, place)
        if isinstance(value, Listing):
            found = [self.read(item, value.place_of_item(index)) for index, item in enumerate(value)]
            return [model for models in found for model in models]
        one = self.one(value, place)
        return [] if one is None else [one]

    def one(self, value: Any, place: Place) -> Model | None:
        """One provider: a name, a block with ``id``, or a block of one name with its settings."""
        if isinstance(value, str):
            return self._model(value, None, place, None)
        if not isinstance(value, Block):
            if value is not None:
                self.notes.left(place, "a provider", "it is neither a name nor a block")
            return None
        if "id" not in value and len(value) == 1:
            (name,) = value
            inner = value[name]
            return self._model(name, inner if isinstance(inner, Block) else None, value.place_of_key(name), None)
        return self._model(None, value, place, None)

    def _model(self, name: str | None, block: Block | None, place: Place, label: str | None) -> Model | None:
        settings: Block | None = None
        if block is not None:
            keys = Keys(block, self.notes)
            written, own, config = keys.take("id"), keys.take("label"), keys.take("config")
            keys.rest(table("provider_reasons"))
            name = name or (str(written) if isinstance(written, str) else None)
            label = str(own) if isinstance(own, str) else None
            settings = config if isinstance(config, Block) else None
            if config is not None and settings is None:
                self.notes.left(block.place_of_key("config"), "`config`", "it is no block")
        made = self._named(name, place) if name else None
        if made is None:
            self.notes.left(
                place, f"the provider {name or 'without id'}", "choose a model: `model: {provider: ..., name: ...}`"
            )
            if settings is not None:
                Keys(settings, self.notes).rest({}, "its provider is left out")
            return None
        if settings is not None:
            self._settings(settings, made)
        return Model(label or str(name), made, block.place_of_key("label") if block is not None and label else None)

    def _named(self, written: str, place: Place) -> dict[str, Any] | None:
        vendor, _, rest = written.partition(":")
        mode, _, name = rest.partition(":")
        if mode in table("not_models"):
            return None
        if mode not in table("modes"):
            mode, name = "", rest
        if not name and mode:
            mode, name = "", mode
        if not name:
            return None
        if mode == "completion":
            self.notes.changed(place, f"`{written}`", "it is asked as a chat")
        if vendor in _OURS:
            made: dict[str, Any] = {"provider": _OURS[vendor], "name": name}
            if vendor.startswith("azure"):
                made["deployment_name"] = name
            if mode == "responses":
                made["compat"] = {"api": "responses"}
            return made
        if vendor == "ollama":
            return {"provider": "ollama", "name": name}
        if vendor not in table("hosts"):
            return None
        if vendor in ("vertex", "palm"):
            self.notes.changed(place, f"`{written}`", "it is asked at the Gemini API, with GEMINI_API_KEY")
        made = {"provider": "openai_compatible", "name": name, "endpoint": table("hosts")[vendor]}
        if vendor in table("key_variables"):
            made["api_key"] = f"${{{table('key_variables')[vendor]}:-}}"
        return made

    def _settings(self, config: Block, made: dict[str, Any]) -> None:
        keys = Keys(config, self.notes)
        for key, ours in table("settings").items():
            value = keys.take(key)
            if value is not None:
                self._set(keys, key, ours, plain(value), made)
        variable = keys.take("apiKeyEnvar")
        if isinstance(variable, str):
            made["api_key"] = f"${{{variable}:-}}"
        key = keys.take("apiKey")
        if isinstance(key, str):
            found = _ENV.fullmatch(key.strip())
            if found is not None:
                made["api_key"] = f"${{{found[1] or found[2] or found[3]}:-}}"
            else:
                keys.leave("apiKey", "keys do not stand in files; write `api_key: ${NAME}` and the key into .env")
        keys.rest(
            table("setting_reasons"), "write it as `compat: {extra_body: {...}}` under `model:` if the API takes it"
        )

    def _set(self, keys: Keys, key: str, ours: str, value: Any, made: dict[str, Any]) -> None:
        if ours == "endpoint":
            address = _ENV.sub(lambda found: f"${{{found[1] or found[2] or found[3]}:-}}", str(value))
            made["endpoint"] = address if "://" in address or address.startswith("${") else f"https://{address}"
        elif ours == "api_version":
            made[ours] = str(value)
        elif not _is_number(value, ours):
            keys.leave(key, f"{ours} cannot be {value!r:.40}")
        else:
            made[ours] = value


def _is_number(value: Any, ours: str) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if ours == "max_tokens":
        return isinstance(value, int) and value > 0
    low, high = _RANGES[ours]
    return low <= value <= high
