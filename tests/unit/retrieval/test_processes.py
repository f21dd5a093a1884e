"""What other processes, and sudden death, do to an index."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.bag_of_words import BagOfWords

from seatrial.retrieval.index import Index
from seatrial.retrieval.search import SearchSettings
from seatrial.retrieval.settings import IndexSettings

_SCRIPT = Path(__file__).parent / "refresh_in_process.py"
_PARAGRAPHS = 8


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Twelve files of eight passages each; the passages of a file all name it."""
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(12):
        parts = [f"## Part {part}\n\nfile{number} speaks of topic{part}.\n" for part in range(_PARAGRAPHS)]
        (folder / f"f{number:02}.md").write_text("\n".join(parts))
    return folder


def refresh_elsewhere(index: Path, source: Path, delay_s: float = 0.0) -> subprocess.Popen[str]:
    command = [sys.executable, str(_SCRIPT), str(index), str(source), str(delay_s)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def lines_of(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stdout is not None
    for line in process.stdout:
        yield line.strip()


@pytest.mark.parametrize("file_at_death", [0, 1, 3, 5, 7, 11])
def test_a_killed_refresh_costs_no_more_than_the_file_in_flight(tmp_path: Path, many: Path, file_at_death: int) -> None:
    folder = tmp_path / "index"
    with refresh_elsewhere(folder, many, 0.02) as process:
        for line in lines_of(process):
            if line == f"f{file_at_death:02}.md {file_at_death}":
                process.send_signal(signal.SIGKILL)
                break
    with closing(Index.open(folder, BagOfWords(), IndexSettings(name="docs"))) as index:
        kept = index.files()
        assert file_at_death <= len(kept) <= file_at_death + 1
        assert all(file.chunk_count == _PARAGRAPHS for file in kept.values())
        for source in kept:
            words = f"file{int(source[1:3])}"
            assert len(index.search(words, SearchSettings(top_k=100, mode="keyword"))) == _PARAGRAPHS
        report = index.refresh(many)
        assert (report.files, report.files_read, report.chunks) == (12, 12 - len(kept), 12 * _PARAGRAPHS)
    for path in folder.glob("*.sqlite"):
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_killed_refresh_keeps_the_vectors_it_had(tmp_path: Path) -> None:
    source = tmp_path / "big"
    source.mkdir()
    (source / "all.jsonl").write_text("\n".join(f'{{"text": "passage number n{n} of many"}}' for n in range(400)))
    with refresh_elsewhere(tmp_path / "index", source, 0.02) as process:
        for step, line in enumerate(lines_of(process)):
            if line.startswith("all.jsonl") and step > 4:
                process.send_signal(signal.SIGKILL)
                break
    embedder = BagOfWords()
    with closing(Index.open(tmp_path / "index", embedder, IndexSettings(name="docs"))) as index:
        assert index.refresh(source).chunks == 400
    assert 0 < len(embedder.texts) <= 400 - 128


def test_two_processes_refreshing_one_index_both_end_well(tmp_path: Path, many: Path) -> None:
    folder = tmp_path / "index"
    with refresh_elsewhere(folder, many, 0.005) as first, refresh_elsewhere(folder, many, 0.005) as second:
        results = sorted((list(lines_of(first))[-1], list(lines_of(second))[-1]))
        assert (first.wait(), second.wait()) == (0, 0)
    assert results == ["12 0 96", "12 12 96"]


def test_the_index_is_searched_while_another_process_refreshes_it(tmp_path: Path, many: Path) -> None:
    folder = tmp_path / "index"
    (tmp_path / "first").mkdir()
    with closing(Index.open(folder, BagOfWords(), IndexSettings(name="docs"))) as index:
        index.refresh(many)
        (many / "f12.md").write_text("file12 has news about zebras.")
        with refresh_elsewhere(folder, many, 0.005) as process:
            for _ in lines_of(process):
                found = index.search("file3 topic2", SearchSettings(top_k=1))
                assert found[0].source_reference == "f03.md#part-2"
            assert process.wait() == 0
        assert index.search("zebras")[0].source_reference == "f12.md"


def test_many_threads_search_while_one_refreshes(tmp_path: Path, many: Path) -> None:
    with closing(Index.open(tmp_path / "index", BagOfWords(), IndexSettings(name="docs"))) as index:
        index.refresh(many)
        missed: list[str] = []
        is_over = threading.Event()

        def ask() -> None:
            while not is_over.is_set():
                if index.search("file3 topic2", SearchSettings(top_k=1))[0].source_reference != "f03.md#part-2":
                    missed.append("wrong")

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(20):
            (many / "changing.md").write_text(f"edition{number} of the changing file")
            index.refresh(many)
        is_over.set()
        for thread in threads:
            thread.join()
        assert missed == []
        assert index.search("edition19")[0].source_reference == "changing.md"
