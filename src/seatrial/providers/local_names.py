"""The names of the embedded engine, without what it takes to run it."""

from __future__ import annotations

EXTRACTIVE = "minilm-extractive"
ENGINES = (EXTRACTIVE,)
