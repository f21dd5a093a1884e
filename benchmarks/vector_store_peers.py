"""One peer of the embedded store: ``python vector_store_peers.py chromadb|lancedb COUNT``, in a Python that has it."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version

from vector_data import PER_FILE, QUERIES, milliseconds, spread, texts, vectors

# Gives the numbers of the ten closest chunks, with their texts; the second argument is a group, None for all.
Query = Callable[[object, int | None], list[int]]


def main(peer: str, count: int) -> None:
    """Prints what was measured, a line each: name, tab, figure."""
    made, rows, asked = texts(count), vectors(count), vectors(QUERIES, seed=1)
    fill, opened = PEERS[peer]
    label = f"{version(peer)}, {count:,} chunks"
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        fill(folder, made, rows)
        print(f"{label} stored\t{time.perf_counter() - start:.1f} s")
        start = time.perf_counter()
        query = opened(folder)
        query(asked[0], None)
        print(f"{label}, opened and first asked\t{(time.perf_counter() - start) * 1000:.0f} ms")
        print(f"{label}, dense search, p50 / p95\t{spread(milliseconds(lambda n: query(asked[n], None), QUERIES))}")
        filtered = milliseconds(lambda n: query(asked[n], n % 100), 50)
        print(f"{label}, dense with a filter, p50 / p95\t{spread(filtered)}")
        print(f"{label}, recall@10 against exact\t{_recall(query, rows, asked):.3f}")
    print(f"{label}, peak memory\t{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _recall(query: Query, rows, asked) -> float:
    hits = 0
    for vector in asked:
        right = set((-(rows @ vector)).argsort()[:10].tolist())
        hits += len(right & set(query(vector, None)))
    return hits / (10 * len(asked))


def chromadb_fill(folder: str, made: list[str], rows) -> None:
    """Chroma's persistent client with its default index."""
    import chromadb as chroma

    collection = chroma.PersistentClient(folder).create_collection("bench", metadata={"hnsw:space": "cosine"})
    for first in range(0, len(made), PER_FILE):
        part = range(first, min(first + PER_FILE, len(made)))
        collection.add(
            ids=[str(i) for i in part],
            documents=[made[i] for i in part],
            embeddings=rows[first : first + PER_FILE].tolist(),
            metadatas=[{"group": i % 100} for i in part],
        )


def chromadb_opened(folder: str) -> Query:
    """The same client again; its library keeps what a process has open, so that this is no cold start."""
    import chromadb as chroma

    collection = chroma.PersistentClient(folder).get_collection("bench")

    def query(vector, group: int | None) -> list[int]:
        where = None if group is None else {"group": group}
        found = collection.query(query_embeddings=[vector.tolist()], n_results=10, where=where)
        return [int(one) for one in found["ids"][0]]

    return query


def lancedb_fill(folder: str, made: list[str], rows) -> None:
    """LanceDB without an index, which is exact."""
    import lancedb as lance

    data = [
        {"id": i, "text": text, "group": i % 100, "vector": row}
        for i, (text, row) in enumerate(zip(made, rows, strict=True))
    ]
    lance.connect(folder).create_table("bench", data=data)


def lancedb_opened(folder: str) -> Query:
    """A new connection to the same folder."""
    import lancedb as lance

    table = lance.connect(folder).open_table("bench")

    def query(vector, group: int | None) -> list[int]:
        search = table.search(vector).metric("cosine").select(["id", "text", "_distance"]).limit(10)
        found = search if group is None else search.where(f"`group` = {group}", prefilter=True)
        return [row["id"] for row in found.to_list()]

    return query


PEERS = {"chromadb": (chromadb_fill, chromadb_opened), "lancedb": (lancedb_fill, lancedb_opened)}

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
