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


@dataclass
class YamlDocument:
    """What a file holds. ``data`` is None when it is empty or cannot be read; then ``problems`` say why."""

    data: Any = None
    problems: list[Diagnostic] = field(default_factory=list)


def read_yaml(source: Source) -> YamlDocument:
    """The first document of a YAML text; never raises for what the text holds."""
    builder = YamlBuilder(source)
    control = unreadable_character(source)
    if control is not None:
        return YamlDocument(problems=[control])
    try:
        for event in yaml.parse(source.text, Loader=yaml.CSafeLoader):
            if not builder.take(event):
                break
    except yaml.MarkedYAMLError as error:
        builder.problems = [problem for problem in builder.problems if problem.code == "ST103"]
        builder.problems.append(explain_syntax_error(error, source))
        return YamlDocument(problems=builder.problems)
    except yaml.YAMLError as error:
        message = f"the file is not valid YAML: {error}"
        return YamlDocument(problems=[Diagnostic("error", "ST101", message, Place(source.path, 1))])
    if _unfolded_size(builder.root, {}) > _MAX_UNFOLDED + 10 * builder.count:
        builder.complain("ST110", "aliases make this file unfold to more data than can be read", Place(source.path, 1))
        return YamlDocument(problems=builder.problems)
    return YamlDocument(builder.root, builder.problems)


def _unfolded_size(value: Any, sizes: dict[int, int]) -> int:
    if not isinstance(value, (Block, Listing)):
        return 1
    known = sizes.get(id(value))
    if known is None:
        items = value.values() if isinstance(value, Block) else value
        known = 1 + sum(_unfolded_size(item, sizes) for item in items)
        sizes[id(value)] = known
    return known
