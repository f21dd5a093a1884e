from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seatrial.documents.base import Document, ReadOptions
from seatrial.documents.catalog import read_document

ReadFile = Callable[..., Document]


@pytest.fixture
def read(tmp_path: Path) -> ReadFile:
    """Writes content under a name and reads it as a user's file."""

    def write_and_read(name: str, content: str | bytes, **options: Any) -> Document:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_document(path, source=name, options=ReadOptions(**options))

    return write_and_read
