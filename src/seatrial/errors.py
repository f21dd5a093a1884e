"""Every exception that seatrial raises on purpose.

SeatrialError
├── ConfigError            the agent file or an option is wrong; carries diagnostics (exit code 2)
├── MissingExtraError      an optional dependency is not installed (exit code 2)
├── PluginError            a plugin cannot be loaded (exit code 2)
├── ProviderError          a model's host failed (exit code 3)
├── ToolError              a tool cannot be set up or called
│   ├── ToolArgumentError  arguments that do not fit the tool's schema (also a ValueError)
│   └── McpError           an MCP server cannot be reached, refused or broke off (exit code 3)
├── DocumentError          a file cannot be read as what it is said to be
├── RetrievalError         an index cannot be built or searched
├── MetricError            a metric cannot be computed
├── RunError               a stored run is missing or cannot be used (exit code 2)
│   └── StoreError         the run store cannot be read or written (exit code 3)
├── ReportError            a report cannot be written (exit code 3)
├── ServeError             the server cannot start
└── AbortedError              stop was said (an AbortSignal was set)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class SeatrialError(Exception):
    """``message`` says what happened and where; ``hint`` what to do; ``exit_code`` how a command ends."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(SeatrialError):
    """The user's input is wrong. ``diagnostics`` (of ``seatrial.config.diagnostics``) name each place."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str | None = None, diagnostics: Sequence[Any] = ()) -> None:
        super().__init__(message, hint=hint)
        self.diagnostics = tuple(diagnostics)


class MissingExtraError(SeatrialError):
    """An optional dependency is needed and not there."""

    exit_code = 2

    def __init__(self, extra: str, needed_for: str) -> None:
        from seatrial.installed import install_command

        super().__init__(f"{needed_for} needs the extra [{extra}]", hint=install_command(extra))
        self.extra = extra


class PluginError(SeatrialError):
    """A name in a catalogue, or an entry point, does not lead to a usable object."""

    exit_code = 2


class ProviderError(SeatrialError):
    """A model's host refused, failed or answered what nobody can read. ``status`` is the HTTP status, if any."""

    exit_code = 3

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        status: int | None = None,
        code: str | None = None,
        request_id: str | None = None,
        can_retry: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.code = code
        self.request_id = request_id
        self.can_retry = can_retry
        self.retry_after_s = retry_after_s


class ToolError(SeatrialError):
    """A tool cannot be set up or called. ``details`` (for people, never sent) are kept with the call's result."""

    def __init__(self, message: str, *, hint: str | None = None, details: dict[str, Any] | None = None) -> None:
        super().__init__(message, hint=hint)
        self.details = details or {}


class ToolArgumentError(ToolError, ValueError):
    """Arguments that do not fit the tool's schema; the message is written for the model."""


class McpError(ToolError):
    """An MCP server cannot be reached, or it refused or broke off what was asked of it.

    ``code`` is the JSON-RPC error code and ``status`` the HTTP status, where there was one; ``is_lost`` says that the
    connection is gone, ``did_not_run`` that the request surely had no effect, so that it may be sent again.
    """

    exit_code = 3

    def __init__(
        self,
        message: str,
        *,
        server: str,
        code: int | None = None,
        status: int | None = None,
        hint: str | None = None,
        is_lost: bool = False,
        did_not_run: bool = False,
        retry_after_s: float | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint=hint, details=details)
        self.server = server
        self.code = code
        self.status = status
        self.is_lost = is_lost
        self.did_not_run = did_not_run
        self.retry_after_s = retry_after_s

    @property
    def is_outage(self) -> bool:
        """Whether the server gave no answer, or a time-out for one; a refusal is an answer."""
        return self.is_lost or self.status is not None or self.code in (None, -32001)


class DocumentError(SeatrialError):
    """A document cannot be read."""


class RetrievalError(SeatrialError):
    """An index cannot be built or searched."""


class MetricError(SeatrialError):
    """A metric cannot be computed from what it was given. ``details`` (any JSON value) is kept beside the score."""

    def __init__(self, message: str, *, hint: str | None = None, details: Any = None) -> None:
        super().__init__(message, hint=hint)
        self.details = details


class RunError(SeatrialError):
    """A stored run is missing, broken or cannot be used for this."""

    exit_code = 2


class StoreError(RunError):
    """The run store cannot be opened, read or written: a full disk, a missing right, a damaged file."""

    exit_code = 3


class ReportError(SeatrialError):
    """A report cannot be written: a full disk, a folder that is gone. The run's results are stored all the same."""

    exit_code = 3


class ServeError(SeatrialError):
    """The server cannot start."""


class AbortedError(SeatrialError):
    """Stop was said; the message is the reason."""

    exit_code = 130
