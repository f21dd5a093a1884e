"""What happened over HTTP to one request, which the protocol library itself does not tell."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

_HINTS = {
    401: "the server wants credentials: give `headers: {Authorization: Bearer ${TOKEN}}`",
    403: "the credentials in `headers` do not allow this",
    404: "there is no MCP endpoint at this address; is it the address of an SSE endpoint (`transport: sse`)?",
    405: "there is no MCP endpoint at this address; is it the address of an SSE endpoint (`transport: sse`)?",
    429: "the server is busy or a quota is used up",
}


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """An answer with an error status. ``url`` is without what may be secret in it."""

    status: int
    reason: str
    method: str
    url: str
    retry_after_s: float | None = None
    has_session: bool = False

    @property
    def told(self) -> str:
        """In words."""
        return f"HTTP {self.status} {self.reason} from {self.url}".replace("  ", " ")

    @property
    def hint(self) -> str | None:
        """What to do about it."""
        return _HINTS.get(self.status)

    @property
    def is_end_of_session(self) -> bool:
        """Whether the server does not know our session any more; then it did not run the request either."""
        return self.status == 404 and self.has_session


class Exchange:
    """What one request met with, told by the HTTP client that carries it."""

    def __init__(self) -> None:
        self.failure: HttpFailure | None = None


CURRENT_EXCHANGE: ContextVar[Exchange | None] = ContextVar("seatrial_mcp_exchange", default=None)


def shown_url(url: str) -> str:
    """The address without user, password and query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
