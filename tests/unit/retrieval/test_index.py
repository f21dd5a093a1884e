from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pytest
from tests.support.bag_of_words import BagOfWords

from seatrial.core.abort import AbortSignal
from seatrial.documents.base import Limits
from seatrial.documents.passages import FieldSettings
from seatrial.errors import AbortedError, DocumentError, RetrievalError
from seatrial.retrieval.index import Index
from seatrial.retrieval.report import IndexProgress
from seatrial.retrieval.search import SearchSettings
from seatrial.retrieval.settings import ChunkSettings, IndexSettings


def found(index: Index, query: str) -> str:
    return index.search(query, SearchSettings(top_k=1))[0].source_reference


def test_a_folder_is_read_and_its_passages_found_with_their_sources(open_index, docs: Path) -> None:
    index = open_index()
    report = index.refresh(docs)
    assert (report.files, report.files_read, report.chunks, report.embedded_chunks) == (3, 3, 5, 5)
    assert found(index, "can I send goods back?") == "faq.md#returns"
    assert found(index, "A-1001") == "prices.csv record 1"
    assert found(index, "family business") == "about.txt"


def test_what_did_not_change_is_not_read_again(open_index, docs: Path, embedder: BagOfWords) -> None:
    open_index().refresh(docs)
    embedder.texts.clear()
    report = open_index().refresh(docs)
    assert (report.files, report.files_read, report.embedded_chunks) == (3, 0, 0)
    assert embedder.texts == []


def test_only_the_changed_passage_is_embedded_again(open_index, docs: Path, embedder: BagOfWords) -> None:
    index = open_index()
    index.refresh(docs)
    embedder.texts.clear()
    (docs / "faq.md").write_text((docs / "faq.md").read_text().replace("the same day", "the next day"))
    report = index.refresh(docs)
    assert (report.files_read, report.embedded_chunks) == (1, 1)
    assert embedder.texts == ["## Shipping\n\nParcels leave the next day."]
    assert "next day" in index.search("parcels leave")[0].matched_content
    assert all("same day" not in result.matched_content for result in index.search("parcels leave"))


def test_a_touched_file_of_the_same_content_is_not_read_again(open_index, docs: Path) -> None:
    index = open_index()
    index.refresh(docs)
    (docs / "about.txt").touch()
    assert index.refresh(docs).files_read == 0


def test_a_removed_file_disappears(open_index, docs: Path) -> None:
    index = open_index()
    index.refresh(docs)
    (docs / "about.txt").unlink()
    report = index.refresh(docs)
    assert (report.files, report.files_removed) == (2, 1)
    assert all(result.source_reference != "about.txt" for result in index.search("family business by the sea"))


def test_a_moved_file_costs_no_embedding(open_index, docs: Path, embedder: BagOfWords) -> None:
    index = open_index()
    index.refresh(docs)
    embedder.texts.clear()
    (docs / "about.txt").rename(docs / "us.txt")
    index.refresh(docs)
    assert embedder.texts == []
    assert found(index, "family business") == "us.txt"


def test_another_embedder_builds_anew(open_index, docs: Path) -> None:
    open_index().refresh(docs)
    other = BagOfWords("bag-of-words-2")
    report = open_index(using=other).refresh(docs)
    assert (report.files_read, report.embedded_chunks) == (3, 5)


