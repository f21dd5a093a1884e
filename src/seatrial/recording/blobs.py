"""Pictures and files of a recording: each in a file of its own, named by its hash, which stands in for its data."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from seatrial.core.content import FileContent, ImageContent
from seatrial.errors import RunError
from seatrial.recording.atomic import write_atomically

B = TypeVar("B", bound=msgspec.Struct)

FOLDER = "blobs"
_SHORT_CHARS = 256
_SUFFIXES = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "application/pdf": "pdf",
}


class Blobs:
    """Takes data out of content blocks and puts it back in. ``folder`` is the recording's.

    A name holds a full stop, which base64 never does, so that neither is taken for the other. What is not going to be
    written (``is_read_only``) is not kept.
    """

    def __init__(self, folder: Path, *, is_read_only: bool = False) -> None:
        self._folder = folder
        self._is_read_only = is_read_only
        self._unwritten: dict[str, bytes] = {}

    def named(self, blocks: Sequence[B]) -> tuple[B, ...]:
        """The blocks with long data replaced by the name of its file; nothing is written yet."""
        return tuple([self._named(block) for block in blocks])

    def restored(self, blocks: Sequence[B]) -> tuple[B, ...]:
        """The blocks with their data. Raises `RunError` when a file is missing or not what its name says."""
        return tuple([self._restored(block) for block in blocks])

    def write(self, document: bytes) -> None:
        """Writes the files that the document names, before it names them in public."""
        for name in [name for name in self._unwritten if name.encode() in document]:
            data = self._unwritten.pop(name)
            path = self._folder / name
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(path, data)

    def _named(self, block: B) -> B:
        if not isinstance(block, ImageContent | FileContent) or len(block.data) <= _SHORT_CHARS:
            return block
        try:
            data = base64.b64decode(block.data, validate=True)
        except binascii.Error:
            return block
        if base64.b64encode(data).decode() != block.data:
            return block
        suffix = _SUFFIXES.get(block.mime_type, "bin")
        name = f"{FOLDER}/{sha256(data).hexdigest()[:32]}.{suffix}"
        if not self._is_read_only:
            self._unwritten[name] = data
        return msgspec.structs.replace(block, data=name)

    def _restored(self, block: B) -> B:
        if not isinstance(block, ImageContent | FileContent) or "." not in block.data:
            return block
        path = self._folder / block.data
        if path.parent != self._folder / FOLDER:
            raise RunError(f"the recording names a file outside its folder: {block.data}")
        if path.exists() and not path.is_file():
            raise RunError(f"the recording's file {path} is no regular file")
        try:
            data = path.read_bytes()
        except OSError as error:
            raise RunError(f"the recording's file {path} cannot be read: {error.strerror}") from error
        if not path.name.startswith(sha256(data).hexdigest()[:32]):
            raise RunError(f"the recording's file {path} is not what it was recorded as")
        return msgspec.structs.replace(block, data=base64.b64encode(data).decode())
