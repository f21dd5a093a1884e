"""A case's files as blocks of its question: from disk or from the web, in the best form that the model takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from seatrial.config.files import TYPE_OF_ENDING, FileConfig
from seatrial.config.loaded import LoadedAgent
from seatrial.config.model import ModelConfig
from seatrial.core.content import TextContent, UserBlock
from seatrial.core.model import Model
from seatrial.documents.attachments import Accepts, blocks_of_file
from seatrial.documents.base import ReadOptions
from seatrial.documents.catalog import type_of
from seatrial.documents.fetch import FetchedFile, FetchSettings, fetch_file, is_public, is_reachable

DOWNLOADS = ".seatrial/downloads"
_TAKE_PDF = frozenset(("openai", "anthropic"))


def accepted_by(model: Model, config: ModelConfig) -> Accepts:
    """What the model takes, by its provider and by what is known of it; of an unknown one, pictures and no PDF.

    ``config`` says where the provider is reached, if it is the model's own and not that of the model it stands in for.
    """
    known = None if model.info is None else model.info.input_modalities
    sees = known is None or "image" in known
    is_at_home = config.provider != model.provider or config.endpoint is None
    return Accepts(
        images=sees,
        pdf_files=sees and model.info is not None and is_at_home and model.provider in _TAKE_PDF,
        provider=model.provider,
        context_window=None if model.info is None else model.info.context_window,
    )


def file_blocks(file: FileConfig, loaded: LoadedAgent, accepts: Accepts) -> Iterator[UserBlock]:
    """The file's blocks. Blocks while it reads or fetches; must not be called inside an event loop.

    Raises `DocumentError`.
    """
    found = _found(file, loaded)
    options = ReadOptions(pages=file.pages, sheet=file.sheet, cell_range=file.range)
    yield from blocks_of_file(
        found.path,
        file_type=file.type,
        source=found.source,
        description=file.description,
        options=options,
        accepts=accepts,
    )
    if found.note is not None:
        yield TextContent(f"Note: {found.note}")


def blocks_of_paths(paths: Iterable[Path], accepts: Accepts) -> list[UserBlock]:
    """The blocks of files that a person names beside their words, read whole. Blocks; raises `DocumentError`."""
    return [
        block
        for path in paths
        for block in blocks_of_file(
            path,
            file_type=type_of(path) or TYPE_OF_ENDING.get(path.suffix.lower(), "text"),
            source=path.name,
            description=None,
            options=ReadOptions(),
            accepts=accepts,
        )
    ]


def _found(file: FileConfig, loaded: LoadedAgent) -> FetchedFile:
    if file.url is not None:
        settings = FetchSettings(allows_address=is_reachable if file.allow_private else is_public)
        return fetch_file(file.url, loaded.folder / DOWNLOADS, is_cached=file.cache is not False, settings=settings)
    path = file.path or ""
    return FetchedFile(loaded.path_to(path), path)
