"""The servers that only the tests need: pinned, from wherever the reader's clients fetch, and installed once."""

from __future__ import annotations

import json
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PINS = ROOT / "tests" / "servers"


def test_every_node_package_is_pinned_by_its_content_and_none_names_a_place_to_fetch_it_from() -> None:
    lock = json.loads((PINS / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert not any("resolved" in package for package in packages.values())
    wanted = json.loads((PINS / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert wanted == {name: packages[f"node_modules/{name}"]["version"] for name in wanted}


def test_what_is_installed_already_is_not_fetched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    setup: dict[str, Any] = runpy.run_path(str(ROOT / "scripts" / "install_test_servers.py"))
    assert setup["STAMP"].is_file()

    def refuse(*_arguments: object, **_settings: object) -> None:
        raise AssertionError("something was fetched")

    monkeypatch.setattr(subprocess, "run", refuse)
    setup["install"]()
