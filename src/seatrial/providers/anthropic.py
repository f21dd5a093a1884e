"""Anthropic's models over the messages API."""

from __future__ import annotations

import re
from functools import partial

from seatrial.errors import ConfigError
from seatrial.formats.anthropic_messages import (
    DEFAULT_MAX_TOKENS,
    AnthropicDialect,
    anthropic_blocks,
    encode_anthropic_request,
)
from seatrial.formats.anthropic_stream import anthropic_stream
from seatrial.formats.encoded import EncodedMessages
from seatrial.providers.base import ProviderOptions
from seatrial.providers.compat import FIRST_PARTY, Compat, compat_of
from seatrial.providers.connection import base_url, required_key, sees_images, variable
from seatrial.providers.http_model import HttpModel
from seatrial.providers.wire import HeaderSource, Wire, fixed_headers

PROVIDER = "anthropic"
API = "anthropic_messages"
BASE_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"
VERSIONED = re.compile(r"claude-(?:opus|sonnet|haiku)-(?P<major>\d{1,2})(?:[-.](?P<minor>\d{1,2}))?(?!\d)")
OLD_NAME = re.compile(r"claude-(?:\d|instant)")
FIRST_WITHOUT_SAMPLING = (4, 7)
OAUTH_BETA = "oauth-2025-04-20"


class AnthropicModel(HttpModel):
    """A model of Anthropic. The key is ``ANTHROPIC_API_KEY`` where the block gives none."""

    def __init__(self, options: ProviderOptions) -> None:
        compat = compat_of(options.compat, FIRST_PARTY, {"has_sampling": takes_sampling(options.name)})
        sign, secret = _proof(options, compat)
        info = options.info
        dialect = AnthropicDialect(
            reader=f"{PROVIDER}/{options.name}",
            has_images=compat.has_images and sees_images(info),
            has_sampling=compat.has_sampling,
            has_cache_marks=compat.has_cache_marks,
            default_max_tokens=DEFAULT_MAX_TOKENS if info is None or info.max_tokens is None else info.max_tokens,
        )
        endpoint = options.endpoint or variable(options, "ANTHROPIC_BASE_URL") or BASE_URL
        encode = partial(
            encode_anthropic_request,
            model=options.name,
            dialect=dialect,
            encoded=EncodedMessages(partial(anthropic_blocks, dialect=dialect)),
            extra=compat.extra_body,
        )
        wire = Wire(API, messages_url(endpoint), sign, encode, anthropic_stream)
        super().__init__(PROVIDER, options, compat, wire, secrets=(secret,))


def takes_sampling(name: str) -> bool:
    """Whether the model takes temperature and top_p: Claude does up to version 4.6 and refuses them from 4.7 on.

    From Anthropic's migration guide (platform.claude.com, 2026). A name that is not of this kind gets what is set.
    """
    bare = name.lower().rpartition("/")[2]
    version = VERSIONED.match(bare)
    if version is None:
        return not bare.startswith("claude-") or OLD_NAME.match(bare) is not None
    return (int(version["major"]), int(version["minor"] or 0)) < FIRST_WITHOUT_SAMPLING


def messages_url(endpoint: str) -> str:
    """The URL of messages."""
    base = base_url(endpoint)
    if base.endswith("/messages"):
        return base
    return f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages"


def _proof(options: ProviderOptions, compat: Compat) -> tuple[HeaderSource, str]:
    """The headers' source and the secret in them: an API key, or a bearer token with ``auth_provider: oauth_token``."""
    match options.auth_provider:
        case "oauth_token":
            token = required_key(options, PROVIDER, "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
            told = {"authorization": f"Bearer {token}", "anthropic_version": VERSION, "anthropic_beta": OAUTH_BETA}
            return fixed_headers(compat, **told), token
        case None | "api_key":
            key = required_key(options, PROVIDER, "ANTHROPIC_API_KEY")
            return fixed_headers(compat, x_api_key=key, anthropic_version=VERSION), key
        case _:
            raise ConfigError(
                f"`auth_provider: {options.auth_provider}` is not known to `provider: {PROVIDER}`",
                hint="write api_key or oauth_token",
            )
