from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.threaded_server import Reply, threaded_server

from seatrial.assembly.attachments import accepted_by, file_blocks
from seatrial.config.loader import load_agent
from seatrial.config.model import ModelConfig
from seatrial.core.content import TextContent
from seatrial.core.model import ModelInfo
from seatrial.documents.attachments import Accepts
from seatrial.errors import DocumentError
from seatrial.providers.scripted import says, scripted

AGENT = """\
name: a
model: {provider: local, name: minilm-extractive}
instructions: Help.
test_cases:
  - input: what is in there?
    files:
      - {path: prices.csv, type: csv, description: our prices}
      - {url: "http://127.0.0.1:9/secret.txt", type: text}
"""


@pytest.fixture
def loaded(tmp_path: Path):
    (tmp_path / "prices.csv").write_text("sku,price\nA1,2.50\n")
    (tmp_path / "agent.yaml").write_text(AGENT)
    return load_agent(tmp_path / "agent.yaml")


def test_h014_a_file_is_found_beside_the_agent(loaded) -> None:
    file = loaded.require().test_cases[0].files[0]
    (block,) = file_blocks(file, loaded, Accepts())
    assert block == TextContent("File prices.csv: our prices\n\n| sku | price |\n| --- | --- |\n| A1 | 2.50 |")


def test_h014_a_url_into_the_own_network_is_refused(loaded) -> None:
    with pytest.raises(DocumentError, match=r"127\.0\.0\.1 is a private or local address"):
        list(file_blocks(loaded.require().test_cases[0].files[1], loaded, Accepts()))


def test_h014_a_url_into_the_own_network_is_fetched_where_the_file_says_so(tmp_path: Path) -> None:
    with threaded_server() as server:
        server.answer = lambda _asked: Reply(b"inside")
        url = f"{server.url}/a.txt"
        text = AGENT.replace('{url: "http://127.0.0.1:9/secret.txt"', f"{{url: '{url}', allow_private: true")
        (tmp_path / "prices.csv").write_text("sku,price\n")
        (tmp_path / "agent.yaml").write_text(text)
        loaded = load_agent(tmp_path / "agent.yaml")
        (block,) = file_blocks(loaded.require().test_cases[0].files[1], loaded, Accepts())
    assert block == TextContent(f"File {url}\n\ninside")


@pytest.mark.parametrize(
    ("provider", "endpoint", "modalities", "expected"),
    [
        ("openai", None, ("text", "image"), Accepts(True, True, "openai", 9)),
        ("openai", "http://127.0.0.1/v1", ("text", "image"), Accepts(True, False, "openai", 9)),
        ("anthropic", None, ("text",), Accepts(False, False, "anthropic", 9)),
        ("ollama", None, None, Accepts(True, False, "ollama")),
    ],
)
def test_what_a_model_takes_follows_from_what_is_known_of_it(
    provider: str, endpoint: str | None, modalities: tuple[str, ...] | None, expected: Accepts
) -> None:
    model = scripted(says("x"))
    model.provider = provider
    if modalities is not None:
        model.info = ModelInfo("m", "m", provider, input_modalities=modalities, context_window=9)
    assert accepted_by(model, ModelConfig(provider=provider, name="m", endpoint=endpoint)) == expected


def test_a_model_in_place_of_the_files_own_is_judged_by_its_own_provider() -> None:
    model = scripted(says("x"))
    model.provider = "anthropic"
    model.info = ModelInfo("m", "m", "anthropic", input_modalities=("text", "image"))
    config = ModelConfig(provider="openai_compatible", name="m", endpoint="http://127.0.0.1/v1")
    assert accepted_by(model, config) == Accepts(True, True, "anthropic")
