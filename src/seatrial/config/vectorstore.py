"""Tools of ``type: vectorstore``: search over files by meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, SecretStr

from seatrial.config.entity import Entity, Problem
from seatrial.config.fields import FreeBlock, FullText, Number, Text, Texts, Whole
from seatrial.config.hooks import FunctionReference
from seatrial.config.located import plain
from seatrial.config.tool_base import ToolBase


class DatabaseConfig(Entity):
    """Where vectors are kept. A plain name is accepted in place of the block."""

    called: ClassVar[str] = "`database:`"
    synonyms: ClassVar[dict[str, str]] = {"type": "provider", "url": "connection_string"}

    shorthands = ({"type": "string", "minLength": 1},)

    provider: FullText = Field(default="embedded", description="embedded, qdrant or pgvector.")
    connection_string: SecretStr | None = Field(default=None, description="The server's address, with credentials.")
    options: FreeBlock | None = Field(default=None, description="Further settings of the store.")

    @classmethod
    def read(cls, value: Any) -> Any:
        """A plain name as the provider."""
        return {"provider": value} if isinstance(value, str) else value


class VectorstoreToolConfig(ToolBase):
    """Search by meaning over a file or a folder."""

    called: ClassVar[str] = "a vectorstore tool"
    synonyms: ClassVar[dict[str, str]] = {
        "path": "source",
        "file": "source",
        "overlap": "chunk_overlap",
        "k": "top_k",
        "min_score": "min_similarity_score",
        "metadata_fields": "meta_fields",
        "glob": "include",
        "patterns": "include",
        "mode": "search_mode",
        "rerank": "reranker",
    }

    type: Literal["vectorstore"] = Field(description="Which kind of tool it is.")
    source: FullText = Field(description="A file or folder, relative to the agent file.")
    include: Texts = Field(
        default=(), description="Which files of the folder are read, as globs like *.md or notes/**; all when absent."
    )
    exclude: Texts = Field(default=(), description="Which files of the folder are left out, as globs; they win.")
    embedding_model: FullText | None = Field(default=None, description="The embedding model's name.")
    embedding_dimensions: Whole | None = Field(default=None, gt=0, description="Length of the vectors.")
    vector_field: Texts | None = Field(
        default=None, description="Which fields of a record are searched; found when absent."
    )
    meta_fields: Texts | None = Field(default=None, description="Which fields of a record are given along with a hit.")
    id_field: FullText | None = Field(default=None, description="The field that names a record.")
    field_separator: Text | None = Field(default=None, description="What stands between several searched fields.")
    delimiter: Text | None = Field(default=None, description="What separates the columns of a CSV file.")
    chunk_size: Whole | None = Field(default=None, gt=0, description="Tokens of a passage.")
    chunk_overlap: Whole | None = Field(default=None, ge=0, description="Tokens that neighbouring passages share.")
    record_path: FullText | None = Field(
        default=None, description="Where the records are in a JSON file, like data.records."
    )
    record_prefix: Text | None = Field(default=None, description="Put before the names of a record's fields.")
    meta_prefix: Text | None = Field(default=None, description="Put before the names of the given fields.")
    top_k: Whole = Field(default=5, gt=0, description="How many hits are given.")
    min_similarity_score: Number | None = Field(
        default=None, ge=0, le=1, description="Hits below this are left out, 0 to 1."
    )
    search_mode: Literal["dense", "keyword", "hybrid", "fusion"] = Field(
        default="hybrid", description="By meaning, by words, by both on one scale, or by both rankings."
    )
    reranker: FunctionReference | None = Field(
        default=None, description="A function that gives the hits new scores, as file.py:function."
    )
    database: DatabaseConfig | None = Field(default=None, description="Where vectors are kept; embedded when absent.")

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """The overlap is smaller than the passage."""
        size, overlap = plain(values.get("chunk_size")), plain(values.get("chunk_overlap"))
        if isinstance(size, int) and isinstance(overlap, int) and 0 < size <= overlap:
            message = f"`chunk_overlap` ({overlap}) must be less than `chunk_size` ({size})"
            yield Problem("ST405", message, ("chunk_overlap",))
