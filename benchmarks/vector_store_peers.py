"""One peer of the embedded store: ``python vector_store_peers.py chromadb|lancedb COUNT``, in a Python that has it."""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

from vector_store import PER_FILE, QUERIES, milliseconds, texts, vectors


def main(peer: str, count: int) -> None:
    """Prints what was measured, a line each: name, tab, figure."""
    made, rows, asked = texts(count), vectors(count), vectors(QUERIES, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        query = PEERS[peer](folder, made, rows)
        print(f"{count:,} chunks stored\t{time.perf_counter() - start:.1f} s")
        taken = milliseconds(lambda n: query(asked[n]), QUERIES)
        print(f"dense search, p50 / p95\t{statistics.median(taken):.1f} / {taken[int(len(taken) * 0.95)]:.1f} ms")
        print(f"recall@10 against exact\t{_recall(query, rows, asked):.3f}")
    print(f"peak memory\t{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _recall(query: Callable[[object], list[int]], rows, asked) -> float:
    hits = 0
    for vector in asked:
        right = set((-(rows @ vector)).argsort()[:10].tolist())
        hits += len(right & set(query(vector)))
    return hits / (10 * len(asked))


def chromadb(folder: str, made: list[str], rows) -> Callable[[object], list[int]]:
    """Chroma's persistent client with its default index."""
    import chromadb as chroma

    collection = chroma.PersistentClient(folder).create_collection("bench", metadata={"hnsw:space": "cosine"})
    for first in range(0, len(made), PER_FILE):
        part = slice(first, first + PER_FILE)
        ids = [str(i) for i in range(first, min(first + PER_FILE, len(made)))]
        collection.add(ids=ids, documents=made[part], embeddings=rows[part].tolist())
    return lambda vector: [
        int(one) for one in collection.query(query_embeddings=[vector.tolist()], n_results=10)["ids"][0]
    ]


def lancedb(folder: str, made: list[str], rows) -> Callable[[object], list[int]]:
    """LanceDB without an index, which is exact."""
    import lancedb as lance

    data = [{"id": i, "text": text, "vector": row} for i, (text, row) in enumerate(zip(made, rows, strict=True))]
    table = lance.connect(folder).create_table("bench", data=data)
    return lambda vector: [row["id"] for row in table.search(vector).metric("cosine").limit(10).to_list()]


PEERS = {"chromadb": chromadb, "lancedb": lancedb}

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
