"""The head of a GGUF file: what kind of model it holds (format: ggml-org/ggml, docs/gguf.md, version 3, 2025).

The engine reads the file itself; this tells a person what is wrong with it before anything is loaded.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

import msgspec

from seatrial.errors import ConfigError

MAGIC = b"GGUF"
OLDER_MAGICS = (b"lmgg", b"fmgg", b"tjgg", b"algg")
LFS_POINTER = b"version https://git-lfs"
OLDEST_VERSION, NEWEST_VERSION = 2, 3
NO_LANGUAGE_MODEL = {"adapter": "a LoRA adapter", "mmproj": "an image projector", "imatrix": "an importance matrix"}

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_ALIGNMENT = 32


class GgufHead(msgspec.Struct, frozen=True):
    """What the file says of its model. ``context_length`` is in tokens; None is unknown."""

    architecture: str
    name: str | None
    context_length: int | None
    chat_template: str | None


def read_head(file: Path) -> GgufHead:
    """The head of the file; raises `ConfigError` when it is missing or cannot hold a language model."""
    try:
        with file.open("rb") as opened:
            beginning = opened.read(len(LFS_POINTER))
            _refuse_other_formats(file, beginning)
            with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _head_in(file, data)
    except OSError as error:
        raise ConfigError(
            f"the model file {file} cannot be read: {error.strerror}",
            hint="`name:` is the path of a GGUF file, relative to the agent file",
        ) from error


def _refuse_other_formats(file: Path, beginning: bytes) -> None:
    if beginning[:4] == MAGIC:
        return
    if beginning[:4] in OLDER_MAGICS:
        raise ConfigError(f"{file} is a GGML file, which is older than GGUF", hint="convert it, or get it as GGUF")
    if beginning == LFS_POINTER:
        raise ConfigError(f"{file} is a Git LFS pointer, not the model itself", hint="run `git lfs pull`")
    shown = f"it begins with {beginning[:4]!r}, not {MAGIC!r}" if beginning else "it is empty"
    raise ConfigError(f"{file} is not a GGUF file: {shown}", hint="other formats must be converted to GGUF first")


def _head_in(file: Path, data: mmap.mmap) -> GgufHead:
    reader = _Reader(data, len(MAGIC))
    try:
        _check_version(file, reader.number("I"))
        n_tensors, n_pairs = reader.number("Q"), reader.number("Q")
        facts = dict(reader.pair() for _ in range(n_pairs))
        last = max((reader.tensor_offset() for _ in range(n_tensors)), default=None)
    except (struct.error, UnicodeDecodeError, _DamagedError) as error:
        raise _cut_or_damaged(file) from error
    _check_kind(file, facts, n_tensors)
    if last is not None and reader.aligned(facts.get("general.alignment")) + last >= len(data):
        raise _cut_or_damaged(file)
    architecture = _text(facts, "general.architecture") or "unknown"
    length = facts.get(f"{architecture}.context_length")
    return GgufHead(
        architecture=architecture,
        name=_text(facts, "general.name"),
        context_length=length if isinstance(length, int) and length > 0 else None,
        chat_template=_text(facts, "tokenizer.chat_template"),
    )


def _check_version(file: Path, version: int) -> None:
    if version < OLDEST_VERSION:
        raise ConfigError(
            f"{file} is a GGUF file of version {version}, which is too old",
            hint=f"convert it anew: version {NEWEST_VERSION} is the present one",
        )
    if version > NEWEST_VERSION:
        is_swapped = version & 0xFFFF == 0
        raise ConfigError(
            f"{file} is a big-endian GGUF file"
            if is_swapped
            else f"{file} is a GGUF file of version {version}, newer than seatrial knows",
            hint="get the file for little-endian machines" if is_swapped else "update seatrial",
        )


def _check_kind(file: Path, facts: dict[str, Any], n_tensors: int) -> None:
    kind = NO_LANGUAGE_MODEL.get(str(facts.get("general.type")))
    if kind is not None:
        raise ConfigError(f"{file} holds {kind}, not a language model", hint="name the model's own GGUF file")
    if n_tensors == 0:
        raise ConfigError(f"{file} holds no weights", hint="name the model's own GGUF file")


def _cut_or_damaged(file: Path) -> ConfigError:
    return ConfigError(f"{file} is cut off or damaged", hint="download it again, and compare its size or checksum")


def _text(facts: dict[str, Any], key: str) -> str | None:
    value = facts.get(key)
    return value if isinstance(value, str) and value else None


class _DamagedError(Exception):
    """A length or a type that cannot be."""


class _Reader:
    """Reads on from a place in the file. All numbers are little-endian."""

    def __init__(self, data: mmap.mmap, at: int) -> None:
        self._data = data
        self._at = at

    def number(self, form: str) -> Any:
        layout = struct.Struct(f"<{form}")
        (value,) = layout.unpack_from(self._data, self._at)
        self._at += layout.size
        return value

    def text(self) -> str:
        start = self._at + 8
        self._skip_text()
        return self._data[start : self._at].decode()

    def pair(self) -> tuple[str, Any]:
        """A key and its value; an array is passed over."""
        key = self.text()
        kind = self.number("I")
        if kind == _STRING:
            return key, self.text()
        if kind == _ARRAY:
            self._skip_array()
            return key, None
        return key, self.number(self._form(kind))

    def tensor_offset(self) -> int:
        """Where the next tensor's weights begin, counted from the first one's."""
        self._skip_text()
        n_dimensions = self.number("I")
        self._skip(8 * n_dimensions + 4)
        offset: int = self.number("Q")
        return offset

    def aligned(self, alignment: Any) -> int:
        """The next place where weights may begin."""
        step = alignment if isinstance(alignment, int) and alignment > 0 else _ALIGNMENT
        return (self._at + step - 1) // step * step

    def _skip_array(self) -> None:
        kind, count = self.number("I"), self.number("Q")
        if kind != _STRING:
            self._skip(struct.calcsize(self._form(kind)) * count)
            return
        for _ in range(count):
            self._skip_text()

    def _skip_text(self) -> None:
        self._skip(self.number("Q"))

    def _skip(self, n_bytes: int) -> None:
        self._at += n_bytes
        if self._at > len(self._data):
            raise _DamagedError

    def _form(self, kind: int) -> str:
        try:
            return _NUMBERS[kind]
        except KeyError:
            raise _DamagedError from None
