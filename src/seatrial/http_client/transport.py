"""What goes wrong on the way to a server and back -> `ProviderError`."""

from __future__ import annotations

import os
from types import TracebackType
from typing import TypeGuard

from seatrial.errors import ProviderError
from seatrial.http_client.surroundings import CA_VARIABLES
from seatrial.http_client.words import preview

_OLLAMA_PORT = ":11434"


class TransportErrors:
    """Makes `ProviderError` of what goes wrong on the way within its block."""

    def __init__(self, url: str, connect_s: float, silence_s: float) -> None:
        self._url = url
        self._connect_s = connect_s
        self._silence_s = silence_s

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and (isinstance(error, (OSError, ValueError)) or _is_client_error(error)):
            raise _transport_error(self._url, error, self._connect_s, self._silence_s) from error


def _is_client_error(error: BaseException | None) -> TypeGuard[Exception]:
    if error is None:
        return False
    import aiohttp

    return isinstance(error, aiohttp.ClientError)


def _in_words(error: OSError) -> str:
    """What the system says, without the address that the event loop puts in its place."""
    return os.strerror(error.errno).lower() if error.errno else str(error)


def _how_to_start(host: str) -> str:
    if host.endswith(_OLLAMA_PORT):
        return "start Ollama: `ollama serve`"
    return "start the server, or correct the endpoint's URL"


def _transport_error(url: str, error: Exception, connect_s: float, silence_s: float) -> ProviderError:
    import aiohttp

    host = url.partition("://")[2].partition("/")[0].rpartition("@")[2]
    match error:
        case aiohttp.ConnectionTimeoutError():
            return ProviderError(f"{host} did not take a connection within {connect_s:g} s", can_retry=True)
        case aiohttp.ServerTimeoutError():
            return ProviderError(
                f"{host} was silent for {silence_s:g} s",
                code="timeout",
                hint="`compat: {idle_timeout_s: N}` under `model:` waits longer",
            )
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError():
            return ProviderError(
                f"no secure connection to {host}: {error}",
                hint=f"a company's own CA is named by the variable {CA_VARIABLES[0]}",
            )
        case aiohttp.ClientConnectorDNSError():
            return ProviderError(
                f"the name {host} cannot be resolved: {error.os_error.strerror or error.os_error}",
                hint="check the network and the endpoint's URL; a proxy is named by the variable HTTPS_PROXY",
            )
        case aiohttp.InvalidURL():
            return ProviderError(f"the address {host!r} cannot be used", hint="check the endpoint's URL")
        case ValueError():
            return ProviderError(
                f"the request to {host} cannot be sent: {error}", hint="check the endpoint and the key"
            )
        case aiohttp.ClientConnectorError():
            return ProviderError(
                f"no connection to {host}: {_in_words(error.os_error)}",
                hint=_how_to_start(host),
                can_retry=True,
            )
        case aiohttp.ClientPayloadError():
            return ProviderError(f"{host} dropped the connection before the end of its reply", can_retry=True)
        case aiohttp.ClientResponseError():
            return ProviderError(f"{host} does not speak HTTP: {preview(error.message)}")
        case _:
            return ProviderError(f"{host} dropped the connection: {str(error) or type(error).__name__}", can_retry=True)
