"""Failures of a server, in words for people and models."""

from __future__ import annotations

import asyncio
import errno
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcp import MCPError
from pydantic import ValidationError

from seatrial.errors import McpError
from seatrial.http_client.words import redact
from seatrial.tools.mcp.exchange import HttpFailure, shown_url
from seatrial.tools.mcp.settings import McpSettings

if TYPE_CHECKING:
    from seatrial.tools.mcp.link import Link

CONNECTION_CLOSED = -32000
REQUEST_TIMEOUT = -32001
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
CURSOR_REFUSED = -32602

_MAX_CHARS = 1000
_SHORTEST_SECRET = 6
_NO_SHEBANG = (
    "it does not say what runs it: write `command: python` and the file under `args`, or `#!` in its first line"
)
_NO_PACKAGE = ("code E404", "was not found in the package registry", "not found in the package index")
_NO_DOWNLOAD = re.compile(
    r"npm (?:error|ERR!) code (?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENOTCACHED|ERR_SOCKET_TIMEOUT)"
    r"|error: Failed to fetch|error sending request for url|the network was disabled"
)
_NO_PROGRAM = re.compile(
    r"could not determine executable to run|[Aa]n executable named `[^`]*` is not provided|does not provide any exec"
)
_UNSET = re.compile(
    r"KeyError: '([A-Z][A-Z0-9_]+)'|\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b[^\n]{0,60}(?:required|not set|missing|unset)"
)
_DOWNLOADERS = ("npx", "uvx", "npx.cmd", "pipx", "docker")


class Failures:
    """Makes errors of one server from whatever the protocol library raised."""

    def __init__(self, settings: McpSettings) -> None:
        self._settings = settings
        self._who = f"the MCP server {settings.name!r}"
        self._secrets = [text for text in _secrets(settings) if len(text) >= _SHORTEST_SECRET]

    def of_start(self, link: Link, error: BaseException) -> McpError:
        """It could not be started or reached."""
        cause = root_cause(error)
        if isinstance(cause, McpError):
            return cause
        if isinstance(cause, TimeoutError) or link.has_timed_out:
            why = f"{self._who} did not get ready in {self._settings.connect_timeout_s:g} s (connect_timeout)"
            return self._made(link, why, hint=self._slow_hint())
        if link.http_failure is not None:
            return self._refused(link.http_failure, cause)
        if self._settings.is_remote:
            where = shown_url(self._settings.url)
            return self._made(
                link,
                f"{self._who} cannot be reached at {where}: {_words(cause)}",
                is_lost=True,
                hint="start it, or correct its `url`; `seatrial doctor --online` tries it",
            )
        if link.process is not None and _is_closed(cause):
            why = f"{self._who} {link.process.told_end} before it was ready"
            hint = _why_it_ended(link, is_downloaded=self._is_downloaded)
            return self._made(link, why, is_lost=True, hint=hint)
        hint = _NO_SHEBANG if isinstance(cause, OSError) and cause.errno == errno.ENOEXEC else None
        return self._made(link, f"{self._who} could not be started: {_words(cause)}", code=_code(cause), hint=hint)

    def of_listing(self, link: Link, error: BaseException) -> McpError:
        """It did not tell its tools."""
        cause = root_cause(error)
        if isinstance(cause, TimeoutError) or _code(cause) == REQUEST_TIMEOUT:
            limit_s = self._settings.connect_timeout_s
            return self._made(link, f"{self._who} did not list its tools within {limit_s:g} s", code=_code(cause))
        if not link.is_open:
            return self._lost(link, "while it listed its tools", cause)
        return self._made(link, f"{self._who} does not list its tools: {_words(cause)}", code=_code(cause))

    def of_call(
        self, link: Link, tool: str, limit_s: float, error: BaseException, failure: HttpFailure | None
    ) -> McpError:
        """It did not answer a call with a result."""
        cause = root_cause(error)
        if failure is not None and failure.is_end_of_session:
            return self._refused(failure, cause, is_lost=True, did_not_run=True)
        if failure is not None and failure.status != 400:
            return self._refused(failure, cause, did_not_run=failure.status == 429)
        if isinstance(cause, TimeoutError) or _code(cause) == REQUEST_TIMEOUT:
            why = f"timed out: {self._who} gave no answer to the call of {tool!r} within {limit_s:g} s"
            return self._made(link, why, code=REQUEST_TIMEOUT, with_stderr=False)
        if not link.is_open:
            return self._lost(link, f"during the call of {tool!r}", cause)
        why = f"{self._who} {_no_answer(tool, cause)}: {_words(cause)}"
        return self._made(link, why, code=_code(cause), with_stderr=False)

    def _lost(self, link: Link, when: str, cause: BaseException) -> McpError:
        if link.process is not None:
            how = link.process.complaint or link.process.told_end
            return self._made(link, f"{self._who} {how} {when}", code=_code(cause), is_lost=True)
        behind = root_cause(link.cause) if link.cause is not None else cause
        # The library raises RuntimeError where its client is closed already, which says nothing to anybody.
        why = "it was closed from there" if isinstance(behind, RuntimeError) else _words(behind)
        return self._made(
            link, f"the connection to {self._who} was lost {when}: {why}", code=_code(cause), is_lost=True
        )

    def _refused(
        self, failure: HttpFailure, cause: BaseException, *, is_lost: bool = False, did_not_run: bool = False
    ) -> McpError:
        words = cause.message if isinstance(cause, MCPError) and not _is_stand_in(cause) else ""
        told = f"{self._who} answered with {failure.told}{': ' + words[:_MAX_CHARS] if words else ''}"
        return McpError(
            redact(told, self._secrets),
            server=self._settings.name,
            code=_code(cause),
            status=failure.status,
            hint=failure.hint,
            is_lost=is_lost,
            did_not_run=did_not_run,
            retry_after_s=failure.retry_after_s,
        )

    def _made(
        self,
        link: Link,
        message: str,
        *,
        code: int | None = None,
        is_lost: bool = False,
        hint: str | None = None,
        with_stderr: bool = True,
    ) -> McpError:
        last_words = link.process.stderr.told() if link.process is not None and with_stderr else ""
        told = redact(message + last_words, self._secrets)
        return McpError(told, server=self._settings.name, code=code, is_lost=is_lost, hint=hint)

    @property
    def _is_downloaded(self) -> bool:
        return re.split(r"[/\\]", self._settings.command)[-1] in _DOWNLOADERS

    def _slow_hint(self) -> str:
        if self._is_downloaded:
            return "its first start downloads it: raise `connect_timeout`, or install it beforehand"
        return "raise `connect_timeout` if it needs longer"


