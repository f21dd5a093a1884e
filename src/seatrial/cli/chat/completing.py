"""What the line editor proposes: commands, their arguments, and files behind an ``@``."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from seatrial.reporters.plain import visible

_MOST_FILES = 50
_FILE = re.compile(r"(?:^|\s)@(\S*)$")
_PATH_COMMANDS = ("/files ",)


class Completing(Completer):
    """``summaries`` are the commands with their lines in the help; ``words_of`` gives a command's arguments."""

    def __init__(self, summaries: Mapping[str, str], words_of: Callable[[str], Sequence[str]]) -> None:
        self._summaries = summaries
        self._words_of = words_of

    def get_completions(self, document: Document, _event: CompleteEvent) -> Iterable[Completion]:
        """Proposals for what stands before the cursor."""
        text = document.text_before_cursor
        file = _FILE.search(text)
        if file is not None:
            yield from _files(file[1])
        elif not text.startswith("/"):
            return
        elif " " not in text:
            for name, summary in self._summaries.items():
                if name.startswith(text[1:]):
                    yield Completion(f"/{name}", start_position=-len(text), display_meta=summary)
        elif text.startswith(_PATH_COMMANDS):
            yield from _files(text.rpartition(" ")[2])
        else:
            name, _, begun = text[1:].partition(" ")
            for word in self._words_of(name):
                if word.startswith(begun):
                    yield Completion(word, start_position=-len(begun), display=visible(word))


def _files(begun: str) -> Iterator[Completion]:
    """Files and folders whose path begins so; those with a dot only when asked for."""
    folder, _, name = begun.rpartition("/")
    try:
        place = Path(f"{folder}/" if folder or begun.startswith("/") else ".").expanduser()
        entries = sorted(os.scandir(place), key=lambda entry: entry.name)
    except OSError:
        return
    shown = 0
    for entry in entries:
        if not entry.name.startswith(name) or (entry.name.startswith(".") and not name.startswith(".")):
            continue
        ending = "/" if entry.is_dir() else ""
        yield Completion(entry.name + ending, start_position=-len(name), display=visible(entry.name + ending))
        shown += 1
        if shown == _MOST_FILES:
            return
