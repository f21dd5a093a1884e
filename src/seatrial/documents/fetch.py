"""Files behind a URL: fetched once, kept on disk, asked about again; never from inside the own network."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from seatrial.documents.base import Limits
from seatrial.documents.files import write_whole
from seatrial.errors import DocumentError, ProviderError
from seatrial.http_client.client import HttpClient, HttpReply, Timeouts
from seatrial.http_client.surroundings import AddressCheck

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_FINAL = frozenset(("forbidden_address", "too_large"))
_HEADERS = {"accept": "*/*", "user-agent": "seatrial"}


def is_public(address: str) -> bool:
    """Whether an IP address lies in the public internet; addresses that wrap another are judged by that one."""
    found = _innermost(address)
    return found.is_global and not found.is_multicast


def is_reachable(address: str) -> bool:
    """Whether an IP address may be asked where private ones are allowed: those of one host, but for link-local ones, at
    which clouds keep their credentials.
    """
    found = _innermost(address)
    return not (found.is_link_local or found.is_multicast or found.is_unspecified)


def _innermost(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv4Address):
        return found
    inner = found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None)
    if inner is None and found in _NAT64:
        inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    return found if inner is None else inner


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """Limits of a fetch. ``allows_address`` judges each IP address before a connection is made."""

    timeout_s: float = 60.0
    max_redirects: int = 5
    allows_address: AddressCheck = is_public
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file on disk and where it came from. ``note`` says when an older copy had to do."""

    path: Path
    source: str
    note: str | None = None


def fetch_file(url: str, folder: Path, *, is_cached: bool = True, settings: FetchSettings | None = None) -> FetchedFile:
    """The file behind ``url``, kept in ``folder``. Blocks; must not be called inside an event loop.

    With ``is_cached`` a kept copy is used when the server says that it still holds, or cannot be asked. Raises
    `DocumentError` for other schemes than http and https, private addresses (also after a redirect), time-outs,
    sizes over the limit and every status but success.
    """
    return asyncio.run(_fetched(url, folder, is_cached, settings or FetchSettings()))


async def _fetched(url: str, folder: Path, is_cached: bool, settings: FetchSettings) -> FetchedFile:
    source = _shown(url)
    kept = _Kept(folder, url)
    known = kept.facts() if is_cached else None
    timeouts = Timeouts(connect_s=min(10.0, settings.timeout_s), idle_s=settings.timeout_s)
    client = HttpClient(timeouts=timeouts, allows_address=settings.allows_address)
    try:
        async with asyncio.timeout(settings.timeout_s):
            reply = await _followed(client, url, known or {}, settings)
    except TimeoutError as error:
        if known is not None:
            return FetchedFile(kept.file, source, "the server was silent; the kept copy was used")
        raise DocumentError(f"{source} did not come within {settings.timeout_s:g} s") from error
    except ProviderError as error:
        if known is not None and error.code not in _FINAL:
            return FetchedFile(kept.file, source, f"the kept copy was used: {error.message}")
        raise _refused(source, error) from error
    finally:
        await client.close()
    return _taken(reply, kept, source, known)


def _taken(reply: HttpReply, kept: _Kept, source: str, known: Mapping[str, str] | None) -> FetchedFile:
    if reply.status == 200:
        kept.put(reply)
        return FetchedFile(kept.file, source)
    if known is not None and reply.status == 304:
        return FetchedFile(kept.file, source)
    if known is not None and reply.status >= 500:
        return FetchedFile(kept.file, source, f"the kept copy was used: the server answered {reply.status}")
    raise DocumentError(f"{source} cannot be fetched: the server answered {reply.status}")


async def _followed(client: HttpClient, url: str, known: Mapping[str, str], settings: FetchSettings) -> HttpReply:
    for _ in range(settings.max_redirects + 1):
        _check_scheme(url)
        reply = await client.get(url, headers={**_HEADERS, **known}, max_bytes=settings.limits.max_bytes)
        if reply.status not in _REDIRECTS or "location" not in reply.headers:
            return reply
        target = _target(url, reply.headers["location"])
        if _parts(url).scheme == "https" and _parts(target).scheme != "https":
            raise DocumentError(f"{_shown(url)} redirects to {_shown(target)}, which is not encrypted")
        url = target
    raise DocumentError(f"{_shown(url)}: more than {settings.max_redirects} redirects")


def _check_scheme(url: str) -> None:
    parts = _parts(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DocumentError(f"{_shown(url)} is no web address", hint="only http:// and https:// are fetched")


def _refused(source: str, error: ProviderError) -> DocumentError:
    hint = error.hint
    if error.code == "forbidden_address":
        hint = "put the file beside the agent and name its path, or write `allow_private: true` if the address is meant"
    return DocumentError(f"{source} cannot be fetched: {error.message}", hint=hint)


def _target(url: str, location: str) -> str:
    """Where a redirect leads; raises `DocumentError` when that is no address."""
    try:
        return urljoin(url, location)
    except ValueError as error:
        raise DocumentError(f"{_shown(url)} redirects to {location!r}, which is no address: {error}") from error


def _parts(url: str) -> SplitResult:
    """The parts of an address; raises `DocumentError` for what is none."""
    try:
        return urlsplit(url)
    except ValueError as error:
        raise DocumentError(f"{url!r} is no address: {error}") from error


def _shown(url: str) -> str:
    """The URL without what may be secret: user, password, query."""
    parts = _parts(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


class _Kept:
    """The copy of one URL: the file and, beside it, what the server said of its version."""

    def __init__(self, folder: Path, url: str) -> None:
        key = sha256(url.encode()).hexdigest()[:32]
        suffix = PurePosixPath(unquote(urlsplit(url).path)).suffix[:10]
        self.file = folder / f"{key}{suffix if suffix[1:].isalnum() else ''}"
        self._facts = folder / f"{key}.json"

    def facts(self) -> dict[str, str] | None:
        """The headers that ask whether the copy still holds; None without a whole copy."""
        try:
            facts = json.loads(self._facts.read_text("utf-8"))
            is_whole = sha256(self.file.read_bytes()).hexdigest() == facts["sha256"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        asked = {"if-none-match": facts.get("etag"), "if-modified-since": facts.get("last_modified")}
        return {name: value for name, value in asked.items() if value} if is_whole else None

    def put(self, reply: HttpReply) -> None:
        """Keeps the reply in place of the copy."""
        facts = {
            "sha256": sha256(reply.body).hexdigest(),
            "etag": reply.headers.get("etag"),
            "last_modified": reply.headers.get("last-modified"),
        }
        write_whole(self.file, reply.body)
        write_whole(self._facts, json.dumps(facts).encode())
