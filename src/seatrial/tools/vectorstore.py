"""A tool that answers a question with passages of the user's documents."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seatrial.core.abort import AbortSignal
from seatrial.core.model import ToolSpec
from seatrial.core.threads import in_thread
from seatrial.core.tool import ExecutionMode, ToolContext, ToolOutput
from seatrial.retrieval.base import Reranker, SearchResult
from seatrial.retrieval.report import IndexReport, ProgressSink, require_passages
from seatrial.retrieval.search import SearchSettings

if TYPE_CHECKING:
    from seatrial.retrieval.index import Index

_PARAMETERS = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "What to look for, as a question or in key words."}},
    "required": ["query"],
}


class VectorstoreTool:
    """Searches the documents at ``source``; its index is opened and brought up to date once, before the first search.

    ``open_index`` may block: it is called in a thread beside the event loop, as are refresh and search.
    """

    def __init__(
        self,
        *,
        name: str,
        description: str,
        open_index: Callable[[], Index],
        source: Path,
        settings: SearchSettings | None = None,
        rerank: Reranker | None = None,
        examples: Sequence[str] = (),
        timeout_s: float | None = None,
        execution_mode: ExecutionMode = "parallel",
        max_output_chars: int | None = None,
    ) -> None:
        self.spec = ToolSpec(name, description, _PARAMETERS, tuple(examples))
        self.label = name
        self.timeout_s = timeout_s
        self.execution_mode: ExecutionMode = execution_mode
        self.max_output_chars = max_output_chars
        self.source = source
        self._open_index = open_index
        self._settings = settings or SearchSettings()
        self._rerank = rerank
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._report: IndexReport | None = None

    async def prepare(self, on_progress: ProgressSink | None = None, signal: AbortSignal | None = None) -> IndexReport:
        """Brings the index up to date and says what was done; asked again, it gives the same report at once.

        ``on_progress`` is called in another thread. Raises `ConfigError`, `DocumentError`,
        `RetrievalError` or `AbortedError`.
        """
        work = in_thread(self._prepared, on_progress, signal)
        return (await work)[1]

    def check_arguments(self, arguments: dict[str, Any]) -> str | None:
        """The query must be there and not be blank."""
        query = arguments.get("query")
        if query is None:
            return "Missing required arguments: query"
        return None if str(query).strip() else "query is blank: say what to look for"

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        """The closest passages with their sources; ``details["results"]`` holds the search results as plain dicts."""
        context.signal.raise_if_set()
        query = str(arguments["query"])
        results = await in_thread(self._search, query)
        return ToolOutput.of_text(_told(results), details={"results": [asdict(result) for result in results]})

    def close(self) -> None:
        """Closes the index; a closed tool opens it again when it is used."""
        with self._lock:
            if self._index is not None:
                self._index.close()
            self._index = None
            self._report = None

    def _search(self, query: str) -> list[SearchResult]:
        index, _ = self._prepared(None, None)
        return index.search(query, self._settings, rerank=self._rerank)

    def _prepared(self, on_progress: ProgressSink | None, signal: AbortSignal | None) -> tuple[Index, IndexReport]:
        with self._lock:
            if self._index is None:
                self._index = self._open_index()
            if self._report is None:
                report = self._index.refresh(self.source, on_progress=on_progress, signal=signal)
                self._report = require_passages(report, self.source)
            return self._index, self._report


def _told(results: Sequence[SearchResult]) -> str:
    if not results:
        return "No passage was found for this query."
    return "\n\n".join(_passage(number, result) for number, result in enumerate(results, start=1))


def _passage(number: int, result: SearchResult) -> str:
    known = {name: value for name, value in result.metadata_dict.items() if _adds(name, value, result)}
    facts = "; ".join(f"{name}: {value}" for name, value in known.items())
    lines = [f"[{number}] {result.source_reference}", result.matched_content, facts]
    return "\n".join(line for line in lines if line)


def _adds(name: str, value: Any, result: SearchResult) -> bool:
    return name != "location" and value not in (None, "") and str(value) not in result.matched_content
