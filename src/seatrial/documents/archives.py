"""What is checked before a zip-based office file is opened."""

from __future__ import annotations

import io
import zipfile

from seatrial.documents.base import Limits
from seatrial.errors import DocumentError

_OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
# Below this size even an odd ratio does no harm.
_ALWAYS_FINE_BYTES = 32 * 1024 * 1024


def check_office_file(data: bytes, source: str, limits: Limits, *, needs: str, kind: str) -> None:
    """Raises `DocumentError` unless ``data`` is a whole, unencrypted archive of bearable size with the part ``needs``.

    ``kind`` names the type for people, such as ``Word document (.docx)``.
    """
    if not data:
        raise DocumentError(f"{source} is empty")
    if data.startswith(_OLE_MARK):
        raise _old_or_locked(data, source, kind)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError) as error:
        raise DocumentError(
            f"{source} is no {kind}, or it is damaged: {error}", hint="open and save it anew"
        ) from error
    _check_size(parts, len(data), source, limits)
    if not any(part.filename == needs for part in parts):
        raise DocumentError(f"{source} is an archive, but no {kind}", hint="give the file's real type")


def _check_size(parts: list[zipfile.ZipInfo], packed: int, source: str, limits: Limits) -> None:
    unpacked = sum(part.file_size for part in parts)
    if unpacked > limits.max_unpacked_bytes:
        raise DocumentError(f"{source} unpacks to {unpacked:,} bytes, the limit is {limits.max_unpacked_bytes:,}")
    if unpacked > _ALWAYS_FINE_BYTES and unpacked > packed * limits.max_unpacked_ratio:
        raise DocumentError(
            f"{source} unpacks to {unpacked // packed} times its size, the limit is {limits.max_unpacked_ratio}",
            hint="this looks like a zip bomb",
        )


def _old_or_locked(data: bytes, source: str, kind: str) -> DocumentError:
    if _ENCRYPTED in data:
        return DocumentError(f"{source} is protected by a password", hint="save it without a password")
    return DocumentError(f"{source} is of an old binary format and no {kind}", hint="save it in today's format")
