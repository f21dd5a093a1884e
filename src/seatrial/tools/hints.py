"""Annotations of a function's parameters, resolved, in a form that Pydantic reads on every Python."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any

import typing_extensions

from seatrial.core.tool import ToolContext


def resolved_hints(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, Any]:
    """Each parameter's type; `Any` for those without one and those whose names exist only for a type checker."""
    target = _annotated_target(function)
    try:
        hints = typing.get_type_hints(target, include_extras=True)
    except (NameError, TypeError, AttributeError, SyntaxError):
        hints = {name: _resolved(item.annotation, target) for name, item in signature.parameters.items()}
    return {name: hints.get(name, Any) for name in signature.parameters}


def is_context(hint: Any) -> bool:
    """Whether the parameter asks for the `ToolContext` (also as ``ToolContext | None``)."""
    if isinstance(hint, str):
        return "ToolContext" in hint.replace("|", " ").replace(".", " ").split()
    return hint is ToolContext or ToolContext in typing.get_args(hint)


def annotated_description(hint: Any) -> str:
    """The text of ``Annotated[T, "text"]`` and of ``Annotated[T, Doc("text")]``; empty when there is none."""
    for item in getattr(hint, "__metadata__", ()):
        text = item if isinstance(item, str) else getattr(item, "documentation", None)
        if isinstance(text, str):
            return text
    return ""


def portable(hint: Any) -> Any:
    """The same type with each ``typing.TypedDict`` rebuilt: Pydantic reads the standard one only since Python 3.12.

    Raises NameError for one whose fields are of types that exist only for a type checker.
    """
    if typing.is_typeddict(hint):
        return _rebuilt_typed_dict(hint)
    origin = typing.get_origin(hint)
    if origin is None or origin is typing.Literal:
        return hint
    parts = typing.get_args(hint)
    changed = tuple(portable(part) for part in parts)
    if all(new is old for new, old in zip(changed, parts, strict=True)):
        return hint
    if origin is Annotated:
        return Annotated[changed[0], *hint.__metadata__]
    return typing.Union[changed] if origin is types.UnionType else origin[changed]  # noqa: UP007 (made at run time)


def _annotated_target(function: Callable[..., Any]) -> Any:
    """The object that holds the annotations: of a partial its function, of a class its constructor."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isroutine(function):
        return function
    return getattr(function, "__init__", None) if isinstance(function, type) else type(function).__call__


def _resolved(annotation: Any, target: Any) -> Any:
    """One annotation by itself; its own text when it names the context, `Any` when it cannot be resolved."""
    if annotation is inspect.Parameter.empty:
        return Any
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    names = getattr(inspect.unwrap(target), "__globals__", {})
    try:
        return typing.get_type_hints(holder, globalns=names, include_extras=True)["it"]
    except (NameError, TypeError, AttributeError, SyntaxError):
        return annotation if isinstance(annotation, str) and is_context(annotation) else Any


def _rebuilt_typed_dict(hint: Any) -> Any:
    fields: dict[str, Any] = {}
    for key, kind in typing.get_type_hints(hint, include_extras=True).items():
        says_itself = typing.get_origin(kind) in (typing.Required, typing.NotRequired)
        wanted = kind if says_itself else portable(kind)
        fields[key] = wanted if says_itself or key in hint.__required_keys__ else typing.NotRequired[wanted]
    make: Any = typing_extensions.TypedDict
    return make(hint.__name__, fields)
