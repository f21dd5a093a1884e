"""Models served by Ollama over its own API."""

from __future__ import annotations

from functools import partial

from seatrial.core.messages import Message
from seatrial.formats.encoded import EncodedMessages, Pieces
from seatrial.formats.ollama_chat import encode_ollama_request, ollama_stream, to_ollama
from seatrial.providers.base import ProviderOptions
from seatrial.providers.compat import compat_of
from seatrial.providers.connection import base_url, sees_images, variable
from seatrial.providers.http_model import HttpModel
from seatrial.providers.wire import Wire, fixed_headers

PROVIDER = "ollama"
API = "ollama_chat"
BASE_URL = "http://localhost:11434"


class OllamaModel(HttpModel):
    """A model of an Ollama server: ``endpoint``, else ``OLLAMA_HOST``, else this machine. It needs no key."""

    def __init__(self, options: ProviderOptions) -> None:
        compat = compat_of(options.compat)
        key = (options.api_key or "").strip()
        sign = fixed_headers(compat, authorization=f"Bearer {key}") if key else fixed_headers(compat)
        url = ollama_url(options.endpoint or variable(options, "OLLAMA_HOST") or BASE_URL)
        pieces = partial(_pieces, f"{PROVIDER}/{options.name}", sees_images(options.info))
        encode = partial(
            encode_ollama_request,
            model=options.name,
            encoded=EncodedMessages(pieces),
            has_sampling=compat.has_sampling,
            extra=compat.extra_body,
        )
        super().__init__(PROVIDER, options, compat, Wire(API, url, sign, encode, ollama_stream), secrets=(key,))


def ollama_url(endpoint: str) -> str:
    """The URL of chat. ``OLLAMA_HOST`` may be a bare host, with or without a port."""
    if "://" not in endpoint:
        endpoint = f"http://{endpoint}" if ":" in endpoint else f"http://{endpoint}:11434"
    base = base_url(endpoint).removesuffix("/v1").removesuffix("/api/chat").removesuffix("/api")
    return f"{base}/api/chat"


def _pieces(reader: str, has_images: bool, message: Message) -> Pieces:
    wire = to_ollama(message, reader, has_images=has_images)
    return ([] if wire is None else [wire]), []
