"""Server-sent events: bytes in any cut -> the data of each event (WHATWG HTML, 9.2.6)."""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"


class SseReader:
    """Reads one stream. Bytes are cut only at line ends, so a character is never split."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._data: list[bytes] = []
        self._ends_with_cr = False
        self._is_at_start = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of the events that ``chunk`` completes; several ``data`` lines of one event are joined by LF."""
        if self._is_at_start:
            chunk = self._without_mark(chunk)
        if self._ends_with_cr and chunk:
            self._ends_with_cr = False
            chunk = chunk.removeprefix(b"\n")
        if b"\r" in chunk:
            self._ends_with_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in chunk:
            self._rest.append(chunk)
            return []
        lines = b"".join((*self._rest, chunk)).split(b"\n")
        self._rest = [lines.pop()]
        events: list[bytes] = []
        for line in lines:
            self._take(line, events)
        return events

    def end(self) -> list[bytes]:
        """The data of an event that the stream's end completes, where its blank line is missing."""
        events: list[bytes] = []
        self._take(b"".join(self._rest), events)
        self._rest = []
        self._take(b"", events)
        return events

    def _take(self, line: bytes, events: list[bytes]) -> None:
        if not line:
            if self._data:
                events.append(b"\n".join(self._data))
                self._data = []
        elif line.startswith(b"data:"):
            self._data.append(line[6:] if line.startswith(b"data: ") else line[5:])
        elif line == b"data":
            self._data.append(b"")

    def _without_mark(self, chunk: bytes) -> bytes:
        head = b"".join((*self._rest, chunk))
        self._rest = []
        if len(head) < len(BOM) and BOM.startswith(head):
            self._rest.append(head)
            return b""
        self._is_at_start = False
        return head.removeprefix(BOM)
