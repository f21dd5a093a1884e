"""The face for terminals: a line editor that stays below while the answer comes above it (prompt_toolkit)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth

from seatrial.cli.chat.blocks import Blocks
from seatrial.cli.chat.command_names import SUMMARIES
from seatrial.cli.chat.completing import Completing
from seatrial.cli.chat.face import Tone
from seatrial.reporters.plain import one_line, visible

_PROMPT = "> "
_ROWS_BELOW = 6
_MENU_ROWS = 4
_STYLE = Style.from_dict({"thought": "italic ansibrightblack", "bottom-toolbar": "noreverse ansibrightblack"})


class Screen:
    """Shows finished blocks in the terminal's own scroll-back, and the one that is coming above the line editor."""

    is_live = True
    keeps_stdout = False

    def __init__(self, history: Path | None) -> None:
        self.on_interrupt: Callable[[], None] = self.leave
        self._blocks = Blocks()
        self._is_thought = False
        self._has_printed = False
        self._status = ""
        self._question: asyncio.Future[str | None] | None = None
        self._failure: BaseException | None = None
        self._has_left = False
        self._waiting: list[str] = []
        self._shown = asyncio.Event()
        self._words: dict[str, Sequence[str]] = {}
        completing = Completing(SUMMARIES, lambda command: self._words.get(command, ()))
        self._session = self._built(history, completing)

    @property
    def width(self) -> int:
        """Characters in a line of the terminal, as it is now."""
        return self._session.app.output.get_size().columns

    async def shown(self) -> None:
        """Returns once the prompt stands there."""
        await self._shown.wait()

    async def read(self) -> str | None:
        """What the user enters; it stays there as part of the conversation."""
        while (text := await self._line()) is not None:
            if self._question is None and not text.strip():
                continue
            self._print(self._paint().line(_PROMPT + text, "user", self.width))
            if self._question is None:
                return text
            self._answer(text)
        return None

    async def _line(self) -> str | None:
        """What is in the editor when it is left; None when the user leaves with it."""
        text: str | None = None
        if not self._has_left and self._failure is None:
            with suppress(EOFError):
                text = await self._session.prompt_async()
        self._shown.set()
        self._write_waiting()
        if self._failure is not None:
            raise self._failure
        return None if self._has_left else text

    async def ask(self, question: str) -> str | None:
        """What the user enters next."""
        self.line(question, "warning")
        self._question = asyncio.get_running_loop().create_future()
        self._redraw()
        try:
            return await self._question
        finally:
            self._question = None

    def text(self, piece: str) -> None:
        """Finished blocks are painted; the rest is shown as it is until it is finished."""
        self._begin(is_thought=False)
        for block in self._blocks.feed(piece):
            self._has_printed = True
            self._print(self._paint().markdown(block, self.width) + "\n")
        self._redraw()

    def thought(self, piece: str) -> None:
        """The same, dimmed."""
        self._begin(is_thought=True)
        for block in self._blocks.feed(piece):
            self._print(self._paint().line(block, "thought", self.width) + "\n")
        self._redraw()

    def was_thought(self, *, is_wanted: bool) -> bool:
        """What is still above the editor changes its looks or goes; the scroll-back stays."""
        self._is_thought = True
        if is_wanted:
            self._paint_rest()
        self._blocks = Blocks()
        self._redraw()
        has_printed, self._has_printed = self._has_printed, False
        return not has_printed

    def end(self) -> None:
        """Paints what is left."""
        self._paint_rest()
        self._has_printed = False

    def line(self, text: str, tone: Tone = "note") -> None:
        """A line in the scroll-back."""
        self._print(self._paint().line(text, tone, self.width))

    def status(self, text: str) -> None:
        """The line below the editor."""
        self._status = text
        self._redraw()

    def propose(self, command: str, words: Sequence[str]) -> None:
        """What Tab proposes behind a command."""
        self._words[command] = words

    async def settle(self) -> None:
        """Everything is shown at once."""

    def leave(self) -> None:
        """Ends the editor."""
        self._has_left = True
        self._answer(None)
        self._exit()

    def fail(self, error: BaseException) -> None:
        """Ends it with an error."""
        self._failure = error
        self._exit()

    def _exit(self) -> None:
        app = self._session.app
        if app.is_running and not app.is_done:
            app.exit(result="")

    def _begin(self, *, is_thought: bool) -> None:
        if self._is_thought is not is_thought:
            self._paint_rest()
            self._is_thought = is_thought

    def _paint_rest(self) -> None:
        block = self._blocks.finish()
        if not block:
            return
        paint, width = self._paint(), self.width
        painted = paint.line(block, "thought", width) if self._is_thought else paint.markdown(block, width)
        self._has_printed = self._has_printed or not self._is_thought
        self._print(painted + "\n")
        self._redraw()

    def _answer(self, text: str | None) -> None:
        if self._question is not None and not self._question.done():
            self._question.set_result(text)

    def _print(self, painted: str) -> None:
        """Puts it into the scroll-back. Keys that are pressed meanwhile are not lost: the terminal's mode stays."""
        self._waiting.append(painted)
        app = self._session.app
        if app.is_running and app.is_done:
            return
        if app.is_running:
            app.renderer.erase()
        self._write_waiting()
        self._redraw()

    def _write_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        output = self._session.app.output
        output.write_raw("".join(waiting).replace("\n", "\r\n"))
        output.flush()

    def _redraw(self) -> None:
        if self._session.app.is_running:
            self._session.app.invalidate()

    def _paint(self) -> Any:
        return _paint()

    def _message(self) -> StyleAndTextTuples:
        """What stands above the editor and at its beginning."""
        asked = "answer> " if self._question is not None else _PROMPT
        coming = self._coming()
        if not coming:
            return [("", asked)]
        return [("class:thought" if self._is_thought else "", coming + "\n"), ("", asked)]

    def _coming(self) -> str:
        """The end of the block that is coming, as much as there is room for; the editor's prompt wraps no lines."""
        size = self._session.app.output.get_size()
        rows = max(size.rows - _ROWS_BELOW - _MENU_ROWS, 2)
        end = visible(self._blocks.tail(rows)[-rows * size.columns :])
        wrapped = [row for line in end.rstrip("\n").split("\n") for row in _rows(line, max(size.columns - 1, 1))]
        return "\n".join(wrapped[-rows:])

    def _toolbar(self) -> str:
        return one_line(self._status, max(self.width - 1, 1))

    def _built(self, history: Path | None, completing: Completer) -> PromptSession[str]:
        session: PromptSession[str] = PromptSession(
            self._message,
            multiline=True,
            history=_history(history),
            completer=completing,
            complete_while_typing=True,
            key_bindings=self._keys(),
            bottom_toolbar=self._toolbar,
            reserve_space_for_menu=_MENU_ROWS,
            prompt_continuation="  ",
            erase_when_done=True,
            style=_STYLE,
            include_default_pygments_style=False,
            output=_output(),
        )
        session.app.after_render += lambda _app: self._shown.set()
        session.app.ttimeoutlen = 0.05
        return session

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        is_choosing = Condition(self._is_choosing)

        @keys.add("enter", filter=is_choosing)
        def choose(event: KeyPressEvent) -> None:
            event.current_buffer.complete_state = None

        @keys.add("enter", filter=~is_choosing)
        @keys.add("c-j", filter=~is_choosing)
        def send(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if buffer.document.current_line_before_cursor.endswith("\\"):
                buffer.delete_before_cursor()
                buffer.insert_text("\n")
            else:
                buffer.validate_and_handle()

        @keys.add("escape", "enter")
        def break_line(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("c-c")
        @keys.add("<sigint>")
        def interrupt(event: KeyPressEvent) -> None:
            if event.current_buffer.text:
                event.current_buffer.reset()
            elif self._question is not None:
                self._answer(None)
            else:
                self.on_interrupt()

        return keys

    def _is_choosing(self) -> bool:
        state = self._session.default_buffer.complete_state
        return state is not None and state.current_completion is not None


def _rows(line: str, columns: int) -> list[str]:
    """The line cut where the terminal ends, by the room that characters take there."""
    rows, row, room = [], "", columns
    for character in line.expandtabs(4):
        width = get_cwidth(character)
        if width > room:
            rows.append(row)
            row, room = "", columns
        row += character
        room -= width
    return [*rows, row]


def _output() -> Vt100_Output:
    """The terminal, never asked where its cursor is: over slow lines the answer would come as typed text."""
    output = Vt100_Output.from_pty(sys.stdout)
    output.enable_cpr = False
    return output


def _paint() -> Any:
    """What paints, loaded with the first line that needs it: the prompt stands there before."""
    return import_module("seatrial.cli.chat.paint").Paint()


def _history(path: Path | None) -> History:
    if path is None:
        return InMemoryHistory()
    return _Kept(path)


class _Kept(FileHistory):
    """What was entered, in a file that only its owner reads; where it cannot be written, it lasts for this session."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """The newest first."""
        try:
            return list(super().load_history_strings())
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        """Writes it down."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            super().store_string(string)
        except OSError:
            return
