"""Brings a store in line with the files of its source, one transaction per file."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from seatrial.core.abort import AbortSignal
from seatrial.documents.base import ReadOptions
from seatrial.documents.catalog import read_bytes, reader_for
from seatrial.documents.folders import SourceFile, source_files
from seatrial.errors import DocumentError
from seatrial.retrieval.base import Embedder, Store, StoredFile
from seatrial.retrieval.chunking import chunks_of
from seatrial.retrieval.embedding import embed_chunks
from seatrial.retrieval.report import IndexProgress, IndexReport, ProgressSink
from seatrial.retrieval.settings import IndexSettings
from seatrial.retrieval.stores.vector_cache import VectorCache


class Refresh:
    """One pass over a source."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        cache: VectorCache,
        settings: IndexSettings,
        on_progress: ProgressSink | None,
        signal: AbortSignal | None,
        *,
        is_forced: bool = False,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._cache = cache
        self._settings = settings
        self._on_progress = on_progress
        self._signal = signal
        self._is_forced = is_forced
        self._done = 0
        self._total = 0

    def wait(self) -> None:
        """Tells that another process is at it; raises when stop was said."""
        self._tell(IndexProgress(0, 0, is_waiting=True))

    def run(self, source: Path) -> IndexReport:
        """The files that changed are read, cut, embedded and stored; those that went are removed."""
        files = source_files(source, include=self._settings.include, exclude=self._settings.exclude)
        self._total = len(files)
        before = self._store.files()
        gone = sorted(before.keys() - {file.source for file in files})
        if gone:
            self._store.remove_files(gone)
        results = [self._bring_in(file, before.get(file.source)) for file in files]
        self._tell(IndexProgress(self._total, self._total))
        after = self._store.files()
        return IndexReport(
            files=len(after),
            files_read=sum(result.was_read for result in results),
            files_embedded=sum(result.embedded > 0 for result in results),
            files_removed=len(gone),
            chunks=sum(file.chunk_count for file in after.values()),
            embedded_chunks=sum(result.embedded for result in results),
            problems=tuple(problem for result in results for problem in result.problems),
        )

    def _bring_in(self, file: SourceFile, stored: StoredFile | None) -> _FileResult:
        self._tell(IndexProgress(self._done, self._total, file.source))
        self._done += 1
        try:
            data = read_bytes(file.path, file.source, self._settings.limits)
            content_hash = sha256(data).hexdigest()
            if stored is not None and stored.content_hash == content_hash and not self._is_forced:
                return _FileResult(stored.problems)
            options = ReadOptions(
                record_path=self._settings.record_path,
                delimiter=self._settings.delimiter,
                limits=self._settings.limits,
            )
            document = reader_for(file.path, source=file.source).read(data, file.source, options)
            chunks = chunks_of(document, self._settings.fields, self._settings.chunking, self._embedder)
        except DocumentError as error:
            self._store.remove_files([file.source])
            return _FileResult((_told(error),), was_read=True)
        problems = tuple(map(str, document.problems))
        vectors, embedded = embed_chunks(
            chunks,
            self._embedder,
            self._cache,
            lambda done: self._tell_chunks(file.source, done, len(chunks)),
            is_forced=self._is_forced,
        )
        self._store.replace_file(file.source, StoredFile(content_hash, len(chunks), problems), chunks, vectors)
        return _FileResult(problems, embedded, was_read=True)

    def _tell_chunks(self, source: str, done: int, total: int) -> None:
        self._tell(IndexProgress(self._done - 1, self._total, source, done, total))

    def _tell(self, progress: IndexProgress) -> None:
        if self._signal is not None:
            self._signal.raise_if_set()
        if self._on_progress is not None:
            self._on_progress(progress)


@dataclass(frozen=True, slots=True)
class _FileResult:
    problems: tuple[str, ...] = ()
    embedded: int = 0
    was_read: bool = False


def _told(error: DocumentError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message
