"""A folder of recordings: one file for each case, and what is known of the models that were asked."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec

from seatrial.core.model import ModelInfo
from seatrial.errors import RunError
from seatrial.recording.atomic import remove_remains, write_atomically
from seatrial.recording.blobs import FOLDER as BLOBS
from seatrial.recording.blobs import Blobs
from seatrial.recording.cassette import Cassette, decode, encode, is_begun

MODELS_FILE = "_models.json"
_NOT_IN_FILE_NAMES = re.compile(r"[^\w.]+")
_LONGEST_BYTES = 80
_HEAD_BYTES = 200
_SHOWN = 3
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")


class Folder:
    """The files of one recording. ``cases`` are all cases of the suite: names that would share a file get a mark each.

    Raises `RunError` for a folder or file that cannot be used.
    """

    def __init__(self, path: Path, cases: Iterable[str]) -> None:
        self.path = path.absolute()
        self._shown = path
        self._stems = {case: stem_of(case) for case in cases}
        counts = Counter(self._stems.values())
        self._is_shared = {stem: count > 1 for stem, count in counts.items()}

    def require(self) -> None:
        """Raises `RunError` when there is no recording to replay."""
        if not self.path.is_dir():
            raise RunError(
                f"there is no recording at {self._shown}",
                hint=f"`seatrial test --record {shlex.quote(str(self._shown))}` makes one",
            )

    def create(self) -> None:
        """Makes the folder and clears up what a killed process left in it. Refuses one that holds anything else."""
        try:
            self._refuse_strangers()
            self.path.mkdir(parents=True, exist_ok=True)
            remove_remains(self.path)
        except OSError as error:
            raise self._unwritable(error) from error

    def read(self, case: str) -> Cassette | None:
        """What is recorded of the case, None when nothing is."""
        for path in (self.path_of(case), self._other_path_of(case)):
            try:
                data = _bytes_of(path)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise RunError(f"the recording {self.shown(path)} cannot be read: {error.strerror}") from error
            cassette = decode(data, str(self.shown(path)))
            if cassette.case == case:
                return cassette
        return None

    def write(self, cassette: Cassette, blobs: Blobs) -> None:
        """Puts the cassette in the place of an older one."""
        data = encode(cassette)
        try:
            blobs.write(data)
            write_atomically(self.path_of(cassette.case), data)
            other = self._other_path_of(cassette.case)
            if other.exists() and decode(_bytes_of(other), str(other)).case == cassette.case:
                other.unlink()
        except OSError as error:
            raise self._unwritable(error) from error

    def path_of(self, case: str) -> Path:
        """The case's file."""
        stem = self._stems.get(case) or stem_of(case)
        return self.path / f"{_marked(stem, case) if self._is_shared.get(stem) else stem}.json"

    def files(self) -> Iterator[Path]:
        """All files of cases, sorted."""
        return (path for path in sorted(self.path.glob("*.json")) if path.name != MODELS_FILE and path.is_file())

    def shown(self, path: Path) -> Path:
        """A file of the folder as people name it."""
        return self._shown / path.name

    def remove_unnamed_blobs(self) -> None:
        """Removes pictures and files that no case names any more."""
        blobs = list((self.path / BLOBS).glob("*.*"))
        if not blobs:
            return
        documents = [path.read_bytes() for path in self.files()]
        for blob in blobs:
            if not any(f"{BLOBS}/{blob.name}".encode() in document for document in documents):
                blob.unlink(missing_ok=True)

    def models(self) -> dict[str, ModelInfo]:
        """What was known of the models, by the names that calls give them; empty where it was not kept."""
        path = self.path / MODELS_FILE
        try:
            return msgspec.json.decode(_bytes_of(path), type=dict[str, ModelInfo])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError) as error:
            raise RunError(
                f"{self.shown(path)} cannot be read: {error}", hint="record a case anew, or remove the file"
            ) from error

    def write_models(self, models: Mapping[str, ModelInfo]) -> None:
        """Adds what is known of models."""
        known = self.models()
        merged = dict(sorted({**known, **models}.items()))
        if merged != known:
            data = msgspec.json.format(msgspec.json.encode(merged), indent=1) + b"\n"
            try:
                write_atomically(self.path / MODELS_FILE, data)
            except OSError as error:
                raise self._unwritable(error) from error

    def _refuse_strangers(self) -> None:
        """Raises `RunError` for a folder in which a file of somebody else's could be overwritten."""
        entries = self.path.iterdir() if self.path.exists() else ()
        names = sorted(path.name for path in entries if not path.name.startswith("."))
        documents = [name for name in names if name.endswith(".json") and name != MODELS_FILE]
        strange = [name for name in documents if not self._is_recording(name)]
        if MODELS_FILE not in names and len(documents) == len(strange):
            strange = [name for name in names if not name.lower().startswith("readme")]
        if strange:
            told = ", ".join(strange[:_SHOWN]) + (" and others" if len(strange) > _SHOWN else "")
            raise RunError(
                f"nothing is recorded in {self._shown}: it holds what is no recording ({told})",
                hint="name a folder of its own, such as --record recording",
            )

    def _is_recording(self, name: str) -> bool:
        path = self.path / name
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return is_begun(file.read(_HEAD_BYTES))

    def _unwritable(self, error: OSError) -> RunError:
        return RunError(f"nothing can be recorded in {self._shown}: {error.strerror or error}")

    def _other_path_of(self, case: str) -> Path:
        """Where the case would be if other cases were there, or not there."""
        stem = self._stems.get(case) or stem_of(case)
        return self.path / f"{stem if self._is_shared.get(stem) else _marked(stem, case)}.json"


def _bytes_of(path: Path) -> bytes:
    """The file's contents; a pipe or device is refused, because reading it may never end."""
    if not path.is_file() and path.exists():
        raise RunError(f"{path} is no regular file", hint="remove it, or name another folder")
    return path.read_bytes()


def stem_of(case: str) -> str:
    """A file name that any system takes, as near to the case's name as can be.

    Names that lose much of themselves get a mark that tells them apart.
    """
    folded = unicodedata.normalize("NFC", case).casefold()
    stem = _NOT_IN_FILE_NAMES.sub("-", folded).strip("-._")
    short = stem.encode()[:_LONGEST_BYTES].decode("utf-8", "ignore")
    if not short or short != stem or _DEVICES.fullmatch(stem):
        return _marked(short or "case", case)
    return stem


def _marked(stem: str, case: str) -> str:
    return f"{stem}.{sha256(case.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