def test_another_version_of_a_reader_builds_anew_while_the_old_index_works_on(
    open_index, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = open_index()
    old.refresh(docs)
    monkeypatch.setattr("seatrial.retrieval.index.readers_version", lambda: "another")
    new = open_index()
    assert new.files() == {}
    assert found(old, "family business") == "about.txt"
    report = new.refresh(docs)
    assert (report.files_read, report.embedded_chunks) == (3, 0)


def test_globs_take_files_in_and_out_of_the_same_index(open_index, docs: Path, embedder: BagOfWords) -> None:
    open_index().refresh(docs)
    embedder.texts.clear()
    report = open_index(include=("*.md", "*.csv"), exclude=("prices.*",)).refresh(docs)
    assert (report.files, report.files_read, report.files_removed) == (1, 0, 2)
    report = open_index().refresh(docs)
    assert (report.files, report.files_read) == (3, 2)
    assert embedder.texts == []


@pytest.mark.parametrize(
    "settings",
    [{"chunking": ChunkSettings(20, 0)}, {"fields": FieldSettings(("name",))}, {"record_path": "a"}],
)
def test_other_settings_build_anew_while_the_old_index_works_on(open_index, docs: Path, settings: dict) -> None:
    old = open_index()
    old.refresh(docs)
    new = open_index(**settings)
    assert new.files() == {}
    assert found(old, "family business") == "about.txt"
    (docs / "data.json").write_text('{"a": [{"text": "x"}]}')
    assert new.refresh(docs).files_read == 4 or new.files()
    assert found(old, "family business") == "about.txt"


def test_other_cuts_of_the_same_text_are_embedded_once(open_index, docs: Path, embedder: BagOfWords) -> None:
    open_index().refresh(docs)
    embedder.texts.clear()
    open_index(chunking=ChunkSettings(699, 0)).refresh(docs)
    assert embedder.texts == []


def test_old_versions_of_an_index_are_dropped_in_the_end(open_index, docs: Path, tmp_path: Path) -> None:
    open_index(name="other").refresh(docs)
    for size in range(100, 110):
        open_index(chunking=ChunkSettings(size, 0)).refresh(docs)
    assert len(list((tmp_path / "index").glob("docs-*.sqlite"))) == 5
    assert len(list((tmp_path / "index").glob("other-*.sqlite"))) == 1


def test_indexes_of_different_names_do_not_mix(open_index, docs: Path) -> None:
    open_index(name="a/b").refresh(docs / "faq.md")
    open_index(name="a_b").refresh(docs / "about.txt")
    assert list(open_index(name="a/b").files()) == ["faq.md"]
    assert list(open_index(name="a_b").files()) == ["about.txt"]


def test_p013_a_file_that_cannot_be_read_is_told_each_time_and_does_not_stop_the_others(open_index, docs: Path) -> None:
    index = open_index()
    (docs / "broken.json").write_text("{")
    (docs / "half.jsonl").write_text('{"text":"fine words here"}\n{\n')
    for _ in range(2):
        report = index.refresh(docs)
        assert report.files == 4
        assert any("broken.json:1:2" in problem for problem in report.problems)
        assert any("half.jsonl:2" in problem for problem in report.problems)


def test_a_file_that_became_unreadable_is_no_longer_found(open_index, docs: Path) -> None:
    index = open_index()
    index.refresh(docs)
    (docs / "about.txt").write_bytes(b"")
    assert index.refresh(docs).files == 2
    assert "about.txt" not in index.files()


def test_a_source_that_is_missing_is_an_error_and_empties_nothing(open_index, docs: Path, tmp_path: Path) -> None:
    index = open_index()
    index.refresh(docs)
    with pytest.raises(DocumentError, match="does not exist"):
        index.refresh(tmp_path / "gone")
    assert len(index.files()) == 3


def test_limits_hold_for_each_file(open_index, docs: Path) -> None:
    report = open_index(limits=Limits(max_bytes=60)).refresh(docs)
    assert report.files == 1
    assert any("the limit is 60" in problem for problem in report.problems)


def test_progress_names_the_file_and_ends_complete(open_index, docs: Path) -> None:
    told: list[IndexProgress] = []
    open_index().refresh(docs, on_progress=told.append)
    assert [step.source for step in told if step.chunks_total == 0 and step.source] == [
        "about.txt",
        "faq.md",
        "prices.csv",
    ]
    assert (told[-1].files_done, told[-1].files_total) == (3, 3)


def test_stop_is_heard_between_batches_and_what_is_done_stays(open_index, docs: Path) -> None:
    signal = AbortSignal()
    index = open_index()

    def stop_at_prices(progress: IndexProgress) -> None:
        if progress.source == "prices.csv":
            signal.set()

    with pytest.raises(AbortedError):
        index.refresh(docs, on_progress=stop_at_prices, signal=signal)
    assert sorted(index.files()) == ["about.txt", "faq.md"]
    assert index.refresh(docs).files_read == 1


def test_a_file_that_is_no_index_is_an_error_that_says_what_to_do(tmp_path: Path, embedder: BagOfWords) -> None:
    folder = tmp_path / "index"
    Index.open(folder, embedder, IndexSettings(name="docs")).close()
    next(folder.glob("docs-*.sqlite")).write_bytes(b"this is not a database at all" * 100)
    with pytest.raises(RetrievalError, match="cannot be opened") as caught:
        Index.open(folder, embedder, IndexSettings(name="docs"))
    assert "delete the file" in (caught.value.hint or "")


def test_an_embedder_that_fails_leaves_the_index_as_it_was(open_index, docs: Path, embedder: BagOfWords) -> None:
    class Broken(BagOfWords):
        def embed(self, texts: Sequence[str]) -> NoReturn:
            raise RetrievalError(f"the embedder is away, {len(texts)} texts wait")

    open_index().refresh(docs)
    (docs / "about.txt").write_text("Other words.")
    with pytest.raises(RetrievalError, match="away"):
        open_index(using=Broken()).refresh(docs)
    assert found(open_index(), "family business") == "about.txt"
