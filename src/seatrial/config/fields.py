"""The types that fields of the agent file are made of: text as written, numbers and booleans converted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from seatrial.config.hints import name_meant
from seatrial.config.located import PlainText, plain

LENIENT = "lenient"
_YES_NO = {"yes": True, "on": True, "no": False, "off": False}


def problem(code: str, message: str, hint: str | None = None) -> PydanticCustomError:
    """A finding about one value, raised inside a validator."""
    return PydanticCustomError(code, "{message}", {"message": message, "hint": hint})


def _read_text(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    return value


def _read_number(value: Any) -> Any:
    if isinstance(value, bool):
        raise problem("ST105", "must be a number, not true or false")
    if isinstance(value, PlainText):
        resolved = value.resolved()
        return str(value) if isinstance(resolved, bool) else resolved
    return value


def _read_bool(value: Any) -> Any:
    return _YES_NO.get(value.lower(), str(value)) if isinstance(value, str) else value


def _read_texts(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _read_free(value: Any) -> Any:
    return plain(value)


_TEXT_SCHEMA = {"type": ["string", "number", "boolean"]}

Text = Annotated[str, BeforeValidator(_read_text), WithJsonSchema(_TEXT_SCHEMA)]
Whole = Annotated[int, BeforeValidator(_read_number)]
Number = Annotated[float, BeforeValidator(_read_number)]
Flag = Annotated[bool, BeforeValidator(_read_bool)]
FreeValue = Annotated[Any, BeforeValidator(_read_free)]
FreeBlock = Annotated[dict[str, Any], BeforeValidator(_read_free)]
Texts = Annotated[
    tuple[Text, ...],
    BeforeValidator(_read_texts),
    WithJsonSchema({"anyOf": [_TEXT_SCHEMA, {"type": "array", "items": _TEXT_SCHEMA}]}),
]
"""One text or a list of texts."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How a text must look. In a file of the HoloDeck dialect a second, lenient reading passes over these limits."""

    at_most: int | None = None
    may_be_empty: bool = False
    pattern: str | None = None
    pattern_in_words: str = ""
    joint: str = "-"

    def check(self, text: str, info: ValidationInfo) -> str:
        """The text itself; raises the finding for the first limit that it breaks."""
        if isinstance(info.context, dict) and info.context.get(LENIENT):
            return text
        if not self.may_be_empty and not text.strip():
            raise problem("ST404", "must not be empty", "write a text, or leave the key out")
        if self.at_most is not None and len(text) > self.at_most:
            raise problem("ST403", f"has {len(text):,} characters; at most {self.at_most:,} are allowed")
        if self.pattern is not None and not re.fullmatch(self.pattern, text):
            hint = name_meant(text, self.pattern, self.joint)
            raise problem("ST402", f"must be {self.pattern_in_words}, not `{text[:40]}`", hint)
        return text

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        made = dict(handler(schema))
        if not self.may_be_empty:
            made["minLength"] = 1
        if self.at_most is not None:
            made["maxLength"] = self.at_most
        if self.pattern is not None:
            made["pattern"] = f"^(?:{self.pattern})$"
        return made


Name = Annotated[
    Text,
    Limits(
        100, pattern="[A-Za-z][A-Za-z0-9-]*", pattern_in_words="letters, digits and hyphens, beginning with a letter"
    ),
]
ToolName = Annotated[
    Text, Limits(100, pattern="[A-Za-z0-9_]+", pattern_in_words="letters, digits and underscores", joint="_")
]
ShortText = Annotated[Text, Limits(100)]
Description = Annotated[Text, Limits(500)]
LongText = Annotated[Text, Limits(5000)]
FullText = Annotated[Text, Limits()]
"""A text of any length that must not be empty."""
