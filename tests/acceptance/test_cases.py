"""Every acceptance case, one test each, through the adapter.

Runs the folders beside this file and those of the folder that SEATRIAL_CASES names. Ids in ``pending.txt`` are of parts
that are not built yet: they must fail, so that the list only shrinks.
"""

from __future__ import annotations

import ast
import os
import shutil
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

HERE = Path(__file__).parent
CASES = HERE / "cases"
PENDING = {line.split("#")[0].strip() for line in (HERE / "pending.txt").read_text(encoding="utf-8").splitlines()} - {
    ""
}


def load(path: Path) -> ModuleType:
    name = f"acceptance_{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def case_folders() -> list[Path]:
    roots = [CASES, *([Path(os.environ["SEATRIAL_CASES"])] if os.environ.get("SEATRIAL_CASES") else [])]
    folders = {path.parent.name: path.parent for root in roots for path in sorted(root.glob("*/case.json"))}
    return list(folders.values())


def complaints_of(folder: Path, work: Path) -> list[str]:
    copy = work / folder.name
    shutil.copytree(folder, copy)
    run_case = cast(Callable[[str, Any], list[str]], load(CASES / "_lib" / "check.py").run_case)
    return run_case(str(copy), load(HERE / "adapter.py").adapter)


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # the checker leaves closing to the collector
@pytest.mark.parametrize("folder", case_folders(), ids=lambda path: cast(Path, path).name)
def test_case(folder: Path, tmp_path: Path) -> None:
    complaints = complaints_of(folder, tmp_path)
    if folder.name in PENDING:
        assert complaints, f"{folder.name} passes: take it off pending.txt"
        return
    assert complaints == []


def test_pending_ids_are_cases() -> None:
    assert {path.name for path in CASES.iterdir()} >= PENDING


def test_the_adapter_translates_and_nothing_else() -> None:
    tree = ast.parse((HERE / "adapter.py").read_text(encoding="utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported.isdisjoint({"json", "re", "yaml"})
