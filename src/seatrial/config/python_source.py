"""Which names a Python file defines, read from its syntax tree; nothing is executed."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_MAX_BYTES = 2_000_000


@dataclass(frozen=True)
class PythonNames:
    """``names`` is None when only running the file could tell; ``syntax_error`` says what is wrong, and where."""

    names: frozenset[str] | None = None
    syntax_error: str | None = None


def names_defined(path: Path) -> PythonNames:
    """The names that the module has after its import: defined, assigned or imported at its top level."""
    content = path.read_bytes()
    if len(content) > _MAX_BYTES:
        return PythonNames()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(content, filename=path.name)
    except SyntaxError as error:
        return PythonNames(syntax_error=f"line {error.lineno}: {error.msg}" if error.lineno else error.msg)
    except (ValueError, RecursionError, MemoryError) as error:
        return PythonNames(syntax_error=str(error) or type(error).__name__)
    names: set[str] = set()
    for name in _names(tree.body):
        if name in ("*", "__getattr__"):
            return PythonNames()
        names.add(name)
    return PythonNames(frozenset(names))


def _names(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Names bound by statements, also inside if, try, with and loops; ``*`` for what cannot be known."""
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    yield alias.asname or alias.name.partition(".")[0]
            case _:
                yield from _names_of_other(statement)


def _names_of_other(statement: ast.stmt) -> Iterator[str]:
    for _, value in ast.iter_fields(statement):
        for part in value if isinstance(value, list) else [value]:
            match part:
                case ast.stmt():
                    yield from _names([part])
                case ast.ExceptHandler(body=body) | ast.match_case(body=body):
                    yield from _names(body)
                case ast.AST():
                    yield from _names_in_expression(part)


def _names_in_expression(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Name)
            and part.func.id in ("exec", "globals", "setattr")
        ):
            yield "*"
