"""Vectors as text that can stand in a file, and back, to the last bit."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from seatrial.errors import MissingExtraError, RetrievalError

try:
    import numpy as np
except ImportError as error:
    raise MissingExtraError("local", "searching documents") from error

if TYPE_CHECKING:
    from seatrial.retrieval.base import Vectors


def text_of_vectors(vectors: Vectors) -> str:
    """``rows x columns`` and the numbers as float32, little end first, in base64."""
    rows, columns = vectors.shape
    return f"{rows}x{columns} {base64.b64encode(vectors.astype('<f4').tobytes()).decode()}"


def vectors_of_text(text: str) -> Vectors:
    """What `text_of_vectors` was given. Raises `RetrievalError` for any other text."""
    shape, _, numbers = text.partition(" ")
    try:
        rows, columns = map(int, shape.split("x"))
        found = np.frombuffer(base64.b64decode(numbers, validate=True), dtype="<f4").reshape(rows, columns)
    except (ValueError, binascii.Error) as error:
        raise RetrievalError(f"these are no vectors: {text[:40]!r}") from error
    return found.astype(np.float32)
