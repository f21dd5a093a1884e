"""What the environment says of the way out: proxies, a company's certificates, addresses that are not allowed."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from seatrial.errors import ProviderError

if TYPE_CHECKING:
    import aiohttp

CA_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
AddressCheck = Callable[[str], bool]


def custom_ca() -> ssl.SSLContext | None:
    """The certificates that a variable of the environment adds to the usual ones; None when there are none."""
    for name in CA_VARIABLES:
        path = os.environ.get(name)
        if not path:
            continue
        try:
            context = ssl.create_default_context()
            is_folder = Path(path).is_dir()
            context.load_verify_locations(cafile=None if is_folder else path, capath=path if is_folder else None)
        except (OSError, ssl.SSLError) as error:
            raise ProviderError(
                f"the certificates in {path} cannot be read: {error}", hint=f"mend or unset the variable {name}"
            ) from error
        return context
    return None


def proxy_from_environment(scheme: str, host: str) -> str | None:
    """The proxy for a host, None for the direct way."""
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    return proxy if proxy and not proxy_bypass(host) else None


async def check_host(url: str, allows_address: AddressCheck, *, behind_proxy: bool) -> None:
    """Asks about an address in the URL itself, and about a name that only the proxy will resolve.

    Raises `ProviderError` when it is not allowed.
    """
    from yarl import URL

    # Read as the connection will read it: typographic digits and dots are an address there, too.
    host = URL(url).host or ""
    if _is_address(host):
        if not allows_address(host):
            raise _forbidden(host)
    elif host.replace(".", "").isdigit():
        # `0` or `2130706433`: no name, so no resolver is asked, and the system would make an address of it.
        raise _forbidden(host)
    elif behind_proxy:
        loop = asyncio.get_running_loop()
        with suppress(OSError):
            for *_, place in await loop.getaddrinfo(host, None):
                if not allows_address(str(place[0])):
                    raise _forbidden(host)


def guarded_resolver(allows_address: AddressCheck) -> aiohttp.abc.AbstractResolver:
    """Resolves names as usual and refuses those that lead to an address that is not allowed.

    The check stands between the name's resolution and the connection, so that a name cannot change its address in
    between.
    """
    import aiohttp

    class Guarded(aiohttp.ThreadedResolver):
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[aiohttp.abc.ResolveResult]:
            found = await super().resolve(host, port, family)
            if host not in _proxy_hosts() and not all(allows_address(result["host"]) for result in found):
                raise _forbidden(host)
            return found

    return Guarded()


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _forbidden(host: str) -> ProviderError:
    return ProviderError(f"{host} is a private or local address", code="forbidden_address")


def _proxy_hosts() -> set[str]:
    from urllib.request import getproxies

    return {urlsplit(proxy).hostname or "" for proxy in getproxies().values()}
