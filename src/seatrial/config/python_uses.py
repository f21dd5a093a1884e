"""Which files beside it a Python file works with, read from its syntax tree; nothing is executed."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

from seatrial.config.paths import kind_of

_MAX_BYTES = 2_000_000
_MOST_FILES = 1_000
_MAX_NAME = 200
_WRITES = {"write", "write_text", "write_bytes", "writelines", "writerow", "writerows", "dump", "execute", "touch"}


def files_used(path: Path) -> list[Path]:
    """The file itself, what it imports from its folder, at any remove, and the data files that they name.

    Data beside code that writes is left out: it changes with every call.
    """
    found = {path: None}
    waiting = [path]
    for file in waiting:
        for used in _used_by(file, path.parent):
            if used not in found and len(found) < _MOST_FILES:
                found[used] = None
                if used.suffix == ".py":
                    waiting.append(used)
    return list(found)


def _used_by(file: Path, folder: Path) -> Iterator[Path]:
    tree = _tree(file)
    nodes = list(ast.walk(tree)) if tree is not None else []
    has_data = not any(isinstance(node, ast.Attribute) and node.attr in _WRITES for node in nodes)
    for node in nodes:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield from _modules(folder, alias.name)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = file.parents[level - 1] if 0 < level <= len(file.parents) else folder
                yield from _modules(base, module or "")
                for alias in names:
                    yield from _modules(base, f"{module}.{alias.name}" if module else alias.name)
            case ast.Constant(value=str(text)) if has_data:
                yield from _data(file, [text])
            case ast.BinOp(op=ast.Div()) if has_data:
                yield from _data(file, _parts(node))


def _tree(file: Path) -> ast.Module | None:
    try:
        content = file.read_bytes()
        if len(content) > _MAX_BYTES:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(content, filename=file.name)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _modules(folder: Path, name: str) -> Iterator[Path]:
    """The files of a dotted module below the folder, its packages' own among them."""
    at = folder
    for part in filter(None, name.split(".")):
        at /= part
        for path in (at / "__init__.py", at.with_name(f"{part}.py")):
            if kind_of(path) == "file":
                yield path


def _parts(node: ast.expr) -> list[str]:
    """The texts of ``Path(...) / "data" / "shops.json"``, in order."""
    match node:
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=str(text))):
            return [*_parts(left), text]
        case _:
            return []


def _data(file: Path, parts: list[str]) -> Iterator[Path]:
    """The file that the texts name together, when it is one, beside the Python file or below."""
    name = "/".join(parts)
    if not 0 < len(name) <= _MAX_NAME or "." not in name or "\n" in name or Path(name).is_absolute():
        return
    path = file.parent / name
    if ".." not in path.parts and kind_of(path) == "file":
        yield path
