"""An endpoint's peculiarities: the keys under ``compat:`` and ready-made sets of them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from seatrial.errors import ConfigError
from seatrial.formats.openai_chat import ChatDialect


class Compat(ChatDialect, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The chat wire's settings, and what else differs between endpoints.

    ``has_think_tags`` and ``has_text_calls``: reasoning and tool calls may stand in the answer's text.
    ``begins_with_thoughts``: the prompt template opens the think tag, so that answers hold the closing one alone.
    ``headers`` and ``extra_body`` are added to each request. Times are in seconds; ``backoff_s`` is the longest wait
    before the second try, doubled with each further one. ``token_command`` prints the bearer token that goes in the
    place of a key. ``api``: which of OpenAI's two wires is spoken. ``has_cache_marks``: Anthropic is told which prefix
    to keep.
    """

    has_think_tags: bool = True
    has_text_calls: bool = True
    begins_with_thoughts: bool = False
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    extra_body: dict[str, Any] = msgspec.field(default_factory=dict)
    idle_timeout_s: float | None = None
    connect_timeout_s: float | None = None
    max_tries: int | None = None
    backoff_s: float | None = None
    token_command: str | None = None
    api: Literal["chat", "responses"] = "chat"
    has_cache_marks: bool = True
    connections_per_host: int | None = None


class Preset(msgspec.Struct, frozen=True):
    """Settings that fit an endpoint. Its ``hosts`` select it; ``key_variables`` are the vendor's names for a key."""

    settings: dict[str, Any] = {}
    hosts: tuple[str, ...] = ()
    key_variables: tuple[str, ...] = ()

    def is_host_of(self, url: str) -> bool:
        """Whether the URL belongs to the vendor."""
        host = (urlsplit(url).hostname or "").lower()
        return any(host == known or host.endswith(f".{known}") for known in self.hosts)


FIRST_PARTY = {"has_think_tags": False, "has_text_calls": False}
ANY_ENDPOINT = {"blocks": "input", "max_tokens_field": "max_tokens", "has_files": False}
PRESETS: dict[str, Preset] = {
    "ollama": Preset({"blocks": "none"}),
    "vllm": Preset({"blocks": "input"}),
    "lmstudio": Preset({"blocks": "none"}),
    "llamacpp": Preset({"blocks": "none"}),
    "deepseek": Preset(
        {"blocks": "none", "has_images": False, "has_seed": False, "json_mode": "json_object"},
        ("api.deepseek.com",),
        ("DEEPSEEK_API_KEY",),
    ),
    "groq": Preset(
        {"blocks": "none", "max_tokens_field": "max_completion_tokens"}, ("api.groq.com",), ("GROQ_API_KEY",)
    ),
    "openrouter": Preset({"blocks": "input", "has_files": True}, ("openrouter.ai",), ("OPENROUTER_API_KEY",)),
    "mistral": Preset(
        {"blocks": "input", "has_seed": False, "has_stream_usage": False, "returns_reasoning": False},
        ("api.mistral.ai",),
        ("MISTRAL_API_KEY",),
    ),
    "gemini": Preset(
        {"blocks": "input", "has_seed": False},
        ("generativelanguage.googleapis.com",),
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    "openai": Preset(
        {"blocks": "all", "max_tokens_field": "max_completion_tokens", "has_files": True, **FIRST_PARTY},
        ("api.openai.com",),
        ("OPENAI_API_KEY",),
    ),
}


def preset_for(settings: Mapping[str, Any], url: str) -> Preset:
    """The preset that ``compat: {preset: …}`` names, else the one whose host the URL has, else an empty one."""
    name = settings.get("preset")
    if name is not None:
        if name not in PRESETS:
            raise ConfigError(f"there is no compat preset {name!r}", hint=_nearest(str(name), PRESETS))
        return PRESETS[name]
    return next((preset for preset in PRESETS.values() if preset.is_host_of(url)), Preset())


def compat_of(settings: Mapping[str, Any], *defaults: Mapping[str, Any]) -> Compat:
    """The user's settings over the defaults, later defaults over earlier ones; raises `ConfigError`."""
    merged: dict[str, Any] = {}
    for layer in (*defaults, settings):
        merged.update(layer)
    merged.pop("preset", None)
    unknown = [name for name in merged if name not in Compat.__struct_fields__]
    if unknown:
        raise ConfigError(
            f"`compat` has no setting {unknown[0]!r}", hint=_nearest(unknown[0], Compat.__struct_fields__)
        )
    try:
        return msgspec.convert(merged, Compat)
    except msgspec.ValidationError as error:
        raise ConfigError(f"`compat`: {error}") from error


def _nearest(name: str, known: Any) -> str:
    near = get_close_matches(name, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
