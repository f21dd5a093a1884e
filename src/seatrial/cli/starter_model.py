"""The ``model:`` block of a new project: which model answers, and what must be set before it can."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from seatrial.providers.catalog import PROVIDERS
from seatrial.providers.compat import preset_for
from seatrial.providers.local_names import EXTRACTIVE

LOCAL = "local"
LOCAL_NAME = EXTRACTIVE
DEFAULT_ENDPOINT = "http://localhost:8000/v1"
_SETTINGS = {
    LOCAL: {},
    "openai": {"api_key": "${OPENAI_API_KEY}"},
    "azure_openai": {"endpoint": "${AZURE_OPENAI_ENDPOINT}", "api_key": "${AZURE_OPENAI_API_KEY}"},
    "anthropic": {"api_key": "${ANTHROPIC_API_KEY}"},
    "ollama": {},
    "openai_compatible": {},
}
_OWN_MACHINE = ("localhost", "127.0.0.1", "::1")
_PLAIN = re.compile(r"[A-Za-z0-9](?:[\w./:@-]*[\w/])?")


@dataclass(frozen=True, slots=True)
class StarterModel:
    """A model as the user chose it."""

    provider: str
    name: str
    endpoint: str | None = None

    @property
    def settings(self) -> dict[str, str]:
        """What the block says beside provider and name; keys and addresses come from variables."""
        said = dict(_SETTINGS[self.provider])
        if self.endpoint is not None:
            said["endpoint"] = self.endpoint
            key = _key_variable(self.endpoint)
            if self.provider == "openai_compatible" and key is not None:
                said["api_key"] = f"${{{key}}}"
        return said

    @property
    def block(self) -> str:
        """The block as it stands in the agent file."""
        said = {"provider": self.provider, "name": self.name, **self.settings}
        return "\n".join(["model:", *(f"  {key}: {_scalar(value)}" for key, value in said.items())])

    @property
    def variables(self) -> list[str]:
        """The environment variables that the block names."""
        return re.findall(r"\$\{(\w+)\}", " ".join(self.settings.values()))


def providers_to_choose() -> list[str]:
    """The providers that a new project can start with."""
    return [name for name in _SETTINGS if name in PROVIDERS]


def needs_endpoint(provider: str) -> bool:
    """Whether the provider has no address of its own."""
    return provider == "openai_compatible"


def _key_variable(endpoint: str) -> str | None:
    """The variable with the endpoint's key; None for a server on this machine, which usually asks for none."""
    known = preset_for({}, endpoint).key_variables
    if known:
        return known[0]
    return None if urlsplit(endpoint).hostname in _OWN_MACHINE else "MODEL_API_KEY"


def _scalar(value: str) -> str:
    if _PLAIN.fullmatch(value) or re.fullmatch(r"\$\{\w+\}", value):
        return value
    return json.dumps(value, ensure_ascii=False)
