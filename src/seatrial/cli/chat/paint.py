"""Text as the terminal shows it: Markdown and lines with their tones. Whatever the text holds, it stays text."""

from __future__ import annotations

import re
from io import StringIO
from typing import ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, RenderableType
from rich.markdown import Heading, Markdown, MarkdownElement
from rich.segment import Segment, Segments
from rich.text import Text

from seatrial.cli.chat.face import Tone
from seatrial.reporters.plain import visible

_STYLES: dict[Tone | str, str] = {
    "tool": "cyan",
    "note": "dim",
    "warning": "yellow",
    "error": "red",
    "thought": "dim italic",
    "user": "bold",
}
_PROSE_WIDTH = 100
_FILLING = re.compile(r" +$", re.MULTILINE)


class Paint:
    """Makes strings with colours, as far as the terminal has them (``NO_COLOR`` is followed)."""

    def markdown(self, text: str, width: int) -> str:
        """A block of Markdown, wrapped. Links stand there whole, with their addresses."""
        painted = self._painted(_Plainly(visible(text)), min(width, _PROSE_WIDTH))
        return _FILLING.sub("", painted)

    def line(self, text: str, tone: Tone | str, width: int) -> str:
        """A text in one tone, wrapped."""
        return self._painted(Text(visible(text), style=_STYLES[tone]), width)

    def _painted(self, shown: RenderableType, width: int) -> str:
        out = StringIO()
        console = Console(file=out, force_terminal=True, width=max(width, 20), legacy_windows=False, soft_wrap=False)
        for segment in console.render(shown):
            safe = segment if segment.control else Segment(visible(segment.text), segment.style)
            console.print(Segments([safe]), end="", crop=False)
        return out.getvalue()


class _LeftHeading(Heading):
    """A heading where the eye looks for the next line."""

    LEVEL_ALIGN: ClassVar = {**Heading.LEVEL_ALIGN, "h1": "left"}


class _Plainly(Markdown):
    """Markdown of which nothing is hidden: HTML stands there as text, pictures and links with their addresses."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {**Markdown.elements, "heading_open": _LeftHeading}

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False, code_theme="ansi_dark")
        parser = MarkdownIt(options_update={"html": False}).enable(["strikethrough", "table"]).disable("image")
        self.parsed = parser.parse(text)
        for token in self.parsed:
            for child in token.children or ():
                child.content = visible(child.content)  # Markdown can spell characters: `&#x202e;`
