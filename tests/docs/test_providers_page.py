"""The providers' page names everything there is to set."""

from __future__ import annotations

from pathlib import Path

import pytest

from seatrial.providers.compat import PRESETS, Compat

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
VARIABLES = {variable for preset in PRESETS.values() for variable in preset.key_variables}


@pytest.mark.parametrize("word", sorted({*Compat.__struct_fields__, *PRESETS, *VARIABLES}))
def test_the_page_names_every_setting_preset_and_variable(word: str) -> None:
    assert f"`{word}`" in PAGE or f".{word}`" in PAGE
