"""Files that go with a question, in the best form that the model takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from seatrial.core.content import TextContent, UserBlock
from seatrial.documents.base import Problem, ReadOptions
from seatrial.documents.catalog import FORMS, read_bytes, reader_for
from seatrial.errors import DocumentError

_MOST_NOTES = 5


@dataclass(frozen=True, slots=True)
class Accepts:
    """What the model takes. ``provider`` chooses the limits for files; None keeps those that all providers share.

    ``context_window`` is in tokens, None where it is unknown.
    """

    images: bool = True
    pdf_files: bool = False
    provider: str | None = None
    context_window: int | None = None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file's bytes on their way to the model; ``heading`` is its name and description for the model."""

    data: bytes
    path: Path
    source: str
    file_type: str
    heading: str


def blocks_of_file(
    path: Path,
    *,
    file_type: str,
    source: str,
    description: str | None,
    options: ReadOptions,
    accepts: Accepts | None = None,
) -> list[UserBlock]:
    """A heading with the file's name and description, then its content.

    A picture stays a picture. A PDF goes as a file where the model takes files of its size, else as text with pictures
    of the pages that have none. Everything else is text. What was read around is told in notes. Raises `DocumentError`
    when the file is missing, empty or unreadable, or holds nothing that the model takes.
    """
    heading = f"File {source}" + (f": {description}" if description else "")
    data = read_bytes(path, source, options.limits)
    attachment = Attachment(data, path, source, file_type, heading)
    form = FORMS.load(file_type) if file_type in FORMS else text_blocks
    return form(attachment, options, accepts or Accepts())


def text_blocks(attachment: Attachment, options: ReadOptions, _accepts: Accepts) -> list[UserBlock]:
    """The file's text below its heading, in one block."""
    reader = reader_for(attachment.path, file_type=attachment.file_type, source=attachment.source)
    document = reader.read(attachment.data, attachment.source, options)
    if not document.text.strip():
        raise DocumentError(f"{attachment.source} holds no text")
    return [TextContent(f"{attachment.heading}\n\n{document.text}{notes(document.problems)}")]


def notes(problems: Sequence[Problem]) -> str:
    """The problems as lines that model and reader of the transcript see; nothing when there are none."""
    told = [f"Note: {problem.message}" for problem in problems[:_MOST_NOTES]]
    if len(problems) > _MOST_NOTES:
        told.append(f"Note: {len(problems) - _MOST_NOTES} more problems in this file")
    return "".join(f"\n\n{line}" for line in told)
