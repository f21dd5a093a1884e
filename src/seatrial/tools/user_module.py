"""Users' Python files, loaded under private names: nothing of theirs shadows, or is shadowed by, a module of ours.

Each folder becomes a private package. Inside it ``import neighbour`` finds the file beside it, also at call time, while
``sys.path`` and the public module names stay as they are. The standard library always wins over a neighbour.
"""

from __future__ import annotations

import builtins
import logging
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from seatrial.errors import ToolError
from seatrial.tools.printed import Printed

_PREFIX = "_seatrial_user_"
logger = logging.getLogger("seatrial")


def load_function(file: Path, name: str) -> Callable[..., Any]:
    """The callable ``name`` of a Python file. Raises `ToolError`.

    The file runs once per process, and again when it or a file beside it was changed since.
    """
    module = load_module(file)
    found = getattr(module, name, None)
    if callable(found):
        return found  # type: ignore[no-any-return]
    if found is not None:
        raise ToolError(f"{file}: {name!r} is not a function but a value of type {type(found).__name__}")
    known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
    raise ToolError(f"{file} defines no function {name!r}", hint=f"it defines: {', '.join(known) or 'no function'}")


def load_module(file: Path) -> ModuleType:
    """The module that a Python file defines. Raises `ToolError` when the file is missing or fails to run."""
    path = file.resolve()
    if not path.is_file():
        raise ToolError(f"{file} does not exist")
    full_name = _finder().register(path)
    printed = Printed()
    try:
        with printed.capture():
            return import_module(full_name)
    except (Exception, SystemExit) as error:
        hint = None
        if isinstance(error, ModuleNotFoundError):
            hint = f"install the package that has the module {error.name!r}, or put {error.name}.py beside the file"
        raise ToolError(f"{file} cannot be loaded: {_reason(error, path)}", hint=hint) from error
    finally:
        for stream, text in printed.texts().items():
            logger.debug("%s wrote to %s while it loaded: %s", file, stream, text)


def _reason(error: BaseException, path: Path) -> str:
    line = error.lineno if isinstance(error, SyntaxError) else None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == str(path):
            line = frame.lineno
    place = f"line {line}: " if line else ""
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{place}{type(error).__name__}: {said}"


class _UserFinder(MetaPathFinder):
    """Finds modules of private packages and nothing else."""

    def __init__(self) -> None:
        self._files: dict[str, Path] = {}

    def register(self, file: Path) -> str:
        package = _PREFIX + blake2b(str(file.parent).encode(), digest_size=8).hexdigest()
        _forget_if_changed(package)
        if package not in sys.modules:
            folder = ModuleType(package, "A user's folder.")
            folder.__path__ = [str(file.parent)]
            sys.modules[package] = folder
        full_name = f"{package}.{_module_name(file)}"
        self._files[full_name] = file
        return full_name

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(_PREFIX):
            return None
        package = fullname.partition(".")[0]
        file = self._files.get(fullname)
        if file is not None:
            loader = _UserLoader(fullname, str(file), package)
            return spec_from_file_location(fullname, file, loader=loader)
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _UserLoader(fullname, spec.loader.path, package)
        return spec


class _UserLoader(SourceFileLoader):
    """Runs a user's file with an ``import`` of its own, and leaves no bytecode in the user's folder."""

    def __init__(self, fullname: str, path: str, package: str) -> None:
        super().__init__(fullname, path)
        self._package = package
        self._stamp: tuple[int, int] | None = None

    @property
    def is_outdated(self) -> bool:
        """Whether the file was changed, or taken away, since it ran."""
        return self._stamp != _stamp(self.path)

    def exec_module(self, module: ModuleType) -> None:
        self._stamp = _stamp(self.path)
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _import_of(self._package)}
        super().exec_module(module)

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Writes nothing."""


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


def _forget_if_changed(package: str) -> None:
    """Lets every file of a folder run anew when one of them was changed; tools already loaded keep what they have."""
    modules = {name: module for name, module in list(sys.modules.items()) if name.startswith(f"{package}.")}
    loaders = [module.__spec__.loader for module in modules.values() if module.__spec__ is not None]
    if any(isinstance(loader, _UserLoader) and loader.is_outdated for loader in loaders):
        for name in modules:
            sys.modules.pop(name, None)


def _import_of(package: str) -> Callable[..., ModuleType]:
    folder = list(sys.modules[package].__path__)

    def scoped_import(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        top = name.partition(".")[0]
        importer = (globals or {}).get("__name__")
        outside = level > 0 or top in sys.stdlib_module_names or importer == f"{package}.{top}"
        if outside or top in sys.builtin_module_names or not _is_beside(top, folder):
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        found = builtins.__import__(f"{package}.{name}", globals, locals, fromlist or (), 0)
        return found if fromlist else sys.modules[f"{package}.{top}"]

    return scoped_import


def _is_beside(name: str, folder: list[str]) -> bool:
    """Whether the folder has the module; a plain folder without ``__init__.py`` counts if nothing else has it."""
    spec = PathFinder.find_spec(name, folder)
    if spec is None:
        return False
    return spec.loader is not None or (name not in sys.modules and PathFinder.find_spec(name) is None)


def _module_name(file: Path) -> str:
    """The file's own stem, so that a neighbour's import meets the same module; else a name made from it."""
    if file.stem.isidentifier() and file.suffix == ".py":
        return file.stem
    return re.sub(r"\W", "_", file.name) + "_" + blake2b(file.name.encode(), digest_size=4).hexdigest()


def _finder() -> _UserFinder:
    for finder in sys.meta_path:
        if isinstance(finder, _UserFinder):
            return finder
    finder = _UserFinder()
    sys.meta_path.insert(0, finder)
    return finder
