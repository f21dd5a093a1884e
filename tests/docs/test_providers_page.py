"""The providers' page names everything there is to set."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from seatrial.providers.catalog import PROVIDERS
from seatrial.providers.compat import PRESETS, Compat

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
VARIABLES = {variable for preset in PRESETS.values() for variable in preset.key_variables}


@pytest.mark.parametrize("word", sorted({*Compat.__struct_fields__, *PRESETS, *VARIABLES}))
def test_the_page_names_every_setting_preset_and_variable(word: str) -> None:
    assert f"`{word}`" in PAGE or f".{word}`" in PAGE


@pytest.mark.parametrize("provider", PROVIDERS.names())
def test_every_provider_stands_in_the_table(provider: str) -> None:
    assert f"\n| `{provider}` |" in PAGE


def test_the_scripted_example_passes(tmp_path: Path) -> None:
    for name, text in re.findall(r"^```\w+\n# ([\w.]+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "seatrial", "test"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert "PASSED  2 of 2 passed" in done.stdout, done.stdout + done.stderr
    assert "✓ price" in done.stdout
