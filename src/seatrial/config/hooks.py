"""The ``hooks:`` block: functions that may change or stop what the loop does."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from seatrial.config.entity import Entity
from seatrial.config.fields import FullText, Limits, Texts

FUNCTION_PATTERN = r".+:[A-Za-z_]\w*"
FunctionReference = Annotated[
    FullText, Limits(pattern=FUNCTION_PATTERN, pattern_in_words="written as file.py:function")
]


class HooksConfig(Entity):
    """Functions of Python files, each written ``file.py:function``; several run in the order given."""

    called: ClassVar[str] = "`hooks:`"

    before_tool_call: Texts = Field(
        default=(), description="May change the arguments, deny the call or answer instead."
    )
    after_tool_call: Texts = Field(default=(), description="May replace the result.")


def split_reference(reference: str) -> tuple[str, str]:
    """``file.py:function`` as its two parts."""
    file, _, function = reference.rpartition(":")
    return file, function
