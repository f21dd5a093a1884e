"""A function's parameters as a model sees them (JSON Schema) and as the function wants them (Python objects)."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import PydanticUserError, TypeAdapter, ValidationError
from pydantic.errors import PydanticUndefinedAnnotation
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_json

from seatrial.core.tool import ToolContext
from seatrial.errors import ToolArgumentError, ToolError
from seatrial.tools.docstring import Docstring, ParameterDoc, read_docstring
from seatrial.tools.hints import annotated_description, is_context, portable, resolved_hints
from seatrial.tools.parameter_schema import schema_of_default, schema_of_doc_type, schemas_of_types

_MISSING = inspect.Parameter.empty
_COLLECTS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter that the model may fill in.

    ``adapter`` turns JSON into what the annotation asks for; None where there is no type, or one without a JSON form:
    such arguments are passed on as they come.
    """

    name: str
    is_positional_only: bool
    adapter: TypeAdapter[Any] | None
    default: Any

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.default.is_required() if isinstance(self.default, FieldInfo) else self.default is _MISSING

    def convert(self, value: Any) -> Any:
        """The argument as the function wants it; raises `ToolArgumentError`."""
        if self.adapter is None:
            return value
        try:
            return self.adapter.validate_json(to_json(value))
        except ValidationError as error:
            raise ToolArgumentError("; ".join(self._complaint(item) for item in error.errors())) from error
        except PydanticSerializationError as error:
            raise ToolArgumentError(f"{self.name}: {error}") from error

    def _complaint(self, error: Mapping[str, Any]) -> str:
        place = ".".join(str(step) for step in (self.name, *error["loc"]))
        return f"{place}: {error['msg']}"


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes.

    ``context_name`` is the parameter that gets the `ToolContext`; ``takes_any_name`` says that it has ``**kwargs``,
    which a model never sees.
    """

    parameters: tuple[Parameter, ...]
    schema: dict[str, Any]
    description: str = ""
    context_name: str | None = None
    takes_any_name: bool = False
    _by_name: dict[str, Parameter] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {parameter.name: parameter for parameter in self.parameters})

    def bind(self, arguments: Mapping[str, Any], context: ToolContext) -> tuple[list[Any], dict[str, Any]]:
        """Positional and keyword arguments; those that the function does not take are left out.

        Raises `ToolArgumentError` with what is wrong with each of them.
        """
        given = self._converted(arguments)
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for parameter in self.parameters:
            if parameter.name in given:
                value = given[parameter.name]
            elif isinstance(parameter.default, FieldInfo):
                value = parameter.default.get_default(call_default_factory=True)
            elif parameter.is_positional_only and not parameter.is_required:
                value = parameter.default
            else:
                continue
            if parameter.is_positional_only:
                positional.append(value)
            else:
                named[parameter.name] = value
        if self.context_name is not None:
            named[self.context_name] = context
        return positional, named

    def _converted(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        given, problems = {}, []
        for parameter in self.parameters:
            if parameter.name not in arguments:
                continue
            try:
                given[parameter.name] = parameter.convert(arguments[parameter.name])
            except ToolArgumentError as error:
                problems.append(error.message)
        if problems:
            raise ToolArgumentError("; ".join(problems))
        return given

    def check_declared(self, names: list[str]) -> None:
        """Raises `ToolError` when declared names and the function's own do not fit together."""
        unknown = [name for name in names if name not in self._by_name and not self.takes_any_name]
        missing = [item.name for item in self.parameters if item.is_required and item.name not in names]
        if unknown:
            takes = ", ".join(self._by_name) or "nothing"
            raise ToolError(
                f"`parameters` names {_listed(unknown)}, which the function does not take (it takes {takes})"
            )
        if missing:
            raise ToolError(f"`parameters` lacks {_listed(missing)}, which the function needs")


def read_signature(function: Callable[..., Any]) -> Signature:
    """Types, defaults and docstring of a function; raises `ToolError` when Python cannot tell its signature."""
    try:
        found = inspect.signature(function)
    except (ValueError, TypeError) as error:
        raise ToolError(
            f"the signature of {function!r} cannot be read", hint="wrap it in a function with named parameters"
        ) from error
    hints = resolved_hints(function, found)
    docs = read_docstring(inspect.getdoc(function))
    context_name = next((name for name, hint in hints.items() if is_context(hint)), None)
    shown = [item for item in found.parameters.values() if item.kind not in _COLLECTS and item.name != context_name]
    parameters = tuple(_parameter(item, hints[item.name]) for item in shown)
    return Signature(
        parameters,
        _object_schema(parameters, hints, docs),
        docs.description,
        context_name,
        any(item.kind is inspect.Parameter.VAR_KEYWORD for item in found.parameters.values()),
    )


def _parameter(item: inspect.Parameter, hint: Any) -> Parameter:
    if item.default is None and hint is not Any:
        hint = typing.Optional[hint]  # noqa: UP045 (hint is a value here, and may lack `|`)
    if isinstance(item.default, FieldInfo):
        hint = Annotated[hint, item.default]
    is_positional_only = item.kind is inspect.Parameter.POSITIONAL_ONLY
    return Parameter(item.name, is_positional_only, _adapter(hint), item.default)


def _adapter(hint: Any) -> TypeAdapter[Any] | None:
    if hint is Any:
        return None
    try:
        adapter = TypeAdapter(portable(hint))
        return adapter if adapter.pydantic_complete else None
    except (PydanticUserError, PydanticUndefinedAnnotation, TypeError, NameError):
        return None


def _object_schema(parameters: tuple[Parameter, ...], hints: Mapping[str, Any], docs: Docstring) -> dict[str, Any]:
    adapters = {item.name: item.adapter for item in parameters if item.adapter is not None}
    typed, definitions = schemas_of_types(adapters)
    properties: dict[str, Any] = {}
    for item in parameters:
        doc = docs.parameters.get(item.name, ParameterDoc())
        schema = typed.get(item.name) or schema_of_doc_type(doc.type)
        description = annotated_description(hints[item.name]) or schema.get("description") or doc.description
        schema |= {"description": description} if description else {}
        if not item.is_required and not isinstance(item.default, FieldInfo):
            schema |= schema_of_default(item.default)
        properties[item.name] = schema
    required = [item.name for item in parameters if item.is_required]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return schema | ({"$defs": definitions} if definitions else {})


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
