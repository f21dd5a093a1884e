"""The page on model files: its agent file is valid, and its table names every setting with its default."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from tests.support.small_model import MODEL_FILE

from seatrial.assembly.check import check
from seatrial.assembly.models import Models
from seatrial.config.loader import load_agent
from seatrial.providers.gguf import GgufSettings

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "gguf.md").read_text(encoding="utf-8")


def test_the_agent_file_is_valid_and_leads_to_a_model(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    file = tmp_path / yaml.safe_load(example)["model"]["name"]
    file.parent.mkdir()
    file.symlink_to(MODEL_FILE)
    (tmp_path / "agent.yaml").write_text(example, encoding="utf-8")
    loaded = load_agent(tmp_path / "agent.yaml")
    assert loaded.config is not None
    assert check(loaded) == ()
    assert Models(loaded).get(loaded.config.model).provider == "gguf"


def test_the_table_names_every_setting_with_its_default() -> None:
    told = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE, re.MULTILINE))
    assert tuple(told) == GgufSettings.__struct_fields__
    for name, default in zip(GgufSettings.__struct_fields__, GgufSettings.__struct_defaults__, strict=True):
        if isinstance(default, int):
            assert told[name] == str(default)
