"""How fast the embedded store is, beside its peers: ``python benchmarks/vector_store.py``.

Vectors are random and saved texts are pieces of the standard library's sources, so that the store alone is measured.
Peers run in the interpreter that ``SEATRIAL_PEERS_PYTHON`` names (one with chromadb and lancedb), else they are left
out.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt
from retrieval_set import questions, write_documents

DIMENSION = 384
CHUNK_CHARS = 700
PER_FILE = 100
QUERIES = 200
Row = tuple[str, str, str]
Vectors = npt.NDArray[np.float32]


def texts(count: int) -> list[str]:
    """Pieces of the standard library's own sources, over again when they do not reach."""
    pieces: list[str] = []
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")):
        if "site-packages" not in path.parts:
            source = path.read_text(encoding="utf-8", errors="replace")
            pieces += [source[i : i + CHUNK_CHARS] for i in range(0, len(source) - CHUNK_CHARS, CHUNK_CHARS)]
            if len(pieces) >= count:
                break
    return [pieces[i % len(pieces)] for i in range(count)]


def vectors(count: int, seed: int = 0) -> Vectors:
    """Rows of length 1 in a thousand clusters, as those of real texts are."""
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((1000, DIMENSION)).astype(np.float32)
    rows = centres[chance.integers(0, 1000, count)] + 0.5 * chance.standard_normal((count, DIMENSION)).astype(
        np.float32
    )
    scaled: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def milliseconds(work: Callable[[int], object], times: int) -> list[float]:
    """How long each call took, sorted."""
    taken = []
    for number in range(times):
        start = time.perf_counter()
        work(number)
        taken.append((time.perf_counter() - start) * 1000)
    return sorted(taken)


def embedded_rows(count: int) -> Iterator[Row]:
    """The embedded store with ``count`` chunks; meant for a process of its own, whose memory is told."""
    from seatrial.retrieval.base import Chunk, SearchMode, StoredFile, StoreOptions
    from seatrial.retrieval.search import SearchSettings, search
    from seatrial.retrieval.stores.embedded import EmbeddedStore

    class SavedVectors:
        id = "saved"
        max_tokens = 256
        rows = vectors(QUERIES, seed=1)

        def embed(self, asked: list[str]) -> Vectors:
            return self.rows[hash(asked[0]) % QUERIES][None]

    asked = [question.text for question in questions()][:QUERIES]
    with tempfile.TemporaryDirectory() as folder:
        options = StoreOptions(Path(folder), "bench", "1")
        made, rows = texts(count), vectors(count)
        start = time.perf_counter()
        with closing(EmbeddedStore(options)) as store:
            for first in range(0, count, PER_FILE):
                source = f"file{first}.md"
                part = range(first, first + PER_FILE)
                chunks = [Chunk(made[i], source, f"{source} {i}", 0, CHUNK_CHARS, {"group": i % 100}) for i in part]
                store.replace_file(source, StoredFile("1", PER_FILE), chunks, rows[first : first + PER_FILE])
        yield f"{count:,} chunks stored", f"{time.perf_counter() - start:.1f} s", ""
        del made, rows
        start = time.perf_counter()
        with closing(EmbeddedStore(options)) as store:
            store.nearest(SavedVectors.rows[0], 10)
            bar = "at most 150 ms" if count == 10_000 else ""
            yield f"{count:,} chunks, opened and first asked", f"{(time.perf_counter() - start) * 1000:.0f} ms", bar
            modes: tuple[SearchMode, ...] = ("dense", "keyword", "hybrid")
            for mode in modes:
                settings = SearchSettings(mode=mode)
                taken = milliseconds(lambda n, s=settings: search(store, SavedVectors(), asked[n], s), len(asked))
                bar = "p50 at most 15 ms" if (count, mode) == (10_000, "hybrid") else ""
                yield f"{count:,} chunks, {mode} search, p50 / p95", _spread(taken), bar
            filtered = milliseconds(lambda n: store.nearest(SavedVectors.rows[n], 10, {"group": n % 100}), 50)
            yield f"{count:,} chunks, dense with a filter, p50 / p95", _spread(filtered), ""
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield f"{count:,} chunks, peak memory", f"{peak_mb:.0f} MB", "at most 1,000 MB" if count == 100_000 else ""


def ingestion_rows() -> Iterator[Row]:
    """What the index adds to the embedder's own time, on the documents of the retrieval set."""
    from seatrial.retrieval.base import EmbedderOptions
    from seatrial.retrieval.catalog import EMBEDDERS
    from seatrial.retrieval.index import Index

    class Timed:
        def __init__(self, name: str) -> None:
            self.inner = EMBEDDERS.load(name)(EmbedderOptions())
            self.id, self.max_tokens = self.inner.id, self.inner.max_tokens
            self.spent_s = 0.0
            self.count = 0

        def embed(self, asked: list[str]) -> Vectors:
            start = time.perf_counter()
            made: Vectors = self.inner.embed(asked)
            self.spent_s += time.perf_counter() - start
            self.count += len(asked)
            return made

        def count_tokens(self, text: str) -> int:
            return int(self.inner.count_tokens(text))

    for name, bar in (("local", "at least 80 %"), ("fast", "")):
        with tempfile.TemporaryDirectory() as folder:
            write_documents(Path(folder, "docs"))
            embedder = Timed(name)
            embedder.inner.embed(["warm"])
            with closing(Index.open(Path(folder, "index"), embedder)) as index:
                start = time.perf_counter()
                index.refresh(Path(folder, "docs"))
                whole_s = time.perf_counter() - start
            share = f"{embedder.spent_s / whole_s:.0%} of the time is the embedder's"
            yield f"ingestion with {name}", f"{embedder.count / whole_s:.0f} passages/s, {share}", bar


def peer_rows(count: int) -> Iterator[Row]:
    """The peers with the same vectors, if there is an interpreter for them."""
    python = os.environ.get("SEATRIAL_PEERS_PYTHON")
    if python is None:
        return
    for peer in ("chromadb", "lancedb"):
        script = Path(__file__).with_name("vector_store_peers.py")
        done = subprocess.run([python, script, peer, str(count)], capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stderr[-500:], file=sys.stderr)
        for line in done.stdout.splitlines():
            what, figure = line.split("\t")
            yield f"{peer}: {what}", figure, ""


def _spread(taken: list[float]) -> str:
    return f"{statistics.median(taken):.1f} / {taken[int(len(taken) * 0.95)]:.1f} ms"


def rows() -> Iterator[Row]:
    """The figures for the results page; each size in a process of its own."""
    for count in (10_000, 100_000):
        done = subprocess.run([sys.executable, __file__, str(count)], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            what, figure, bar = line.split("\t")
            yield what, figure, bar
    yield from ingestion_rows()
    yield from peer_rows(10_000)


if __name__ == "__main__":
    for row in embedded_rows(int(sys.argv[1])) if len(sys.argv) > 1 else rows():
        print(*row, sep="\t", flush=True)
