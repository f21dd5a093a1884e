"""``files:`` of a test case: what is handed in with the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from seatrial.config.entity import Entity, Problem
from seatrial.config.fields import Flag, FullText, Limits, Text, Whole
from seatrial.config.rules import exactly_one, exactly_one_given

FileType = Literal["image", "pdf", "text", "excel", "word", "powerpoint", "csv"]
# What a file is whose type nobody wrote.
TYPE_OF_ENDING: dict[str, FileType] = {
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"), "image"),
    **dict.fromkeys((".txt", ".md", ".rst", ".log", ".json", ".jsonl", ".yaml", ".yml", ".html", ".htm"), "text"),
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    ".pdf": "pdf",
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), "excel"),
    **dict.fromkeys((".docx", ".docm"), "word"),
    **dict.fromkeys((".pptx", ".pptm"), "powerpoint"),
}
CellRange = Annotated[
    Text,
    Limits(pattern=r"\$?[A-Za-z]{1,3}\$?[0-9]+(:\$?[A-Za-z]{1,3}\$?[0-9]+)?", pattern_in_words="a range like A1:E100"),
]
PageNumber = Annotated[Whole, Field(gt=0)]


class FileConfig(Entity):
    """One file that goes with the input."""

    called: ClassVar[str] = "a file"
    synonyms: ClassVar[dict[str, str]] = {"file": "path", "page": "pages"}

    conditions = (exactly_one_given("path", "url"),)

    path: FullText | None = Field(default=None, description="A file, relative to the agent file.")
    url: FullText | None = Field(default=None, description="An address to fetch it from.")
    type: FileType = Field(description="What kind of file it is.")
    description: Text | None = Field(default=None, description="What it is, for people.")
    pages: tuple[PageNumber, ...] | None = Field(
        default=None, description="Only these pages or slides, counted from 1."
    )
    sheet: Text | None = Field(default=None, description="The sheet of a workbook.")
    range: CellRange | None = Field(default=None, description="Cells of a sheet, like A1:E100.")
    cache: Flag | None = Field(
        default=None, description="Whether what was fetched is kept; true for URLs unless said otherwise."
    )
    allow_private: Flag | None = Field(
        default=None,
        description="Whether the URL may lead to private and local addresses; false unless said otherwise.",
    )

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """Exactly one of path and url."""
        yield from exactly_one(values, ("path", "url"), cls.called)
