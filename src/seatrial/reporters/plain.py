"""Text that is safe to show: whatever a model, a tool or a document says, the terminal and the page only display it."""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 (but tab and line feed) and C1: they move cursors and start escape sequences
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # line separators, bidirectional controls: they reorder what is read
    "\ud800-\udfff"  # lone surrogates: no encoding can write them
    "\ufeff\ufff9-\ufffb\ufffe\uffff"
    "]"
)
_TRANSLATION = {
    "…": "...",
    "✓": "+",
    "✗": "x",
    "≥": ">=",
    "≤": "<=",
    "–": "-",
    "·": "-",
    "━": "-",
    "●": "*",
    "○": "o",
    "−": "-",
    "→": "->",
    "×": "x",
}
_LINE_BREAKS = re.compile(r"\s*[\r\n]+\s*")


def visible(text: str) -> str:
    r"""The text with control characters shown as escapes (``\x1b``, ``\u202e``); tabs and line feeds stay."""
    return _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))


def one_line(text: str, width: int | None = None) -> str:
    """`visible`, on one line, cut to ``width`` characters with an ellipsis."""
    flat = visible(_LINE_BREAKS.sub(" ", text).replace("\t", " ")).strip()
    if width is None or len(flat) <= width:
        return flat
    return flat[: max(width - 1, 0)].rstrip() + "…"


class Glyphs:
    """Our own signs in what an encoding can write: ``glyphs("✓ passed")`` is ``+ passed`` in ASCII."""

    def __init__(self, encoding: str | None) -> None:
        self._replace = str.maketrans(_TRANSLATION) if not _can_write(encoding) else None

    def __call__(self, text: str) -> str:
        """The text with the signs that can be written."""
        return text if self._replace is None else text.translate(self._replace)


def _can_write(encoding: str | None) -> bool:
    try:
        "".join(_TRANSLATION).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
