"""What every store in the catalogue promises, whatever engine is behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from tests.support.bag_of_words import BagOfWords

from seatrial.documents.passages import FieldSettings
from seatrial.errors import ConfigError, RetrievalError
from seatrial.retrieval.base import Chunk, SearchMode, Store, StoredFile, StoreOptions
from seatrial.retrieval.catalog import STORES
from seatrial.retrieval.index import Index
from seatrial.retrieval.search import SearchSettings, search
from seatrial.retrieval.settings import ChunkSettings, IndexSettings

Open = Callable[..., Store]
MODES = get_args(SearchMode)
EMBEDDER = BagOfWords()


@pytest.fixture(params=STORES.builtins)
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, dict[str, str]]:
    match request.param:
        case "pgvector":
            uri = request.getfixturevalue("postgres")
            import psycopg

            with psycopg.connect(uri, autocommit=True) as connection:
                connection.execute("DROP SCHEMA IF EXISTS seatrial CASCADE")
            return "pgvector", {"connection_string": uri}
        case "qdrant":
            return "qdrant", {"connection_string": str(tmp_path / "qdrant")}
        case name:
            return name, {}


@pytest.fixture
def open_store(connection: tuple[str, dict[str, str]], tmp_path: Path) -> Iterator[Open]:
    name, options = connection
    opened: list[Store] = []

    def open_one(index: str = "docs", version: str = "1") -> Store:
        store = STORES.load(name)(StoreOptions(tmp_path, index, version, options))
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        with suppress(RetrievalError):
            store.close()


def put(store: Store, source: str, *texts: str, **metadata: object) -> None:
    chunks = [Chunk(text, source, f"{source} {n}", n, n + 1, dict(metadata)) for n, text in enumerate(texts)]
    store.replace_file(
        source, StoredFile(f"hash of {texts}", len(chunks), ("a problem",)), chunks, EMBEDDER.embed(texts)
    )


def found(store: Store, query: str, mode: SearchMode = "hybrid", **settings: object) -> list[str]:
    return [one.matched_content for one in search(store, EMBEDDER, query, SearchSettings(mode=mode, **settings))]


def test_a_file_is_there_with_its_chunks_and_found_in_every_mode(open_store: Open) -> None:
    store = open_store()
    put(store, "a.md", "blue mug", "green pot")
    assert store.files() == {"a.md": StoredFile("hash of ('blue mug', 'green pot')", 2, ("a problem",))}
    for mode in MODES:
        assert found(store, "green pot", mode)[0] == "green pot"


def test_an_empty_store_finds_nothing(open_store: Open) -> None:
    store = open_store()
    assert store.files() == {}
    for mode in MODES:
        assert found(store, "anything", mode) == []
    store.remove_files(["not there"])
    store.replace_file("empty.md", StoredFile("h", 0), [], np.empty((0, 0), dtype=np.float32))
    assert store.files()["empty.md"].chunk_count == 0


def test_a_replaced_file_leaves_nothing_of_its_former_self(open_store: Open) -> None:
    store = open_store()
    put(store, "a.md", "blue mug", "white mug", "old mug")
    put(store, "b.md", "mug of another file")
    put(store, "a.md", "new mug")
    assert sorted(found(store, "mug", top_k=10)) == ["mug of another file", "new mug"]
    assert store.count_words(["mug", "old"]).counts == {"mug": 2, "old": 0}


def test_removed_files_are_gone(open_store: Open) -> None:
    store = open_store()
    put(store, "a.md", "blue mug")
    put(store, "b.md", "green mug")
    store.remove_files(["a.md", "c.md"])
    assert list(store.files()) == ["b.md"]
    assert found(store, "mug") == ["green mug"]


def test_h017_scores_are_the_same_whichever_store_is_behind_them(open_store: Open, tmp_path: Path) -> None:
    store = open_store()
    reference = STORES.load("embedded")(StoreOptions(tmp_path / "reference", "docs", "1"))
    for one in (store, reference):
        put(one, "a.md", "blue mug for tea", "green pot for tea", "a chair", code="A-17")
    for mode in MODES:
        for query in ("blue tea", "A-17", "chair or pot", "nothing"):
            settings = SearchSettings(mode=mode)
            scores = [
                {result.matched_content: result.relevance_score for result in search(one, EMBEDDER, query, settings)}
                for one in (store, reference)
            ]
            assert scores[0] == pytest.approx(scores[1], abs=1e-5)
    reference.close()


def test_chunks_come_back_as_they_were(open_store: Open) -> None:
    store = open_store()
    metadata = {"n": 1, "f": 1.5, "ok": True, "none": None, "list": ["x"], "a.b": "é", 'q"': "y"}
    chunk = Chunk("Crème “brûlée” \U0001f9ff\n| a |", "dir/ü.md", "dir/ü.md#x page 3", 5, 25, metadata)
    store.replace_file("dir/ü.md", StoredFile("h", 1), [chunk], EMBEDDER.embed([chunk.text]))
    (hit,) = store.nearest(EMBEDDER.embed([chunk.text])[0], 5)
    assert store.chunks([hit.chunk_id, 987_654_321]) == {hit.chunk_id: chunk}
    assert np.allclose(store.vectors([hit.chunk_id, 987_654_321])[hit.chunk_id], EMBEDDER.embed([chunk.text])[0])
    assert found(store, "creme brulee", "keyword") == [chunk.text]


def test_where_means_exactly_these_values(open_store: Open) -> None:
    store = open_store()
    put(store, "a.md", "tea one", n=1, ok=True, **{"a.b": "x"})
    put(store, "b.md", "tea two", n=2, ok=False, **{'q"': "y"})
    for mode in MODES:
        assert found(store, "tea", mode, where={"n": 1}) == ["tea one"]
        assert found(store, "tea", mode, where={"n": 1.0}) == ["tea one"]
        assert found(store, "tea", mode, where={"n": True}) == []
        assert found(store, "tea", mode, where={"ok": False}) == ["tea two"]
        assert found(store, "tea", mode, where={"a.b": "x", "n": 1}) == ["tea one"]
        assert found(store, "tea", mode, where={'q"': "y"}) == ["tea two"]
        assert found(store, "tea", mode, where={"n": 3}) == []


@pytest.mark.parametrize("query", ['"', "'", "a & b", "a | !b", "(a", ":*", "<->", "mug\\", "%", "*", "\x00mug"])
def test_no_sign_in_a_question_is_an_operator(open_store: Open, query: str) -> None:
    store = open_store()
    put(store, "a.md", "blue mug")
    found(store, query)


def test_a_code_is_found_by_itself(open_store: Open) -> None:
    store = open_store()
    put(store, "a.md", *(f"part number AB-{n} for the pump" for n in range(100, 160)))
    assert found(store, "tell me about AB-137 please")[0] == "part number AB-137 for the pump"


def test_a_reopened_store_has_everything(open_store: Open) -> None:
    store = open_store()
    put(store, "a.md", "blue mug")
    store.close()
    again = open_store()
    assert list(again.files()) == ["a.md"]
    assert found(again, "mug") == ["blue mug"]


def test_names_and_versions_do_not_mix_and_old_versions_are_dropped(
    open_store: Open, connection: tuple[str, dict[str, str]]
) -> None:
    is_shared_client = connection[0] == "qdrant"
    for version in ("1", "2", "3", "4"):
        store = open_store(version=version)
        put(store, f"{version}.md", "blue mug")
        if is_shared_client:
            store.close()
    other = open_store("other")
    put(other, "other.md", "blue mug")
    if is_shared_client:
        other.close()
    latest = open_store(version="4")
    assert list(latest.files()) == ["4.md"]
    latest.drop_old_versions(1)
    latest.close()
    kept = [list(_files(open_store, version=version)) for version in ("1", "2", "3", "4")]
    assert kept == [[], [], ["3.md"], ["4.md"]]
    assert list(_files(open_store, index="other")) == ["other.md"]


def _files(open_store: Open, **options: str) -> dict[str, StoredFile]:
    store = open_store(**options)
    try:
        return store.files()
    finally:
        store.close()


def test_an_index_works_on_it(connection: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    name, options = connection
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "faq.md").write_text("# Returns\n\nWithin 30 days.\n\n# Shipping\n\nThe same day.\n")
    (docs / "prices.csv").write_text("sku,name\nA-1,Blue ceramic mug\nA-2,Green tea pot\n")
    settings = IndexSettings(
        "docs", chunking=ChunkSettings(200, 0), fields=FieldSettings(("name",)), store=name, connection=options
    )
    index = Index.open(tmp_path / "index", EMBEDDER, settings)
    assert index.refresh(docs).chunks == 4
    (docs / "faq.md").write_text("# Returns\n\nWithin 60 days.\n")
    report = index.refresh(docs)
    assert (report.files_read, report.chunks) == (1, 3)
    assert index.search("returns within days")[0].matched_content == "# Returns\n\nWithin 60 days."
    assert index.search("A-2")[0].source_reference == "prices.csv record 2"
    index.close()


@pytest.mark.parametrize("name", ["pgvector", "qdrant"])
def test_a_server_that_is_missing_is_an_error_that_helps(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no connection_string"):
        STORES.load(name)(StoreOptions(tmp_path, "docs", "1"))
    address = {"pgvector": "postgresql://u:hush@127.0.0.1:9/x?connect_timeout=2", "qdrant": "http://127.0.0.1:9"}[name]
    with pytest.raises(RetrievalError) as caught:
        STORES.load(name)(StoreOptions(tmp_path, "docs", "1", {"connection_string": address}))
    assert "hush" not in str(caught.value)


def test_postgres_finds_neighbours_through_the_vector_index_also_before_it_has_statistics(
    postgres: str, tmp_path: Path
) -> None:
    import psycopg

    store = STORES.load("pgvector")(StoreOptions(tmp_path, "planned", "1", {"connection_string": postgres}))
    put(store, "a.md", *(f"passage number {n} of many" for n in range(2000)))
    assert len(store.nearest(EMBEDDER.embed(["passage number 7"])[0], 10)) == 10
    store.close()
    scans = "SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE indexrelname LIKE 'vectors_%'"
    with psycopg.connect(postgres, autocommit=True) as connection:
        # The server counts what a session did a moment after it has left.
        assert any(connection.execute(scans).fetchone()[0] for _ in range(10_000))
