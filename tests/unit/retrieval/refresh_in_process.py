"""Refreshes an index in a process of its own: ``refresh_in_process.py INDEX SOURCE [SECONDS PER EMBEDDING]``."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seatrial.retrieval.index import Index
from seatrial.retrieval.settings import IndexSettings

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.support.bag_of_words import BagOfWords


class SlowBag(BagOfWords):
    def embed(self, texts: Sequence[str]) -> Any:
        time.sleep(float(sys.argv[3]) if len(sys.argv) > 3 else 0)
        return super().embed(texts)


index = Index.open(Path(sys.argv[1]), SlowBag(), IndexSettings(name="docs"))
print("opened", flush=True)
report = index.refresh(Path(sys.argv[2]), on_progress=lambda step: print(step.source, step.files_done, flush=True))
print(report.files, report.files_read, report.chunks, sep=" ", flush=True)
