"""The face for pipes, screen readers and terminals that can do nothing: whole lines, one after the other."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from threading import Thread

from seatrial.cli import terminal
from seatrial.cli.chat.face import Tone

_WORDS: dict[Tone, str] = {"tool": "", "note": "", "warning": "warning: ", "error": "error: "}


class Lines:
    """Answers go to stdout, everything else to stderr. A line that ends with a backslash goes on in the next one.

    ``has_labels``: it is said in words who speaks, for people who hear it. ``is_streamed``: lines of the answer are
    shown as they come, else the answer comes whole.
    """

    is_live = False

    def __init__(self, *, has_labels: bool, is_streamed: bool) -> None:
        self.on_interrupt: Callable[[], None] = self.leave
        self.keeps_stdout = not is_streamed
        self._has_labels = has_labels
        self._is_streamed = is_streamed
        self._whole: list[str] = []
        self._text = ""
        self._is_thought = False
        self._is_begun = False
        self._has_said = False
        self._whole_before = 0
        self._reading: asyncio.Future[str] | None = None
        self._failure: BaseException | None = None
        self._has_left = False
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    @property
    def width(self) -> int:
        """Characters in a line; there is no need to cut."""
        return max(shutil.get_terminal_size((400, 24)).columns, 80) if self._has_labels else 400

    async def shown(self) -> None:
        """There is nothing to wait for."""

    async def read(self) -> str | None:
        """The next lines that stand for one message."""
        while not self._has_left:
            text = await self._entered("you: ")
            if text is None or text.strip():
                break
        if self._failure is not None:
            raise self._failure
        return None if self._has_left else text

    async def ask(self, question: str) -> str | None:
        """The next line."""
        terminal.tell(question)
        return await self._entered("answer: ")

    def text(self, piece: str) -> None:
        """Shows the lines that are whole."""
        self._begin(is_thought=False)
        self._text += piece
        if self._is_streamed:
            *whole, self._text = self._text.split("\n")
            for line in whole:
                self._say(line)

    def thought(self, piece: str) -> None:
        """Reasoning is shown whole."""
        self._begin(is_thought=True)
        self._text += piece

    def was_thought(self, *, is_wanted: bool) -> bool:
        """Lines that were said stay said."""
        has_said = self._has_said
        taken_back = [*self._whole[self._whole_before :], self._text]
        del self._whole[self._whole_before :]
        self._is_thought = True
        self._text = "\n".join(taken_back) if is_wanted else ""
        self.end()
        return not has_said

    def end(self) -> None:
        """Shows what is left."""
        self._say_rest()
        self._is_begun = False
        self._has_said = False
        self._whole_before = len(self._whole)

    def line(self, text: str, tone: Tone = "note") -> None:
        """On stderr."""
        terminal.tell(_WORDS[tone] + text)

    def status(self, text: str) -> None:
        """Nothing: a line that changes cannot be read aloud."""

    def propose(self, command: str, words: Sequence[str]) -> None:
        """Nothing: nobody presses Tab."""

    async def settle(self) -> None:
        """Shows the answers that are whole."""
        while self._whole:
            self._say(self._whole.pop(0))
            self._is_begun = False
        self._has_said = False
        self._whole_before = 0

    def leave(self) -> None:
        """Ends the reading."""
        self._has_left = True
        if self._reading is not None and not self._reading.done():
            self._reading.set_result("")

    def fail(self, error: BaseException) -> None:
        """Ends the reading with an error."""
        self._failure = error
        self.leave()

    def _begin(self, *, is_thought: bool) -> None:
        if self._is_thought is not is_thought:
            self._say_rest()
            self._is_begun = False
            self._is_thought = is_thought

    def _say_rest(self) -> None:
        text, self._text = self._text.strip("\n"), ""
        if text.strip() and self._is_thought:
            terminal.tell(f"thinks: {text}")
        elif text.strip() and self._is_streamed:
            self._say(text)
        elif text.strip():
            self._whole.append(text)

    def _say(self, line: str) -> None:
        label = "" if not self._has_labels or self._is_begun else "agent: "
        self._is_begun = self._has_said = True
        terminal.say(label + line)
        sys.stdout.flush()

    async def _entered(self, label: str) -> str | None:
        """Lines up to one that does not go on; None at the end of the input."""
        lines: list[str] = []
        while True:
            if self._has_labels:
                terminal.prompt(label if not lines else "... ")
            line = await self._line()
            if self._has_left or (not line and not lines):
                return None
            text = line.rstrip("\r\n")
            if not text.endswith("\\") or not line.endswith("\n"):
                return "\n".join([*lines, text])
            lines.append(text[:-1])

    async def _line(self) -> str:
        """One line of stdin. The thread that waits for it never keeps the program from ending."""
        loop = asyncio.get_running_loop()
        reading: asyncio.Future[str] = loop.create_future()
        self._reading = reading

        def read() -> None:
            try:
                line = sys.stdin.readline()
            except (OSError, ValueError):
                line = ""
            loop.call_soon_threadsafe(lambda: None if reading.done() else reading.set_result(line))

        Thread(target=read, name="seatrial-stdin", daemon=True).start()
        return await reading
