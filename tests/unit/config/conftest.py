from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from seatrial.config.loaded import LoadedAgent
from seatrial.config.loader import load_agent

HEAD = """\
name: shop
model:
  provider: openai
  name: gpt-4o-mini
instructions:
  inline: Answer briefly.
"""
"""Six lines that make a valid agent file; what tests add begins in line 7."""

Load = Callable[..., LoadedAgent]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the files that agent files of these tests name."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "faq.md").write_text("# FAQ\n")
    (tmp_path / "prompt.md").write_text("You help.\n")
    (tmp_path / "tools.py").write_text("async def price(sku: str) -> str:\n    return sku\n")
    return tmp_path


@pytest.fixture
def load(project: Path) -> Load:
    """Writes an agent file into the project and loads it; with an environment of its own."""

    def load_text(text: str | bytes, environ: Mapping[str, str] | None = None) -> LoadedAgent:
        path = project / "agent.yaml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return load_agent(path, environ=environ or {})

    return load_text


@pytest.fixture
def load_more(load: Load) -> Load:
    """Loads a valid head of six lines and what comes behind it."""
    return lambda text, environ=None: load(HEAD + text, environ)


def told(loaded: LoadedAgent) -> list[tuple[int, str]]:
    """Line and code of each finding."""
    return [(finding.line, finding.code) for finding in loaded.diagnostics]
