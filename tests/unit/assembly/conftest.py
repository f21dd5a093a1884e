from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from seatrial.config.loaded import LoadedAgent
from seatrial.config.loader import load_agent

Load = Callable[[str], LoadedAgent]

HEAD = """\
name: shop
model: {provider: local, name: minilm-extractive}
instructions: Answer.
"""


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads an agent file of these lines, put below a name, a model and instructions where they are missing."""

    def loaded(text: str) -> LoadedAgent:
        text = dedent(text)
        path = tmp_path / "agent.yaml"
        path.write_text(text if "model:" in text.split("\n")[0] else HEAD + text, encoding="utf-8")
        return load_agent(path, environ={})

    return loaded
