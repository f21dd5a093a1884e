from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.config.conftest import HEAD
from tests.unit.config.test_holodeck_files import CONFIG, FULL

from seatrial.config.holodeck_import import import_holodeck
from seatrial.config.loader import load_agent
from seatrial.errors import ConfigError


def imported(project: Path, text: str) -> str:
    (project / "agent.yaml").write_text(text)
    return import_holodeck(project / "agent.yaml").text


def test_h020_what_was_imported_validates_without_a_word_about_the_other_dialect(project: Path) -> None:
    (project / "config.yaml").write_text(CONFIG)
    text = imported(project, "# keep me\n" + FULL)
    (project / "new.yaml").write_text(text)
    loaded = load_agent(project / "new.yaml", environ={"OPENAI_API_KEY": "sk-12345678"})
    assert text.startswith("# keep me\n")
    assert {finding.code for finding in loaded.diagnostics} <= {"ST501"}
    assert loaded.require().model.max_tokens == 1000
    assert [tool.name for tool in loaded.require().tools] == ["knowledge_base", "bill", "files", "price"]


def test_h020_each_change_is_told_with_its_line(project: Path) -> None:
    (project / "agent.yaml").write_text(HEAD.replace("shop", "my_shop") + "claude: {max_turns: 3}\n")
    assert import_holodeck(project / "agent.yaml").changes == (
        "line 1: `name: my_shop` is `my-shop`: letters, digits and hyphens",
        "line 4: `max_tokens: 1000` is written out: HoloDeck sends it when it is absent",
        "line 4: `temperature: 0.3` is written out: HoloDeck sends it when it is absent",
        "line 7: `claude` is left out: settings of another program",
    )


SECTIONS = Path(__file__).with_name("imports.txt").read_text("utf-8").split("===\n")[1:]


@pytest.mark.parametrize(("before", "after"), [section.split("--->\n") for section in SECTIONS])
def test_only_what_must_change_does(project: Path, before: str, after: str) -> None:
    head = HEAD.replace("gpt-4o-mini", "gpt-4o-mini\n  temperature: 0\n  max_tokens: 9")
    assert imported(project, head + before) == head + after


def test_a_store_of_config_yaml_is_written_out_with_its_variables(project: Path) -> None:
    (project / "config.yaml").write_text('vectorstores: {mine: {provider: postgres, connection_string: "${PG_URL}"}}\n')
    text = imported(
        project, HEAD + "tools:\n  - {name: v, type: vectorstore, description: d, source: data, database: mine}\n"
    )
    assert 'database: {provider: pgvector, connection_string: "${PG_URL}"}' in text


def test_a_file_that_does_not_parse_is_told(project: Path) -> None:
    (project / "agent.yaml").write_text("a: 'open\n")
    with pytest.raises(ConfigError) as raised:
        import_holodeck(project / "agent.yaml")
    assert [finding.code for finding in raised.value.diagnostics] == ["ST101"]
