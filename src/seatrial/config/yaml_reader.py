"""YAML text to located data: every key with its place, scalars as written, nothing executed.

The reader goes over libyaml's events with a stack of its own, so neither depth nor aliases can exhaust it: an alias is
the same object again, and data that would unfold beyond measure is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.located import Block, Listing
from seatrial.config.source import Source, unreadable_character
from seatrial.config.yaml_builder import YamlBuilder
from seatrial.config.yaml_errors import explain_syntax_error

_MAX_UNFOLDED = 200_000
_MAX_SYNTAX_ERRORS = 5


@dataclass
class YamlDocument:
    """What a file holds. ``data`` is None when it is empty or cannot be read; then ``problems`` say why."""

    data: Any = None
    problems: list[Diagnostic] = field(default_factory=list)


def read_yaml(source: Source, *, reads_on: bool = False) -> YamlDocument:
    """The first document of a YAML text; never raises for what the text holds.

    ``reads_on`` gives the data also of a text with syntax errors, where it can be told what was meant: for findings.
    """
    control = unreadable_character(source)
    if control is not None:
        return YamlDocument(problems=[control])
    problems: list[Diagnostic] = []
    builder = YamlBuilder(source)
    text: Source | None = source
    try:
        while text is not None:
            builder = YamlBuilder(text)
            error = _build(builder)
            if error is None:
                return _document(builder, problems, source, reads_on=reads_on)
            finding, text = explain_syntax_error(error, text, lambda changed: _build(YamlBuilder(changed)))
            if problems and finding.line <= problems[-1].line:
                break
            problems.append(finding)
            text = text if len(problems) < _MAX_SYNTAX_ERRORS else None
    except yaml.YAMLError as error:
        message = f"the file is not valid YAML: {error}"
        return YamlDocument(problems=[Diagnostic("error", "ST101", message, Place(source.path, 1))])
    return YamlDocument(problems=[*_given_twice(builder), *problems])


def _build(builder: YamlBuilder) -> yaml.MarkedYAMLError | None:
    """Builds what the text holds, up to a syntax error."""
    try:
        for event in yaml.parse(builder.source.text, Loader=yaml.CSafeLoader):
            if not builder.take(event):
                break
    except yaml.MarkedYAMLError as error:
        return error
    return None


def _document(builder: YamlBuilder, problems: list[Diagnostic], source: Source, *, reads_on: bool) -> YamlDocument:
    if _unfolded_size(builder.root, {}) > _MAX_UNFOLDED + 10 * builder.count:
        builder.complain("ST110", "aliases make this file unfold to more data than can be read", Place(source.path, 1))
        return YamlDocument(problems=[*problems, *builder.problems])
    if problems and not reads_on:
        return YamlDocument(problems=[*_given_twice(builder), *problems])
    return YamlDocument(builder.root, [*problems, *builder.problems, *builder.unused_anchors()])


def _given_twice(builder: YamlBuilder) -> list[Diagnostic]:
    return [problem for problem in builder.problems if problem.code == "ST103"]


def _unfolded_size(value: Any, sizes: dict[int, int]) -> int:
    if not isinstance(value, (Block, Listing)):
        return 1
    known = sizes.get(id(value))
    if known is None:
        items = value.values() if isinstance(value, Block) else value
        known = 1 + sum(_unfolded_size(item, sizes) for item in items)
        sizes[id(value)] = known
    return known
