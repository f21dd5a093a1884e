"""What an index is made of. Plain values: nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from seatrial.documents.base import Limits
from seatrial.documents.passages import FieldSettings


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How long a passage may be and how much it repeats of the one before, both in ``unit``.

    ``tokens`` are those of the embedder. Whatever is asked for, a passage never has more tokens than the embedder
    reads.
    """

    size: int = 700
    overlap: int = 70
    unit: Literal["characters", "tokens"] = "characters"


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What an index is made of. A change of any of these, or of the embedder, builds it anew beside the old one.

    ``name`` tells the indexes of one project apart. ``include`` and ``exclude`` are globs below the source folder; a
    change of these only takes files in or out.
    """

    name: str = "default"
    chunking: ChunkSettings = field(default_factory=ChunkSettings)
    fields: FieldSettings = field(default_factory=FieldSettings)
    record_path: str | None = None
    delimiter: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    store: str = "embedded"
    connection: Mapping[str, Any] = field(default_factory=dict)
