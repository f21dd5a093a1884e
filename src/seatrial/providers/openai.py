"""OpenAI's own models: chat completions, or the responses API with ``compat: {api: responses}``."""

from __future__ import annotations

import re
from functools import partial

import msgspec

from seatrial.core.messages import Message
from seatrial.formats.encoded import EncodedMessages, Pieces
from seatrial.formats.openai_responses import encode_responses_request, to_responses
from seatrial.formats.openai_responses_stream import responses_stream
from seatrial.providers.base import ProviderOptions
from seatrial.providers.compat import PRESETS, Compat, compat_of
from seatrial.providers.connection import base_url, required_key, sees_images, variable
from seatrial.providers.http_model import HttpModel
from seatrial.providers.wire import HeaderSource, Wire, chat_wire, fixed_headers

PROVIDER = "openai"
RESPONSES_API = "openai_responses"
BASE_URL = "https://api.openai.com/v1"
REASONING_NAMES = re.compile(r"(o\d|gpt-([5-9]|\d\d)(?!.*-chat))", re.IGNORECASE)


class OpenAIModel(HttpModel):
    """A model of OpenAI. The key is ``OPENAI_API_KEY`` where the block gives none."""

    def __init__(self, options: ProviderOptions) -> None:
        key = required_key(options, PROVIDER, "OPENAI_API_KEY")
        compat = first_party_compat(options)
        base = base_url(options.endpoint or variable(options, "OPENAI_BASE_URL") or BASE_URL)
        sign = fixed_headers(compat, authorization=f"Bearer {key}", **_account(options))
        reader = f"{PROVIDER}/{options.name}"
        make, path = (responses_wire, "responses") if compat.api == "responses" else (chat_wire, "chat/completions")
        wire = make(url=f"{base}/{path}", model=options.name, reader=reader, sign=sign, compat=compat)
        super().__init__(PROVIDER, options, compat, wire, secrets=(key,))


def responses_wire(*, url: str, model: str, reader: str, sign: HeaderSource, compat: Compat) -> Wire:
    """The responses API."""
    encode = partial(
        encode_responses_request,
        model=model,
        encoded=EncodedMessages(partial(_pieces, reader, compat.has_images)),
        has_sampling=compat.has_sampling,
        extra=compat.extra_body,
    )
    return Wire(RESPONSES_API, url, sign, encode, responses_stream)


def first_party_compat(options: ProviderOptions) -> Compat:
    """OpenAI's settings under the user's; models that reason take no temperature."""
    defaults = dict(PRESETS["openai"].settings)
    if is_reasoning(options):
        defaults["has_sampling"] = False
    compat = compat_of(options.compat, defaults)
    return compat if sees_images(options.info) else msgspec.structs.replace(compat, has_images=False)


def is_reasoning(options: ProviderOptions) -> bool:
    """Whether the model thinks before it answers, by the catalogue or by its name."""
    if options.info is not None:
        return options.info.is_reasoning
    return REASONING_NAMES.match(options.name) is not None


def _account(options: ProviderOptions) -> dict[str, str]:
    found = {
        "openai_organization": variable(options, "OPENAI_ORG_ID"),
        "openai_project": variable(options, "OPENAI_PROJECT_ID"),
    }
    return {name: value for name, value in found.items() if value is not None}


def _pieces(reader: str, has_images: bool, message: Message) -> Pieces:
    return to_responses(message, reader, has_images=has_images), []
