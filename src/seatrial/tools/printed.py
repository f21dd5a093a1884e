"""What a tool prints, kept with its result instead of written across the screen."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, TextIO

_LONGEST_BYTES = 20_000
_lock = threading.Lock()
_pages: ContextVar[_Pages | None] = ContextVar("seatrial_printed", default=None)


class Printed:
    """What was written to the two streams; complete once the capture has ended."""

    def __init__(self) -> None:
        self._pages = _Pages()

    def texts(self) -> dict[str, str]:
        """The streams that were written to, by name; of more than 20,000 bytes the middle is left out."""
        written = {name: _content(self._pages[name]) for name in ("stdout", "stderr") if name in self._pages}
        return {name: text for name, text in written.items() if text}

    def capture(self) -> AbstractContextManager[None]:
        """Keeps what this task or thread, and those that inherit its context variables, write meanwhile."""
        return _Capture(self._pages)


class _Capture:
    """A capture from its beginning to its end; every tool call has one, so it is no generator."""

    __slots__ = ("_new_pages", "_switches", "_token")

    def __init__(self, pages: _Pages) -> None:
        self._new_pages = pages

    def __enter__(self) -> None:
        self._token = _pages.set(self._new_pages)
        with _lock:
            self._switches = (_Switch.put_in("stdout"), _Switch.put_in("stderr"))

    def __exit__(self, *_: object) -> None:
        with _lock:
            for switch in self._switches:
                switch.take_out()
        _pages.reset(self._token)


class _Pages(dict[str, io.TextIOWrapper]):
    """A page for each stream that is written to: most tools print nothing."""

    def __missing__(self, name: str) -> io.TextIOWrapper:
        with _lock:
            return self.setdefault(name, _page())


class _Switch:
    """Stands in for ``sys.stdout``: leads each writer to its own page, and everybody else to the real stream."""

    def __init__(self, name: str, stream: TextIO) -> None:
        self._name = name
        self._stream = stream
        self._users = 0

    @classmethod
    def put_in(cls, name: str) -> _Switch:
        """The switch that is there, or a new one. The caller holds the lock, as for `take_out`."""
        current = getattr(sys, name)
        switch = current if isinstance(current, cls) else cls(name, current)
        switch._users += 1
        setattr(sys, name, switch)
        return switch

    def take_out(self) -> None:
        """Puts the real stream back when nobody needs the switch any more."""
        self._users -= 1
        if self._users == 0 and getattr(sys, self._name) is self:
            setattr(sys, self._name, self._stream)

    def __getattr__(self, name: str) -> Any:
        pages = _pages.get()
        return getattr(self._stream if pages is None else pages[self._name], name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)


def _page() -> io.TextIOWrapper:
    return io.TextIOWrapper(_Ends(), encoding="utf-8", errors="backslashreplace", newline="", write_through=True)


def _content(page: io.TextIOWrapper) -> str:
    page.flush()
    return page.buffer.text() if isinstance(page.buffer, _Ends) else ""


class _Ends(io.BufferedIOBase):
    """Keeps the beginning and the end of what is written, however much it is."""

    name = "printed"

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: Any) -> int:
        """Takes it all."""
        written = bytes(data)
        room = _LONGEST_BYTES // 2 - len(self._head)
        self._head += written[:room]
        self._tail += written[room:]
        too_many = len(self._tail) - _LONGEST_BYTES // 2
        if too_many > 0:
            del self._tail[:too_many]
            self._left_out += too_many
        return len(written)

    def text(self) -> str:
        """The two ends, with a note between them when there was more."""
        if not self._left_out:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = self._head.decode("utf-8", "ignore"), self._tail.decode("utf-8", "ignore")
        return f"{head}\n... {self._left_out:,} bytes left out ...\n{tail}"
