"""Tests and prompts put together: cases in our form."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seatrial.config.files import TYPE_OF_ENDING
from seatrial.config.notes import Note, Notes
from seatrial.config.promptfoo.asserts import Asserts
from seatrial.config.promptfoo.models import Models
from seatrial.config.promptfoo.prompts import Prompt
from seatrial.config.promptfoo.template import TemplateError, fill, names_in, shown
from seatrial.config.promptfoo.tests import Test

_MOST_INPUT = 5000
_MOST_NAME = 100
_MOST_FILES = 10


@dataclass(frozen=True)
class Case:
    """A case as data, and the notes that belong beside it."""

    entry: dict[str, Any]
    notes: tuple[Note, ...]


@dataclass
class Cases:
    """Makes cases; ``folder`` is that of the new file, ``repeat`` what holds for all."""

    asserts: Asserts
    models: Models
    notes: Notes
    folder: Path
    repeat: int | None = None
    _names: dict[str, int] = field(default_factory=dict)

    def of(self, test: Test, prompt: Prompt, *, system: str = "", tag: str | None = None) -> Case | None:
        """The case of one test and one prompt; None where it cannot be one, which is noted.

        ``system`` is text that stands before the question, ``tag`` tells prompts apart.
        """
        self.notes.since_last()
        judge = self.models.one(*test.judge) if test.judge is not None else None
        grading = self.asserts.read(test.asserts, test.variables, None if judge is None else judge.block)
        entry: dict[str, Any] = {"name": self._name(test, tag)}
        turns, skip = self._turns(test, prompt, system)
        too_long = next((len(turn) for turn in turns if len(turn) > _MOST_INPUT), None)
        if too_long is not None:
            told = f"its question has {too_long:,} characters, {_MOST_INPUT:,} are allowed; put the text into a file"
            self.notes.left(test.place, f"the test `{entry['name']}`", told)
            return None
        expected: dict[str, Any] = {
            "ground_truth": grading.ground_truth,
            "evaluations": grading.evaluations,
            "checks": grading.checks,
        }
        expected["retrieval_context"] = self._context(test) if grading.needs_context else []
        files = self._files(test, prompt)
        last = {key: value for key, value in ({"files": files} | expected).items() if value}
        if len(turns) == 1:
            entry |= {"input": turns[0]} | last
        else:
            entry["turns"] = [{"input": turn} for turn in turns[:-1]] + [{"input": turns[-1]} | last]
        tags = [*test.tags, *([tag] if tag else [])]
        repeat = test.repeat or self.repeat
        entry |= {"tags": tags} if tags else {}
        entry |= {"skip": skip} if skip else {}
        entry |= {"repeat": repeat} if repeat and repeat > 1 else {}
        unused = self._unused(test, prompt, system, grading.needs_context)
        entry |= {"turn_config": {"vars": unused}} if unused else {}
        return Case(entry, (*test.notes, *(note for note in self.notes.since_last() if note not in test.notes)))

    def _name(self, test: Test, tag: str | None) -> str:
        base = test.description or "case"
        if tag:
            base = f"{base[: _MOST_NAME - 40]} ({tag[:30]})"
        base = base[: _MOST_NAME - 8]
        number = self._names[base] = self._names.get(base, 0) + 1
        name = base if number == 1 and test.description else f"{base} {number}"
        while name != base and name in self._names:
            number = self._names[base] = self._names[base] + 1
            name = f"{base} {number}"
        self._names.setdefault(name, 1)
        return name

    def _turns(self, test: Test, prompt: Prompt, system: str) -> tuple[list[str], str | None]:
        """What the user says, and why the case is not run where that cannot be told."""
        written = list(prompt.turns)
        if system:
            written[0] = f"{system}\n\n{written[0]}"
        written[0] = test.prefix + written[0]
        written[-1] += test.suffix
        values = {**test.variables, **dict.fromkeys(test.attached, "")}
        try:
            turns = [fill(turn, values) for turn in written]
        except TemplateError as error:
            self.notes.left(
                prompt.place, f"the prompt `{prompt.label}`", f"{error} is more than a placeholder; write the text"
            )
            return [turn or "." for turn in written], f"{error} of its prompt must be written as text"
        missing = sorted(set().union(*map(names_in, written)) - set(values))
        if missing:
            told = "the test gives it no value; it is empty here"
            self.notes.changed(test.place, ", ".join(f"`{name}`" for name in missing), told)
        if not all(turn.strip() for turn in turns):
            self.notes.changed(test.place, "an empty question", "a question must not be empty; the case is not run")
            return [turn if turn.strip() else "." for turn in turns], "its question is empty"
        return turns, None

    def _files(self, test: Test, prompt: Prompt) -> list[dict[str, str]]:
        found = [(name, path) for name, path in test.attached.items() if name in prompt.names]
        files = [{"path": self._beside(path), "type": TYPE_OF_ENDING[path.suffix.lower()]} for _, path in found]
        for name in prompt.images:
            address = test.variables.get(name)
            if isinstance(address, str) and address.startswith(("https://", "http://")):
                files.append({"url": address, "type": "image"})
            elif name not in test.attached:
                self.notes.left(test.place, f"the picture `{name}`", "save it as a file and write it under `files:`")
        if len(files) > _MOST_FILES:
            self.notes.left(test.place, f"{len(files) - _MOST_FILES} files", f"a case has at most {_MOST_FILES}")
        return files[:_MOST_FILES]

    def _beside(self, path: Path) -> str:
        return Path(os.path.relpath(path, self.folder)).as_posix()

    def _context(self, test: Test) -> list[str]:
        value = test.variables.get("context")
        found = [shown(item) for item in value] if isinstance(value, list) else [shown(value)]
        found = [passage for passage in found if passage.strip()]
        if not found:
            self.notes.changed(test.place, "no variable `context`", "write the passages as `retrieval_context`")
        return found

    def _unused(self, test: Test, prompt: Prompt, system: str, has_context: bool) -> Mapping[str, Any]:
        """The variables that stand nowhere else in the case."""
        used = prompt.names | names_in(system) | names_in(test.prefix + test.suffix)
        used |= {"context"} if has_context else set()
        left = {name: value for name, value in test.variables.items() if name not in used}
        for name, path in test.attached.items():
            if name not in used:
                left[name] = self._beside(path)
        return left


def rendered_systems(prompt: Prompt, tests: Sequence[Test]) -> set[str] | None:
    """The texts that the system part becomes; None where it cannot be told."""
    try:
        return {fill(prompt.system, test.variables) for test in tests}
    except TemplateError:
        return None
