"""Which reader reads what: by file type and by suffix."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

from seatrial.core.content import UserBlock
from seatrial.documents.base import Document, Limits, Reader, ReadOptions
from seatrial.errors import DocumentError
from seatrial.plugins import Registry

READERS: Registry[Callable[[], Reader]] = Registry(
    "reader",
    "seatrial.readers",
    {
        "text": "seatrial.documents.text:TextReader",
        "markdown": "seatrial.documents.text:MarkdownReader",
        "csv": "seatrial.documents.delimited:DelimitedReader",
        "json": "seatrial.documents.json_values:JsonReader",
        "jsonl": "seatrial.documents.json_values:JsonLinesReader",
        "yaml": "seatrial.documents.yaml_values:YamlReader",
        "html": "seatrial.documents.html_page:HtmlReader",
        "pdf": "seatrial.documents.pdf:PdfReader",
        "word": "seatrial.documents.word:WordReader",
        "excel": "seatrial.documents.excel:ExcelReader",
        "old_excel": "seatrial.documents.old_workbook:OldWorkbookReader",
        "powerpoint": "seatrial.documents.powerpoint:PowerPointReader",
    },
)

# How files of a test case go to a model; types that are not here go as text.
FORMS: Registry[Callable[..., list[UserBlock]]] = Registry(
    "form of attachment",
    "seatrial.attachments",
    {
        "image": "seatrial.documents.attached_picture:picture_blocks",
        "pdf": "seatrial.documents.attached_pdf:pdf_blocks",
    },
)

# Goes up whenever a built-in reader gives another text for the same file; indexes are then built anew.
_READERS_VERSION = 1

_TYPE_OF_SUFFIX = {
    ".txt": "text",
    ".text": "text",
    ".log": "text",
    ".rst": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "word",
    ".docm": "word",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xls": "old_excel",
    ".xlsb": "old_excel",
    ".ods": "old_excel",
    ".pptx": "powerpoint",
    ".pptm": "powerpoint",
}


# Where the suffix says more exactly what the asked-for type means.
_NARROWER = {("text", "markdown"): "markdown", ("text", "html"): "html", ("excel", "old_excel"): "old_excel"}


def type_of(path: Path) -> str | None:
    """The reader's name for a file, by its suffix; a plugin's name is its suffix without the dot."""
    suffix = path.suffix.lower()
    known = _TYPE_OF_SUFFIX.get(suffix)
    if known is not None or not suffix:
        return known
    return suffix[1:] if suffix[1:] in READERS else None


def known_suffixes() -> list[str]:
    """The suffixes of files that some reader knows, those of plugins last."""
    plugins = [f".{name}" for name in READERS.names() if name not in READERS.builtins]
    return [*sorted(_TYPE_OF_SUFFIX), *plugins]


def readers_version() -> str:
    """Changes whenever the same file may give another text: with our readers, and with installed plugins."""
    plugins = sorted(
        f"{point.name}={point.dist.version if point.dist else point.value}"
        for point in entry_points(group=READERS.group)
        if point.name not in READERS.builtins
    )
    return " ".join([str(_READERS_VERSION), *plugins])


def read_document(
    path: Path, *, file_type: str | None = None, source: str | None = None, options: ReadOptions | None = None
) -> Document:
    """The document in the file at ``path``; ``source`` is its name in messages (default: the path).

    ``file_type`` wins over the suffix, save where the suffix is the narrower of the two.
    Raises `DocumentError` when the file is missing, too large, of no known type or unreadable.
    """
    options = options or ReadOptions()
    name = source or str(path)
    reader = reader_for(path, file_type=file_type, source=name)
    return reader.read(read_bytes(path, name, options.limits), name, options)


def reader_for(path: Path, *, file_type: str | None = None, source: str | None = None) -> Reader:
    """The reader for a file; raises `DocumentError` when none knows its type."""
    return READERS.load(_reader_name(path, file_type, source or str(path)))()


def read_bytes(path: Path, source: str, limits: Limits) -> bytes:
    """The file's bytes; raises `DocumentError` when it is missing, a folder, unreadable or over the limit."""
    try:
        size = path.stat().st_size
        if size > limits.max_bytes:
            raise DocumentError(
                f"{source} has {size:,} bytes, the limit is {limits.max_bytes:,}",
                hint="split the file, or leave it out",
            )
        return path.read_bytes()
    except FileNotFoundError as error:
        raise DocumentError(f"{source} does not exist") from error
    except IsADirectoryError as error:
        raise DocumentError(f"{source} is a folder, not a file") from error
    except OSError as error:
        raise DocumentError(f"{source} cannot be read: {error.strerror}") from error


def _reader_name(path: Path, file_type: str | None, source: str) -> str:
    by_suffix = type_of(path)
    if file_type is not None:
        return _NARROWER.get((file_type, by_suffix or ""), file_type)
    if by_suffix is None:
        raise DocumentError(
            f"{source}: no reader knows files that end in {path.suffix or 'no suffix'}",
            hint=f"known types: {', '.join(READERS.names())}",
        )
    return by_suffix
