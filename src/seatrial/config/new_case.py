"""A test case put into an agent file; comments and layout of everything else stay as they are."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seatrial.config.agent_path import agent_file
from seatrial.config.loader import load_agent
from seatrial.config.located import Block, Listing
from seatrial.config.source import Source, read_bytes, read_source
from seatrial.config.text_edits import TextEdits
from seatrial.config.yaml_reader import read_yaml
from seatrial.config.yaml_text import as_yaml, literal
from seatrial.errors import ConfigError

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class NewTurn:
    """What was asked, the tools that were called, in order, and the files that went with it, with their types."""

    text: str
    called_tools: tuple[str, ...] = ()
    files: tuple[tuple[Path, str], ...] = ()


@dataclass(frozen=True, slots=True)
class NewCase:
    """A case in the making; ``ground_truth`` is that of the last turn."""

    name: str
    turns: tuple[NewTurn, ...]
    ground_truth: str | None = None


def add_case(path: Path, case: NewCase) -> Path:
    """Puts the case behind those of the agent file; gives the file.

    The file is the old or the new one, whatever happens, and never one with more errors than before. Raises
    `ConfigError`, whose hint has the case as YAML where it has no place.
    """
    file = agent_file(path)
    source = read_source(file)
    data = read_yaml(source).data
    if not isinstance(data, Block):
        raise ConfigError(f"{file} cannot be read as YAML keys", hint="seatrial validate says where it is wrong")
    _refuse_name_twice(file, case.name)
    text = _with_case(source, data, _entry(case, file.parent), case.name)
    _replace(file, source, text)
    return file


def case_as_yaml(entry: Mapping[str, Any]) -> str:
    """The case as an item of a list."""
    return as_yaml([dict(entry)])


def _entry(case: NewCase, folder: Path) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": literal(case.name)}
    if len(case.turns) == 1:
        return {**entry, **_turn(case.turns[0], folder, case.ground_truth)}
    last = len(case.turns) - 1
    truths = [case.ground_truth if number == last else None for number in range(len(case.turns))]
    turns = [_turn(turn, folder, truth) for turn, truth in zip(case.turns, truths, strict=True)]
    return {**entry, "turns": turns}


def _turn(turn: NewTurn, folder: Path, ground_truth: str | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"input": literal(turn.text)}
    if turn.files:
        entry["files"] = [
            {"path": literal(os.path.relpath(path, folder.resolve())), "type": kind} for path, kind in turn.files
        ]
    counts = Counter(turn.called_tools)
    entry["expected_tools"] = [name if count == 1 else {"name": name, "count": count} for name, count in counts.items()]
    if ground_truth:
        entry["ground_truth"] = literal(ground_truth)
    return entry


def _with_case(source: Source, data: Block, entry: Mapping[str, Any], name: str) -> str:
    made = case_as_yaml(entry)
    cases = data.get("test_cases")
    if cases is None and "test_cases" not in data:
        text = source.text if not source.text or source.text.endswith("\n") else f"{source.text}\n"
        return f"{text}\ntest_cases:\n{_indented(made, 2)}"
    if cases is None or (isinstance(cases, Listing) and not cases):
        edits = TextEdits(source)
        edits.replace(data, "test_cases", f"\n{_indented(made, 2).rstrip()}")
        return edits.apply()
    indent = _dash_column(source, cases) if isinstance(cases, Listing) else None
    if indent is None:
        raise ConfigError(
            f"the case {name!r} was not saved: `test_cases` of {source.path} is no list of lines with dashes",
            hint=f"put it there yourself:\n{made}",
        )
    edits = TextEdits(source)
    gap = "\n" if _has_gap(source, cases) else ""
    edits.append(data, "test_cases", gap + _indented(made, indent).rstrip())
    return edits.apply()


def _has_gap(source: Source, cases: Listing) -> bool:
    """Whether a blank line stands before the last case."""
    line = cases.place_of_item(len(cases) - 1).line
    return line > 1 and len(cases) > 1 and not source.lines[line - 2].strip()


def _dash_column(source: Source, cases: Listing) -> int | None:
    """How far the dashes are indented; None for a list between brackets, or of another file."""
    place = cases.place_of_item(0)
    before = source.lines[place.line - 1][: place.column - 1] if place.file == source.path else ""
    return len(before) - len(before.lstrip()) if before.strip() == "-" else None


def _indented(text: str, columns: int) -> str:
    return "".join(f"{' ' * columns}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


def _refuse_name_twice(file: Path, name: str) -> None:
    loaded = load_agent(file)
    known: Sequence[Any] = () if loaded.config is None else loaded.config.test_cases
    if any(case.label == name for case in known):
        raise ConfigError(f"{file} has a test case {name!r} already", hint="choose another name")


def _replace(file: Path, source: Source, text: str) -> None:
    """Writes the text in the form that the file had, once it is known to be readable and nothing changed meanwhile."""
    before = read_bytes(file)
    line_end = "\r\n" if b"\r\n" in before else "\n"
    data = (_BOM if before.startswith(_BOM) else b"") + text.replace("\n", line_end).encode()
    target = file.resolve()
    beside = target.with_name(f".{target.name}.{os.getpid()}.yaml")
    try:
        with beside.open("xb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        beside.chmod(target.stat().st_mode & 0o7777)
        _refuse_new_errors(file, beside)
        if read_source(file).sha256 != source.sha256:
            raise ConfigError(f"{file} was changed meanwhile; nothing was written", hint="save the case again")
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _refuse_new_errors(file: Path, beside: Path) -> None:
    if file.resolve().parent != file.parent.resolve():
        return  # what a link names is meant from the folder of the link
    errors = load_agent(beside).errors
    if len(errors) > len(load_agent(file).errors):
        raise ConfigError(
            f"the case was not saved: {file} would not be valid with it: {errors[-1].message}", hint=errors[-1].hint
        )
