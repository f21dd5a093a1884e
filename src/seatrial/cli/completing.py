"""What a shell is told when it completes a line. It reads a table of words and loads no command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from seatrial.runs.names import newest_names, store_file

VARIABLE = "_SEATRIAL_COMPLETE"
_WORDS = Path(__file__).with_name("completion_words.json")
_AGENT = ("-a", "--agent")
_RUNS_SHOWN = 20


def complete(instruction: str) -> int:
    """Answers what the shell's script asks for, such as ``bash_complete``; the exit code."""
    shell, _, what = instruction.partition("_")
    shell_class = get_completion_class(shell)
    if shell_class is None or what != "complete":
        return 1
    asked = shell_class(click.Command("seatrial"), {}, "seatrial", VARIABLE)
    words, begun = asked.get_completion_args()
    click.echo("\n".join(asked.format_completion(item) for item in candidates(words, begun)))
    return 0


def candidates(words: Sequence[str], begun: str) -> list[CompletionItem[str]]:
    """What may stand in place of the word begun, after the words before it."""
    table: dict[str, Any] = json.loads(_WORDS.read_text(encoding="utf-8"))
    name, taken, values, takes, folder = "", set[str](), 0, None, Path()
    for before, word in pairwise(["", *words]):
        if takes is not None:
            takes = None
            if before in _AGENT:
                folder = _folder(word)
        elif word.startswith("-"):
            taken.add(word)
            takes = table[name]["options"].get(word)
        elif word in table[name].get("commands", {}):
            name = f"{name} {word}".strip()
        else:
            values += 1
    entry = table[name]
    if takes is not None:
        return _values(takes, begun, folder)
    if begun.startswith("-"):
        return [
            CompletionItem(option) for option in entry["options"] if option.startswith(begun) and option not in taken
        ]
    if "commands" in entry:
        return _commands(entry["commands"], begun)
    kinds = entry["values"]
    return _values(kinds[min(values, len(kinds) - 1)], begun, folder) if kinds else []


def _commands(summaries: Mapping[str, str], begun: str) -> list[CompletionItem[str]]:
    return [CompletionItem(name, help=told) for name, told in summaries.items() if name.startswith(begun)]


def _folder(agent: str) -> Path:
    return Path(agent) if Path(agent).is_dir() else Path(agent).parent


def _values(kind: str | list[str], begun: str, folder: Path) -> list[CompletionItem[str]]:
    if kind == "file":
        return [CompletionItem(begun, type="file")]
    if kind == "run":
        kind = ["last", *newest_names(store_file(folder), _RUNS_SHOWN)]
    return [CompletionItem(word) for word in kind if word.startswith(begun)] if isinstance(kind, list) else []
