"""Arguments against a tool's JSON Schema: mended where nothing is guessed, else told what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from seatrial.core.coercion import copy_json, make_whole, mend, path_text
from seatrial.core.content import ToolCall
from seatrial.core.text import excerpt
from seatrial.core.tool import Tool, leaves_out_null
from seatrial.errors import ToolArgumentError

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

MAX_PROBLEMS = 20
MAX_ROUNDS = 4


class CheckedArguments(msgspec.Struct, frozen=True):
    """Arguments of the schema's types, what is still wrong with them, and the names that were left out.

    ``schema_problem`` says why the schema could not be asked.
    """

    arguments: dict[str, Any]
    problems: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    schema_problem: str | None = None


class CompiledSchema(msgspec.Struct, frozen=True):
    """A validator, or why there is none."""

    validator: Validator | None
    problem: str | None = None


def validate_required_args(args: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    """None, or ``Missing required arguments: a, b`` in the schema's order; a key that holds null is present."""
    required = schema.get("required")
    if not isinstance(required, list | tuple):
        return None
    missing = [str(name) for name in required if name not in args]
    return f"Missing required arguments: {', '.join(missing)}" if missing else None


def validate_tool_arguments(tool: Tool, call: ToolCall) -> dict[str, Any]:
    """The call's arguments, coerced, in a dict of their own; raises `ToolArgumentError` with every problem."""
    return check_tool_arguments(tool, call.arguments).arguments


def check_tool_arguments(tool: Tool, arguments: dict[str, Any]) -> CheckedArguments:
    """As `validate_tool_arguments`, with the names of the arguments that were left out."""
    missing = validate_required_args(arguments, tool.spec.parameters)
    problem = tool.check_arguments(arguments) or missing
    if problem != missing:
        raise ToolArgumentError(problem or "")
    try:
        checked = check_against(tool.spec.parameters, arguments, leaves_out_null=leaves_out_null(tool))
    except (ValueError, RecursionError) as error:
        raise ToolArgumentError(missing or f"Invalid arguments: they are not JSON: {error}") from error
    if missing:
        raise ToolArgumentError("; ".join([missing, *(told for told in checked.problems if not _is_of_missing(told))]))
    if checked.problems:
        raise ToolArgumentError("Invalid arguments: " + "; ".join(checked.problems))
    return checked


def _is_of_missing(problem: str) -> bool:
    return problem.startswith('"') and problem.endswith("is a required property")


def check_against(schema: Mapping[str, Any], value: Any, *, leaves_out_null: bool = False) -> CheckedArguments:
    """The value after the whole schema, mended. A schema that is itself broken accepts everything.

    ``leaves_out_null``: an argument of null that may be left out and may not be null is left out.
    """
    value = copy_json(value)
    asked = compiled(schema)
    validator = asked.validator
    if validator is None:
        return CheckedArguments(value, schema_problem=asked.problem)
    left_out: list[str] = []
    errors = _errors(validator, value)
    for _ in range(MAX_ROUNDS):
        are_mended = [
            (leaves_out_null and _without_null(value, error, schema)) or mend(value, error, left_out)
            for error in errors
        ]
        if not any(are_mended):
            break
        errors = _errors(validator, value)
    if not errors:
        make_whole(validator, value)
    return CheckedArguments(value, tuple(_told(error) for error in errors), tuple(left_out))


def _without_null(value: Any, error: ValidationError, schema: Mapping[str, Any]) -> bool:
    """Takes out an argument of null that may be left out: it is how many models leave arguments out."""
    path = error.instance_path
    if len(path) != 1 or not isinstance(value, dict) or path[0] not in value or value[path[0]] is not None:
        return False
    required = schema.get("required")
    if isinstance(required, list | tuple) and path[0] in required:
        return False
    del value[path[0]]
    return True


def problems_of(schema: Mapping[str, Any], value: Any) -> tuple[str, ...]:
    """What is wrong with the value as it is, nothing mended."""
    validator = compiled(schema).validator
    return () if validator is None else tuple(_told(error) for error in _errors(validator, value))


def compiled(schema: Mapping[str, Any]) -> CompiledSchema:
    """The validator of a schema, compiled once for schemas of the same JSON."""
    try:
        return _compile(msgspec.json.encode(schema))
    except (TypeError, ValueError, RecursionError) as error:
        return CompiledSchema(None, f"it is not JSON: {error}")


@lru_cache(maxsize=512)
def _compile(schema_json: bytes) -> CompiledSchema:
    from jsonschema_rs import ReferencingError, ValidationError, validator_for

    try:
        return CompiledSchema(validator_for(msgspec.json.decode(schema_json), retriever=_refuse_to_fetch))
    except (ValidationError, ReferencingError, ValueError) as error:
        return CompiledSchema(None, str(error).partition("\n")[0])


def _refuse_to_fetch(address: str) -> NoReturn:
    raise ValueError(f"{address} is outside the schema, and nothing is fetched")


def _errors(validator: Validator, value: Any) -> list[ValidationError]:
    if validator.is_valid(value):
        return []
    return list(islice(validator.iter_errors(value), MAX_PROBLEMS))


def _told(error: ValidationError) -> str:
    path = path_text(error.instance_path)
    message = excerpt(error.message, 300)
    return f"{path}: {message}" if path else message
