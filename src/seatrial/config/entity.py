"""The base of every section of the agent file: strict keys, all problems at once, helpful words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, ValidationInfo, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from seatrial.config.located import Block
from seatrial.config.names import folded, nearest

_NAMING = ("type", "name", "provider", "metric", "kind")


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding of an entity about itself; ``loc`` is the key path below it."""

    code: str
    message: str
    loc: tuple[str | int, ...] = ()
    hint: str | None = None
    value: Any = None


class Entity(BaseModel):
    """A frozen section of the agent file.

    A subclass may say how it reads a shorthand (`read`) and which rules over several keys it has (`rules`); both see
    the values as written, before any conversion. ``shorthands`` and ``conditions`` say the same as JSON Schemas.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True, defer_build=True
    )

    called: ClassVar[str] = "this block"
    example: ClassVar[str | None] = None
    synonyms: ClassVar[Mapping[str, str]] = {}
    shorthands: ClassVar[tuple[dict[str, Any], ...]] = ()
    conditions: ClassVar[tuple[dict[str, Any], ...]] = ()

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Only what names the section: any other value may hold a secret."""
        yield from ((key, getattr(self, key)) for key in _NAMING if key in type(self).model_fields)

    @classmethod
    def read(cls, value: Any) -> Any:
        """The mapping that a shorthand stands for; anything else comes back as it is."""
        return value

    @classmethod
    def rules(cls, _values: Mapping[str, Any], /) -> Iterator[Problem]:
        """What is wrong between the keys. Values may be of any type."""
        yield from ()

    @model_validator(mode="wrap")
    @classmethod
    def _validate(cls, value: Any, handler: ModelWrapValidatorHandler[Self], _info: ValidationInfo) -> Self:
        if isinstance(value, cls):
            return value
        value = cls.read(value)
        if not isinstance(value, dict):
            raise _failure(cls, [_not_a_block(cls, value)])
        problems = list(cls._unknown_keys(value))
        fields = cls.model_fields
        given = {key: item for key, item in value.items() if item is not None and key in fields}
        is_misspelt = bool(problems)
        problems += [rule for rule in cls.rules(given) if not (is_misspelt and rule.code == "ST202")]
        try:
            entity = handler(given)
        except ValidationError as error:
            raise _failure(cls, problems, error, value) from None
        if problems:
            raise _failure(cls, problems)
        # A quarter of what a test case takes; frozen sections may share it, and copies of them copy it.
        object.__setattr__(entity, "__pydantic_fields_set__", _shared_set(frozenset(entity.model_fields_set)))
        return entity

    @classmethod
    def _unknown_keys(cls, value: dict[str, Any]) -> Iterator[Problem]:
        for key in [key for key in value if key not in cls.model_fields]:
            meant = nearest(key, cls.model_fields, cls.synonyms)
            if meant is not None and value.get(meant) is None and isinstance(value, Block):
                value.pop(meant, None)
                value.rename(key, meant)
                yield Problem(
                    "ST102", f"`{key}` is not a key of {cls.called}", (meant,), f"did you mean `{meant}`?", key
                )
                continue
            yield Problem("ST102", f"`{key}` is not a key of {cls.called}", (key,), _hint_for(cls, key, meant))


def entity_classes() -> Iterator[type[Entity]]:
    """Every kind of section, each once."""
    waiting: list[type[Entity]] = list(Entity.__subclasses__())
    seen: set[type[Entity]] = set()
    while waiting:
        cls = waiting.pop(0)
        if cls not in seen:
            seen.add(cls)
            waiting += cls.__subclasses__()
            yield cls


@lru_cache(maxsize=1024)
def _shared_set(names: frozenset[str]) -> set[str]:
    return set(names)


@lru_cache(maxsize=1024)
def _hint_for(cls: type[Entity], key: str, meant: str | None) -> str:
    if meant is not None:
        return f"did you mean `{meant}`?"
    known, homes = _homes(cls, key)
    if homes:
        return f"`{known}` belongs to {' or '.join(homes[:3])}"
    return f"known keys: {', '.join(cls.model_fields)}"


def _homes(cls: type[Entity], key: str) -> tuple[str, list[str]]:
    """The kinds of block that have the key, or one that differs only in case and separators."""
    known, homes = _owners().get(folded(key), (key, ()))
    return known, [home for home in homes if home != cls.called]


@cache
def _owners() -> dict[str, tuple[str, tuple[str, ...]]]:
    """For each key of any block, however spelt, the kinds of block that have it."""
    owners: dict[str, tuple[str, tuple[str, ...]]] = {}
    for cls in entity_classes():
        for name in cls.model_fields if cls.called != Entity.called else ():
            known, homes = owners.get(folded(name), (name, ()))
            if cls.called not in homes:
                owners[folded(name)] = (known, (*homes, cls.called))
    return owners


def _not_a_block(cls: type[Entity], value: Any) -> Problem:
    if value is None:
        return Problem("ST113", "is empty", hint="write something behind the dash, or take the dash out")
    if isinstance(value, list | tuple):
        return Problem("ST105", f"{cls.called} holds keys, and this is a list", hint="leave out the dash", value=value)
    keys = " and ".join(f"`{name}`" for name, info in cls.model_fields.items() if info.is_required())
    hint = f"write {cls.example}" if cls.example else f"write it as a block with {keys}" if keys else None
    return Problem("ST105", f"{cls.called} must be a block of keys", hint=hint, value=value)


def _failure(
    cls: type[Entity], problems: list[Problem], error: ValidationError | None = None, value: Any = None
) -> ValidationError:
    lines = [_line(problem) for problem in problems]
    for detail in error.errors(include_url=False) if error is not None else ():
        kind, context = detail["type"], dict(detail.get("ctx", {}))
        context.setdefault("message", detail["msg"])
        if kind == "missing" and isinstance(value, dict) and len(detail["loc"]) == 1:
            context["is_empty"] = detail["loc"][0] in value
        lines.append(
            InitErrorDetails(
                type=PydanticCustomError(kind, "{message}", context), loc=detail["loc"], input=detail["input"]
            )
        )
    return ValidationError.from_exception_data(cls.__name__, lines, hide_input=True)


def _line(problem: Problem) -> InitErrorDetails:
    context = {"message": problem.message, "hint": problem.hint}
    return InitErrorDetails(
        type=PydanticCustomError(problem.code, "{message}", context), loc=problem.loc, input=problem.value
    )
