"""Killed at ten random moments, `seatrial index` loses no more than the file in flight, and the old index works on."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.support.bag_of_words import BagOfWords
from tests.support.threaded_server import Asked, Reply, ThreadedServer, json_reply, threaded_server

from seatrial.assembly.tools import open_index
from seatrial.config.loader import load_agent
from seatrial.config.vectorstore import VectorstoreToolConfig
from seatrial.retrieval.index import Index
from seatrial.retrieval.search import SearchSettings

SOURCE = Path(__file__).parents[2] / "src"
FILES = 200
PARTS = 5
KILLS = 10
MOST_FILES_A_LIFE = 8
LATEST_S = 0.03

AGENT = """\
name: shop
model: {provider: local, name: minilm-extractive}
instructions: Help.
embedding: {provider: openai_compatible, name: MODEL, endpoint: "URL"}
tools:
  - {name: docs, type: vectorstore, description: What the shop says., source: docs}
"""


class Embeddings:
    """A server's side: each file is one request. Counts what the new model is asked, and says when a kill is due."""

    def __init__(self) -> None:
        self.files = 0
        self.texts = 0
        self._due_at = 0
        self._is_due = threading.Event()

    def kill_after(self, files: int) -> None:
        self._is_due.clear()
        self._due_at = self.files + files

    def wait_for_kill(self) -> bool:
        return self._is_due.wait(timeout=60)

    def answer(self, asked: Asked) -> Reply:
        texts = asked.body["input"]
        if asked.body["model"] == "new":
            self.files += 1
            self.texts += len(texts)
            if self.files == self._due_at:
                self._is_due.set()
        rows = BagOfWords().embed(texts).tolist()
        return json_reply({"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]})


@pytest.fixture
def server() -> Iterator[ThreadedServer]:
    with threaded_server() as server:
        yield server


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for number in range(FILES):
        parts = [f"## Part {part}\n\nfile{number} speaks of topic{part}.\n" for part in range(PARTS)]
        (tmp_path / "docs" / f"f{number:03}.md").write_text("\n".join(parts))
    return tmp_path


@contextmanager
def indexing(shop: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "seatrial", "index"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, cwd=shop, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def opened(shop: Path) -> Iterator[Index]:
    loaded = load_agent(shop)
    (tool,) = loaded.require().tools
    assert isinstance(tool, VectorstoreToolConfig)
    with closing(open_index(tool, loaded)) as index:
        yield index


def write_agent(shop: Path, server: ThreadedServer, model: str) -> None:
    (shop / "agent.yaml").write_text(AGENT.replace("URL", server.url).replace("MODEL", model))


def test_ten_kills_cost_no_more_than_the_file_in_flight_each(shop: Path, server: ThreadedServer) -> None:
    chance = random.SystemRandom()
    embeddings = Embeddings()
    server.answer = embeddings.answer
    write_agent(shop, server, "old")
    with indexing(shop) as process:
        assert process.wait(timeout=60) == 0
    with opened(shop) as old:
        write_agent(shop, server, "new")
        before: set[str] = set()
        for _ in range(KILLS):
            embedded_before = embeddings.files
            embeddings.kill_after(chance.randint(1, MOST_FILES_A_LIFE))
            with indexing(shop) as process:
                assert embeddings.wait_for_kill()
                with pytest.raises(subprocess.TimeoutExpired):
                    process.wait(timeout=chance.uniform(0, LATEST_S))
            with opened(shop) as index:
                kept = index.files()
                assert before <= kept.keys()
                assert len(kept) - len(before) >= embeddings.files - embedded_before - 1
                assert all(_is_whole(index, source) for source in kept.keys() - before)
            assert all(_is_whole(old, source) for source in ("f003.md", f"f{FILES - 1}.md"))
            assert old.search("file3 topic2", SearchSettings(top_k=1))[0].source_reference == "f003.md#part-2"
            before = set(kept)
        with indexing(shop) as process:
            assert process.wait(timeout=60) == 0
    with opened(shop) as index:
        assert len(index.files()) == FILES
        assert index.stats().chunks == FILES * PARTS
    assert embeddings.texts <= FILES * PARTS + KILLS * PARTS
    for path in (shop / ".seatrial" / "index").glob("*.sqlite"):
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def _is_whole(index: Index, source: str) -> bool:
    """Whether every passage of the file is found, each at its place."""
    words = f"file{int(source[1:4])}"
    found = index.search(words, SearchSettings(top_k=PARTS + 1, mode="keyword"))
    passages = {result.source_reference for result in found}
    return passages == {f"{source}#part-{part}" for part in range(PARTS)}