def _secrets(settings: McpSettings) -> Iterator[str]:
    """What a server was given and may repeat."""
    yield from settings.env.values()
    for value in settings.headers.values():
        yield value
        yield value.rpartition(" ")[2]


def root_cause(error: BaseException) -> BaseException:
    """The error inside of groups, the most telling one of several."""
    while isinstance(error, BaseExceptionGroup):
        telling = [each for each in error.exceptions if not isinstance(each, asyncio.CancelledError)]
        error = (telling or list(error.exceptions))[0]
    return error


def _why_it_ended(link: Link, *, is_downloaded: bool) -> str | None:
    text = "\n".join(link.process.stderr.lines) if link.process is not None else ""
    if "mcp" in text and ("ImportError" in text or "ModuleNotFoundError" in text or "AttributeError" in text):
        return "it may have been made for an older `mcp` package: install it in an environment of its own with `mcp<2`"
    if is_downloaded and any(words in text for words in _NO_PACKAGE):
        return "there is no package of that name: correct `server`, or the name in `args`"
    if is_downloaded and _NO_DOWNLOAD.search(text):
        proxy = "behind a proxy, hand it on by `inherit_env: [HTTPS_PROXY]`"
        return f"the package could not be downloaded: install it beforehand, or look at the network; {proxy}"
    if is_downloaded and _NO_PROGRAM.search(text):
        return "the package has no program of its own name: is it a server? Write `command` and `args` to name another"
    unset = _UNSET.search(text)
    if unset is not None:
        name = unset[1] or unset[2]
        return f"a server sees few of your variables: hand it on by `inherit_env: [{name}]`, or set it under `env`"
    return None


def _words(cause: BaseException) -> str:
    if isinstance(cause, MCPError):
        return f"{cause.message[:_MAX_CHARS] or 'no reason is given'} (code {cause.code})"
    if isinstance(cause, ValidationError):
        found = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in cause.errors(include_url=False)]
        return f"its answer is not as it should be: {'; '.join(found)}"[:_MAX_CHARS]
    said = " ".join(str(cause).split())[:_MAX_CHARS]
    if said and isinstance(cause, RuntimeError):
        return said
    return f"{type(cause).__name__}: {said}" if said else type(cause).__name__


def _code(cause: BaseException) -> int | None:
    return cause.code if isinstance(cause, MCPError) else None


def _is_closed(cause: BaseException) -> bool:
    """Servers of every kind have errors of their own under the code that the library gives to a closed connection."""
    is_told = isinstance(cause, MCPError) and cause.code == CONNECTION_CLOSED and cause.message == "Connection closed"
    return is_told or isinstance(cause, OSError)


def _no_answer(tool: str, cause: BaseException) -> str:
    if isinstance(cause, MCPError) and cause.message.startswith("SSE stream ended"):
        return f"broke off its answer to the call of {tool!r}"
    if isinstance(cause, ValueError):
        return f"answered the call of {tool!r} with something that cannot be read"
    return f"refused the call of {tool!r}"


def _is_stand_in(cause: MCPError) -> bool:
    return cause.message in ("Server returned an error response", "Session terminated", "Not Found")
