"""Data as YAML text for people: texts of several lines as blocks, lists below their key indented."""

from __future__ import annotations

from typing import Any

import yaml

_LINE_WIDTH = 110


def as_yaml(data: Any) -> str:
    """The data as YAML; lists and maps without further ones inside stand on one line."""
    text: str = yaml.dump(
        data, Dumper=_Dumper, default_flow_style=None, sort_keys=False, allow_unicode=True, width=_LINE_WIDTH
    )
    return text


def literal(value: Any) -> Any:
    """The data as it reads when variables are put in."""
    if isinstance(value, str):
        return value.replace("${", "$${")
    if isinstance(value, dict):
        return {key: literal(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [literal(item) for item in value]
    return value


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002 - the base's own form
        super().increase_indent(flow, False)

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
