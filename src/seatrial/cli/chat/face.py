"""What the conversation needs of the terminal, whichever kind it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

Tone = Literal["tool", "note", "warning", "error"]


class Page(Protocol):
    """Where the conversation is shown. Everything may come from a model or a tool: the page makes it harmless."""

    def text(self, piece: str) -> None:
        """More of the answer, as it comes."""

    def thought(self, piece: str) -> None:
        """More of the reasoning, as it comes."""

    def was_thought(self, *, is_wanted: bool) -> bool:
        """The answer so far was reasoning: shown as such when it is wanted, else taken back.

        False when some of it stands there already, where nothing can be taken back.
        """

    def end(self) -> None:
        """The answer or the reasoning is whole so far."""

    def line(self, text: str, tone: Tone = "note") -> None:
        """A line or several of the program's own, or of a tool."""

    def status(self, text: str) -> None:
        """What is going on now; empty for nothing. May not be shown at all."""


class Face(Page, Protocol):
    """A page that the user can write on, too.

    ``is_live``: the user can write while an answer comes. ``keeps_stdout``: stdout is for answers alone, whatever code
    of tools writes there goes to stderr.
    """

    is_live: bool
    keeps_stdout: bool
    on_interrupt: Callable[[], None]

    @property
    def width(self) -> int:
        """Characters in a line."""

    async def shown(self) -> None:
        """Returns when the user can begin to write; what takes long is begun then."""

    async def read(self) -> str | None:
        """The user's next message or command; None when they leave. Raises what `fail` was given."""

    async def ask(self, question: str) -> str | None:
        """The answer to a question in the midst of a turn; None when there is nobody to answer, or Ctrl-C."""

    def propose(self, command: str, words: Sequence[str]) -> None:
        """Words that may stand behind a command."""

    async def settle(self) -> None:
        """Returns when everything is shown."""

    def leave(self) -> None:
        """Ends the reading: `read` gives None."""

    def fail(self, error: BaseException) -> None:
        """Ends the reading with an error."""
