"""Every tool of a server, page by page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Protocol

from seatrial.tools.mcp.mend import NAMELESS, Original
from seatrial.tools.mcp.remote import RemoteTool

MAX_PAGES = 1000
MAX_TOLD = 3


class Page(Protocol):
    """One page of a listing as the protocol library gives it, mended."""

    @property
    def tools(self) -> Any:
        """The tools on it."""

    @property
    def next_cursor(self) -> str | None:
        """Where the next one begins."""

    @property
    def meta(self) -> Any:
        """What the mender says of it."""


FetchPage = Callable[[str | None], Awaitable[Page]]


class CursorRefusedError(Exception):
    """The server does not know a cursor that it gave: its list changed meanwhile."""


class Listing:
    """The server's tools in its order, each name once, and what there is to say about the list."""

    def __init__(self) -> None:
        self.tools: dict[str, RemoteTool] = {}
        self._warnings: dict[str, None] = {}
        self._repeated: dict[str, None] = {}

    @classmethod
    async def fetched(cls, fetch: FetchPage, *, empty_cursor_ends: bool) -> Listing:
        """Reads page after page; a cursor that comes again ends the list. When one is refused it starts again, once."""
        try:
            return await cls()._read(fetch, empty_cursor_ends)
        except CursorRefusedError:
            listing = cls()
        try:
            return await listing._read(fetch, empty_cursor_ends)
        except CursorRefusedError as refused:
            listing._warn(f"it refuses a cursor that it gave ({refused}); the tools so far are used")
            return listing

    @classmethod
    def without_tools(cls, warning: str) -> Listing:
        """An empty list, and why it is empty."""
        listing = cls()
        listing._warn(warning)
        return listing

    @property
    def warnings(self) -> tuple[str, ...]:
        """What there is to say about it."""
        return (*self._warnings, *self._told_repeated())

    async def _read(self, fetch: FetchPage, empty_cursor_ends: bool) -> Listing:
        cursor: str | None = None
        seen: set[str] = set()
        while True:
            page = await fetch(cursor)
            self._add(page)
            cursor = page.next_cursor
            if cursor is None or (cursor == "" and empty_cursor_ends):
                return self
            if cursor in seen or len(seen) >= MAX_PAGES:
                why = f"gives the cursor {cursor!r} again" if cursor in seen else f"has more than {MAX_PAGES} pages"
                self._warn(f"its list of tools {why}; the {len(self.tools)} tools so far are used")
                return self
            seen.add(cursor)

    def _add(self, page: Page) -> None:
        nameless = (page.meta or {}).get(NAMELESS)
        if nameless:
            self._warn(f"{nameless} of the tools it lists have no name and are left out")
        for framed in page.tools:
            listed = Original.within(framed.meta) or {"name": framed.name}
            if not isinstance(listed.get("inputSchema"), dict):
                self._warn(f"its tool {framed.name!r} has no input schema that could be used; any arguments are taken")
            if framed.name in self.tools:
                self._repeated[framed.name] = None
            self.tools.setdefault(framed.name, RemoteTool.of(listed))

    def _told_repeated(self) -> Iterator[str]:
        names = list(self._repeated)
        if names:
            more = f" and {len(names) - MAX_TOLD} more" if len(names) > MAX_TOLD else ""
            told = ", ".join(repr(name) for name in names[:MAX_TOLD])
            yield f"it lists {told}{more} more than once; the first is used"

    def _warn(self, text: str) -> None:
        self._warnings[text] = None
