"""The index of one source: kept up to date file by file, and searched."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from seatrial.core.abort import AbortSignal
from seatrial.documents.catalog import readers_version
from seatrial.retrieval.base import Embedder, Reranker, SearchResult, Store, StoredFile, StoreOptions
from seatrial.retrieval.catalog import STORES
from seatrial.retrieval.refresh import Refresh
from seatrial.retrieval.report import IndexReport, IndexStats, ProgressSink
from seatrial.retrieval.search import SearchSettings, search
from seatrial.retrieval.settings import IndexSettings
from seatrial.retrieval.stores.lock import exclusive
from seatrial.retrieval.stores.vector_cache import VectorCache

_FORMAT = 1
_KEPT_VERSIONS = 4
_FORGET_AFTER_DAYS = 30
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


class Index:
    """Passages of one source, found by meaning and by words.

    May be searched from several threads, also while it is refreshed; refreshes of several processes wait in line.
    """

    def __init__(
        self, folder: Path, store: Store, embedder: Embedder, cache: VectorCache, settings: IndexSettings
    ) -> None:
        self._folder = folder
        self._store = store
        self._embedder = embedder
        self._cache = cache
        self._settings = settings

    @classmethod
    def open(cls, folder: Path, embedder: Embedder, settings: IndexSettings | None = None) -> Index:
        """The index of that name and those settings in ``folder``; an empty one where there is none yet.

        Raises `RetrievalError` when its files cannot be used.
        """
        settings = settings or IndexSettings()
        cache = VectorCache(folder / "vectors.sqlite", embedder.id)
        options = StoreOptions(folder, _file_name(settings.name), _version(embedder, settings), settings.connection)
        return cls(folder, STORES.load(settings.store)(options), embedder, cache, settings)

    def refresh(
        self,
        source: Path,
        *,
        on_progress: ProgressSink | None = None,
        signal: AbortSignal | None = None,
        is_forced: bool = False,
    ) -> IndexReport:
        """Brings the index in line with the files at ``source``. Blocks for long; killed, it goes on where it was.

        Only files whose content changed are read, unless ``is_forced``; a file that cannot be read is a problem, and
        out of the index.
        Raises `DocumentError` when ``source`` is missing, `AbortedError` when ``signal`` is set.
        """
        work = Refresh(
            self._store, self._embedder, self._cache, self._settings, on_progress, signal, is_forced=is_forced
        )
        lock = self._folder / f"{_file_name(self._settings.name)}.lock"
        with exclusive(lock, on_wait=work.wait):
            report = work.run(source)
            self._store.drop_old_versions(_KEPT_VERSIONS)
            self._cache.forget_unused(_FORGET_AFTER_DAYS)
        return report

    def search(
        self, query: str, settings: SearchSettings | None = None, *, rerank: Reranker | None = None
    ) -> list[SearchResult]:
        """The closest passages, best first. Blocks while the question is embedded."""
        return search(self._store, self._embedder, query, settings or SearchSettings(), rerank)

    def files(self) -> dict[str, StoredFile]:
        """The files that are in, by source."""
        return self._store.files()

    def stats(self) -> IndexStats:
        """What the index holds now, as it lies there."""
        files = self._store.files().values()
        return IndexStats(
            files=len(files),
            chunks=sum(file.chunk_count for file in files),
            problems=sum(len(file.problems) for file in files),
            embedder=self._embedder.id,
            bytes_on_disk=self._store.bytes_on_disk(),
        )

    def close(self) -> None:
        """Closes the store and the cache; the embedder stays with its owner."""
        self._store.close()
        self._cache.close()


def _file_name(name: str) -> str:
    """The name itself where it can be a file's, else with a mark that keeps different names apart."""
    safe = _UNSAFE.sub("_", name).lstrip(".")
    return safe if safe == name else f"{safe}.{sha256(name.encode()).hexdigest()[:8]}"


def _version(embedder: Embedder, settings: IndexSettings) -> str:
    """Changes with everything that the passages and their vectors depend on."""
    parts = [
        _FORMAT,
        readers_version(),
        embedder.id,
        asdict(settings.chunking),
        asdict(settings.fields),
        settings.record_path,
        settings.delimiter,
        asdict(settings.limits),
    ]
    return sha256(json.dumps(parts).encode()).hexdigest()[:16]
