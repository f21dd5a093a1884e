"""Any endpoint that speaks OpenAI's chat completions: ``model: {provider: openai_compatible, endpoint: URL}``."""

from __future__ import annotations

import msgspec

from seatrial.errors import ConfigError
from seatrial.providers.base import ProviderOptions
from seatrial.providers.compat import ANY_ENDPOINT, compat_of, preset_for
from seatrial.providers.connection import base_url, sees_images, variable
from seatrial.providers.http_model import HttpModel
from seatrial.providers.wire import chat_wire, fixed_headers

PROVIDER = "openai_compatible"
CHAT_PATH = "/chat/completions"


class OpenAICompatibleModel(HttpModel):
    """A model at any URL; works without a key where the server asks for none.

    A key from the environment is sent to the host of its vendor alone.
    """

    def __init__(self, options: ProviderOptions) -> None:
        if not options.endpoint:
            raise ConfigError(
                f"`provider: {PROVIDER}` needs `endpoint:` under `model:`",
                hint="write the server's base URL, for example http://localhost:8000/v1",
            )
        url = chat_url(options.endpoint)
        preset = preset_for(options.compat, url)
        compat = compat_of(options.compat, ANY_ENDPOINT, preset.settings)
        if not sees_images(options.info):
            compat = msgspec.structs.replace(compat, has_images=False)
        key = (options.api_key or "").strip() or (
            variable(options, *preset.key_variables) if preset.is_host_of(url) else None
        )
        sign = fixed_headers(compat, authorization=f"Bearer {key}") if key else fixed_headers(compat)
        wire = chat_wire(url=url, model=options.name, reader=f"{PROVIDER}/{options.name}", sign=sign, compat=compat)
        super().__init__(PROVIDER, options, compat, wire, secrets=(key,))


def chat_url(endpoint: str) -> str:
    """The URL of chat completions: a base URL gets the path, a host alone the version too."""
    base = base_url(endpoint)
    if base.endswith(CHAT_PATH):
        return base
    return f"{base}{CHAT_PATH}" if "/" in base.partition("://")[2] else f"{base}/v1{CHAT_PATH}"
