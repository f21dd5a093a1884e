"""The system prompt's text, and what its frontmatter says of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from seatrial.config.diagnostics import Diagnostic
from seatrial.config.located import Block, as_written
from seatrial.config.source import Source
from seatrial.config.yaml_reader import read_yaml

_FRONTMATTER = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class PromptText:
    """The text that the model gets; ``metadata`` is the frontmatter (version, author, tags, ...), not part of it."""

    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    problems: tuple[Diagnostic, ...] = ()


def read_prompt(source: Source) -> PromptText:
    """A prompt file's text without its frontmatter. A block between dashes that holds no keys is text."""
    match = _FRONTMATTER.match(source.text)
    if match is None:
        return PromptText(source.text)
    document = read_yaml(Source(source.path, "\n" + match[1]))
    if document.problems:
        message = f"the block between dashes is not read as frontmatter: {document.problems[0].message}"
        place = document.problems[0].place
        return PromptText(source.text, problems=(Diagnostic("warning", "ST511", message, place),))
    if not isinstance(document.data, Block):
        return PromptText(source.text)
    return PromptText(source.text[match.end() :].lstrip("\n"), as_written(document.data))
