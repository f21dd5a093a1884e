"""Whether a quotation really stands in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_ELLIPSIS = re.compile(r"\[?(?:\.{3}|…)\]?")
_QUOTATION_MARKS = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'"})
_EDGES = " \"'.,;:"


def is_quoted_from(quote: str, texts: Iterable[str]) -> bool:
    """Whether every piece of the quotation (pieces are parted by an ellipsis) stands in one of the texts.

    Case, white space, the form of quotation marks and punctuation at the ends do not count.
    """
    pieces = [piece for piece in map(_plain, _ELLIPSIS.split(quote)) if piece]
    return bool(pieces) and any(all(piece in plain for piece in pieces) for plain in map(_plain, texts))


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).translate(_QUOTATION_MARKS).casefold()
    return " ".join(text.split()).strip(_EDGES)
