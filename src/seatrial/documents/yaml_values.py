"""YAML data files: records like those of JSON, every value as the file writes it."""

from __future__ import annotations

from typing import Any

import yaml

from seatrial.documents.base import Document, Limits, ReadOptions
from seatrial.documents.encoding import decode, with_unix_newlines
from seatrial.documents.record_path import follow_record_path
from seatrial.errors import DocumentError

_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class YamlReader:
    """One value, or several documents as a list. All values are text: ``no``, ``0123`` and ``12:30`` stay."""

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """The text as written, and its records; raises `DocumentError` with line and column for broken YAML."""
        text, problems = decode(data, source, options.limits)
        text = with_unix_newlines(text)
        try:
            values = list(yaml.load_all(text, _Loader))
        except yaml.YAMLError as error:
            raise _broken(error, source) from error
        except RecursionError as error:
            raise DocumentError(f"{source} is nested too deeply to be read") from error
        if not values or values == [""]:
            raise DocumentError(f"{source} is empty")
        value = values[0] if len(values) == 1 else values
        _check_size(value, source, options.limits)
        records = tuple(follow_record_path(value, options.record_path, source))
        return Document(source, text, records=records, problems=problems)


def _broken(error: yaml.YAMLError, source: str) -> DocumentError:
    mark = getattr(error, "problem_mark", None)
    place = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else source
    return DocumentError(f"{place}: this is not YAML: {getattr(error, 'problem', None) or error}")


def _check_size(value: Any, source: str, limits: Limits) -> None:
    """Counts values as often as aliases repeat them: a small file can stand for billions."""
    left = limits.max_records
    waiting = [value]
    while waiting:
        left -= 1
        if left < 0:
            raise DocumentError(f"{source} holds more than {limits.max_records:,} values, aliases counted each time")
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
