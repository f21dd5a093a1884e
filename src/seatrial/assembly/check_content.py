"""Whether what an agent file names or holds can be used as it is: folders, JSON Schemas, texts to look for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from seatrial.assembly.checks import read_json
from seatrial.config.agent import AgentConfig
from seatrial.config.cases import ExpectationConfig
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import KeyPath
from seatrial.config.names import did_you_mean
from seatrial.config.vectorstore import VectorstoreToolConfig
from seatrial.core.schema import compiled
from seatrial.documents.catalog import known_suffixes
from seatrial.documents.folders import has_source_files
from seatrial.errors import ConfigError

_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
_TYPOGRAPHIC = "“”„‟«»‘’‚"
_INCHES = re.compile(r"(?:^|[\s(x×-])\d+(?:[.,/]\d+)?\"$")
_TEXT_CHECKS = ("contains", "not_contains", "regex")


def check_content(loaded: LoadedAgent, config: AgentConfig) -> Iterator[Diagnostic]:
    """What stands outside the test cases."""
    for index, tool in enumerate(config.tools):
        if isinstance(tool, VectorstoreToolConfig):
            yield from _source(loaded, ("tools", index), tool)
    if config.response_format is not None:
        yield from _schema(loaded, ("response_format",), config.response_format)


def check_texts(loaded: LoadedAgent, path: KeyPath, case: ExpectationConfig) -> Iterator[Diagnostic]:
    """The checks of a case or turn."""
    for index, check in enumerate(case.checks or ()):
        check_path = (*path, "checks", index)
        if check.json_schema is not None:
            yield from _schema(loaded, (*check_path, "json_schema"), check.json_schema)
        for kind in _TEXT_CHECKS:
            value = getattr(check, kind)
            texts = (value,) if isinstance(value, str) else value or ()
            for place, text in enumerate(texts):
                text_path = (*check_path, kind) if isinstance(value, str) else (*check_path, kind, place)
                yield from _stray_quotes(loaded, text_path, text)


def _source(loaded: LoadedAgent, path: KeyPath, tool: VectorstoreToolConfig) -> Iterator[Diagnostic]:
    folder = loaded.path_to(tool.source)
    if not folder.is_dir() or has_source_files(folder, include=tool.include, exclude=tool.exclude):
        return
    if (tool.include or tool.exclude) and has_source_files(folder):
        key = "include" if tool.include else "exclude"
        message = f"{tool.source} holds files, and `{key}` leaves none of them to search"
        hint = "globs are read as in .gitignore: `*.md` at every depth, `notes/**` everything below a folder"
        yield loaded.diagnose("ST302", (*path, key), message, hint=hint)
        return
    hint = f"put documents there, or mend `source`; known types: {' '.join(known_suffixes())}"
    message = f"{tool.source} holds nothing to search: no file in it has a known type"
    yield loaded.diagnose("ST302", (*path, "source"), message, hint=hint)


def _schema(loaded: LoadedAgent, path: KeyPath, value: Any) -> Iterator[Diagnostic]:
    try:
        schema = read_json(value, loaded)
    except ConfigError:
        return
    where = f"in {value}, " if isinstance(value, str) else ""
    if not isinstance(schema, dict):
        if not isinstance(schema, bool):
            message = f"{where}a JSON Schema must be a block of keys"
            yield loaded.diagnose("ST408", path, message, hint="like {type: object, properties: {...}}")
        return
    wrong = next(_unknown_types(schema, ()), None)
    if wrong is not None:
        inner, name = wrong
        message = f"{where}{name!r} is no type of JSON Schema"
        yield loaded.diagnose("ST408", (*path, *inner), message, hint=did_you_mean(name, _TYPES, _SYNONYMS))
        return
    problem = compiled(schema).problem
    if problem is not None:
        yield loaded.diagnose("ST408", path, f"{where}this is not a valid JSON Schema: {problem}")


_SYNONYMS = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "float": "number",
    "double": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "map": "object",
    "none": "null",
}


def _unknown_types(schema: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Every ``type`` that there is none of, in the schema and in the schemas of its properties and items."""
    if not isinstance(schema, dict):
        return
    kind = schema.get("type")
    for name in kind if isinstance(kind, list) else [kind]:
        if isinstance(name, str) and name not in _TYPES:
            yield (*path, "type"), name
    for holder in ("properties", "$defs", "definitions"):
        inner = schema.get(holder)
        for key, part in inner.items() if isinstance(inner, dict) else ():
            yield from _unknown_types(part, (*path, holder, key))
    yield from _unknown_types(schema.get("items"), (*path, "items"))


def _stray_quotes(loaded: LoadedAgent, path: KeyPath, text: str) -> Iterator[Diagnostic]:
    """Quotes that YAML takes for a part of the text."""
    bare = text.strip(_TYPOGRAPHIC)
    if len(text) > 1 and text[0] in _TYPOGRAPHIC and text[-1] in _TYPOGRAPHIC and bare:
        message = f"the quotes {text[0]} {text[-1]} are a part of the text that is looked for"
        yield loaded.diagnose("ST512", path, message, hint=f'write "{bare}" with straight quotes, or without any')
    elif text.count('"') == 1 and '"' in (text[:1], text[-1:]) and len(text) > 1 and not _INCHES.search(text):
        bare = text.strip('"')
        message = "the quote is a part of the text that is looked for"
        yield loaded.diagnose("ST512", path, message, hint=f'write "{bare}" if only {bare} is meant')
