"""Any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any

from seatrial.core.messages import AssistantMessage, ToolResultMessage
from seatrial.core.model import ModelRequest, NoticeSink
from seatrial.errors import ConfigError
from seatrial.formats.encoded import EncodedMessages
from seatrial.formats.openai_chat import encode_chat_request, images_of_result, to_openai
from seatrial.formats.openai_chat_stream import chat_stream
from seatrial.formats.reading import Reading
from seatrial.formats.stream import ReplyStream
from seatrial.formats.tolerant import parse_response
from seatrial.http_client import HttpClient, RetryPolicy, Timeouts
from seatrial.providers.base import ProviderOptions
from seatrial.providers.compat import ANY_ENDPOINT, Compat, compat_of, preset_for
from seatrial.providers.http_model import HttpModel

API = "openai_chat"
CHAT_PATH = "/chat/completions"
REASONING_IDLE_S = 300.0


class ChatWire:
    """The chat completions API at one URL."""

    api = API

    def __init__(self, *, url: str, model: str, reader: str, headers: Mapping[str, str], compat: Compat) -> None:
        self._url = url
        self._model = model
        self._compat = compat
        self._headers = {"content-type": "application/json", **headers, **compat.headers}
        self._encoded = EncodedMessages(partial(_wire_message, compat, reader))

    def url(self, *, stream: bool) -> str:  # noqa: ARG002
        """The endpoint; streams come from the same one."""
        return self._url

    def headers(self) -> Mapping[str, str]:
        """What goes with every request."""
        return self._headers

    def encode(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The body of a request."""
        return encode_chat_request(
            request,
            model=self._model,
            dialect=self._compat,
            encoded=self._encoded,
            stream=stream,
            extra=self._compat.extra_body,
        )

    def parse(self, body: bytes, reading: Reading) -> AssistantMessage:
        """The message in a whole reply."""
        return parse_response(body, reading)

    def stream(self, reading: Reading, on_notice: NoticeSink | None) -> ReplyStream:
        """The reader of a streamed reply."""
        return chat_stream(reading, on_notice)


class OpenAICompatibleModel(HttpModel):
    """A model at any URL; works without a key where the server asks for none."""

    def __init__(self, options: ProviderOptions) -> None:
        if not options.endpoint:
            raise ConfigError(
                "`provider: openai_compatible` needs `endpoint:` under `model:`",
                hint="write the server's base URL, for example http://localhost:8000/v1",
            )
        url = chat_url(options.endpoint)
        preset = preset_for(options.compat, url)
        compat = compat_of(options.compat, ANY_ENDPOINT, preset.settings)
        key = options.api_key or (os.environ.get(preset.key_variable) if preset.key_variable else None)
        headers = {"authorization": f"Bearer {key}"} if key else {}
        super().__init__(**chat_parts("openai_compatible", options, url=url, headers=headers, compat=compat, key=key))


def chat_parts(
    provider: str, options: ProviderOptions, *, url: str, headers: Mapping[str, str], compat: Compat, key: str | None
) -> dict[str, Any]:
    """The parts of a model that speaks chat completions."""
    reader = f"{provider}/{options.name}"
    info = options.info
    return {
        "provider": provider,
        "name": options.name,
        "info": info,
        "wire": ChatWire(url=url, model=options.name, reader=reader, headers=headers, compat=compat),
        "client": client_for(options, compat),
        "policy": RetryPolicy(max_tries=compat.max_tries) if compat.max_tries is not None else RetryPolicy(),
        "reading": Reading(
            api=API,
            provider=provider,
            model=options.name,
            has_think_tags=compat.has_think_tags,
            has_text_calls=compat.has_text_calls,
            prices=info.cost if info is not None else None,
        ),
        "secrets": tuple(secret for secret in (key, *compat.headers.values()) if secret),
    }


def client_for(options: ProviderOptions, compat: Compat) -> HttpClient:
    """The connections of one model; one that thinks before it speaks may be silent for longer."""
    usual = Timeouts()
    idle_s = REASONING_IDLE_S if options.info is not None and options.info.is_reasoning else usual.idle_s
    timeouts = Timeouts(
        connect_s=compat.connect_timeout_s or usual.connect_s,
        idle_s=compat.idle_timeout_s or idle_s,
        total_s=options.timeout_s or usual.total_s,
    )
    if compat.connections_per_host is None:
        return HttpClient(timeouts=timeouts)
    return HttpClient(timeouts=timeouts, connections_per_host=compat.connections_per_host)


def chat_url(endpoint: str) -> str:
    """The URL of chat completions: a base URL gets the path, a host alone the version too."""
    base = endpoint.rstrip("/")
    if "://" not in base:
        raise ConfigError(f"the endpoint {endpoint!r} is no URL", hint="it begins with http:// or https://")
    if base.endswith(CHAT_PATH):
        return base
    host = base.partition("://")[2]
    return f"{base}{CHAT_PATH}" if "/" in host else f"{base}/v1{CHAT_PATH}"


def _wire_message(compat: Compat, reader: str, message: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    wire = to_openai(message, compat, reader)
    after = images_of_result(message, compat) if isinstance(message, ToolResultMessage) else None
    return ([wire] if wire is not None else []), ([after] if after is not None else [])
