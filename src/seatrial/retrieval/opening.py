"""The way to an index that loads nothing heavy before it is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seatrial.plugins import Registry

if TYPE_CHECKING:
    from seatrial.retrieval.index import Index

_INDEX: Registry[type[Index]] = Registry("index", "seatrial.indexes", {"index": "seatrial.retrieval.index:Index"})


def index_class() -> type[Index]:
    """`Index`. With it come numpy and the splitter; raises `MissingExtraError` where the extra is not installed."""
    return _INDEX.load("index")
