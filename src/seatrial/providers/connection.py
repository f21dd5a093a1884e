"""What every provider over HTTP needs before the first request: its key, its connections, its patience."""

from __future__ import annotations

import os

from seatrial.core.model import ModelInfo
from seatrial.errors import ConfigError
from seatrial.http_client.client import HttpClient, Timeouts
from seatrial.http_client.retries import RetryPolicy
from seatrial.providers.base import ProviderOptions
from seatrial.providers.compat import Compat

REASONING_IDLE_S = 300.0


def variable(options: ProviderOptions, *names: str) -> str | None:
    """The first of the environment's variables that is set and not blank."""
    environ = os.environ if options.environ is None else options.environ
    return next((value for name in names if (value := environ.get(name, "").strip())), None)


def required_key(options: ProviderOptions, provider: str, *names: str) -> str:
    """The block's ``api_key``, else the variable that the vendor documents; raises `ConfigError` for neither."""
    key = (options.api_key or "").strip() or variable(options, *names)
    if not key:
        raise ConfigError(
            f"`provider: {provider}` has no API key: the variable {names[0]} is not set",
            hint=f"export {names[0]}=...    (or a line {names[0]}=... in .env beside the agent file)",
        )
    return key


def http_client(options: ProviderOptions, compat: Compat) -> HttpClient:
    """The connections of one model. One that thinks before it speaks may be silent for longer."""
    usual = Timeouts()
    idle_s = REASONING_IDLE_S if options.info is not None and options.info.is_reasoning else usual.idle_s
    timeouts = Timeouts(
        connect_s=usual.connect_s if compat.connect_timeout_s is None else compat.connect_timeout_s,
        idle_s=idle_s if compat.idle_timeout_s is None else compat.idle_timeout_s,
        whole_s=usual.whole_s if compat.idle_timeout_s is None else compat.idle_timeout_s,
        total_s=usual.total_s if options.timeout_s is None else options.timeout_s,
    )
    if compat.connections_per_host is None:
        return HttpClient(timeouts=timeouts)
    return HttpClient(timeouts=timeouts, connections_per_host=compat.connections_per_host)


def retry_policy(compat: Compat) -> RetryPolicy:
    """How often a request is tried."""
    usual = RetryPolicy()
    return RetryPolicy(
        max_tries=usual.max_tries if compat.max_tries is None else compat.max_tries,
        base_s=usual.base_s if compat.backoff_s is None else compat.backoff_s,
    )


def base_url(endpoint: str) -> str:
    """The endpoint without its last slash; raises `ConfigError` for what is no URL."""
    base = endpoint.strip().rstrip("/")
    if not base.startswith(("http://", "https://")) or not base.partition("://")[2]:
        raise ConfigError(f"the endpoint {endpoint!r} is no URL", hint="it begins with http:// or https://")
    return base


def sees_images(info: ModelInfo | None) -> bool:
    """Whether pictures are sent: always, unless the model is known not to see."""
    return info is None or info.input_modalities is None or "image" in info.input_modalities
