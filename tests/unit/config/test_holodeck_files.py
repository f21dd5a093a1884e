"""Files written for HoloDeck load; what is different here is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.config.conftest import HEAD, Load, told

from seatrial.config.evaluations import MetricConfig
from seatrial.config.mcp import McpToolConfig
from seatrial.config.vectorstore import VectorstoreToolConfig

FULL = """\
name: legal_assistant
description: Answers questions about a bill.
model:
  provider: openai
  name: gpt-4o
  temperature: 0.1
instructions:
  file: prompt.md
embedding_provider: {provider: azure_openai, name: embed, endpoint: http://e, temperature: 0}
tools:
  - type: vectorstore
    name: knowledge-base
    description: Articles.
    source: data
    id_field: id
    vector_field: [title, text]
    min_similarity_score: 0.7
    database: chroma
  - type: hierarchical_document
    name: bill
    description: The bill.
    source: data/faq.md
    search_mode: semantic
    max_chunk_tokens: 800
    min_score: 0.5
    context_model: {provider: openai, name: x, api_key: "${NOT_SET}"}
  - type: mcp
    name: files
    description: Files.
    command: npx
    args: [-y, '@modelcontextprotocol/server-filesystem', ./data]
    request_timeout: 30
  - type: function
    name: price
    description: ''
    file: tools.py
    function: price
    defer_loading: false
evaluations:
  metrics:
    - {type: rag, metric_type: faithfulness, threshold: 0.8}
    - {type: geval, name: Helpfulness, criteria: 'Is it helpful?', evaluation_params: [input, actual_output]}
    - {type: standard, metric: numeric, relative_tolerance: 0.01, accept_percent: true, response_path: answer}
test_cases:
  - name: FAQ - Password reset
    input: How?
    expected_tools: [knowledge, bill_search]
  - turns:
      - {input: a, ground_truth: '1', turn_config: {program: "divide(1, 2)"}}
      - {input: b}
claude: {max_turns: 3}
observability: {exporters: {otlp: {endpoint: "${NOT_SET_EITHER}"}}}
deployment: {target: {provider: azure}}
execution: {llm_timeout: 3}
"""
CONFIG = """\
providers:
  openai: {provider: openai, name: gpt-4o, temperature: 0.9, max_tokens: 5, api_key: "${OPENAI_API_KEY}"}
  other: {provider: anthropic, api_key: "${NEVER_SET}"}
vectorstores:
  chroma: {provider: chromadb, connection_string: "http://localhost:8000"}
execution: {cache_enabled: true}
"""


@pytest.fixture
def configured(project: Path) -> Path:
    (project / "config.yaml").write_text(CONFIG)
    return project


def test_h020_a_file_of_the_other_dialect_loads_with_warnings_only(load: Load, configured: Path) -> None:
    loaded = load(FULL, {"OPENAI_API_KEY": "sk-12345678"})
    assert loaded.errors == ()
    assert {warning.code for warning in loaded.warnings} == {"ST502", "ST503", "ST509"}
    config = loaded.require()
    assert (config.model.temperature, config.model.max_tokens) == (0.1, 5)
    assert config.model.api_key is not None
    assert config.model.api_key.get_secret_value() == "sk-12345678"


def test_h020_each_key_without_effect_warns_once_at_its_line(load: Load, configured: Path) -> None:
    ignored = [
        (w.line, w.message.split("`")[1]) for w in load(FULL, {"OPENAI_API_KEY": "k"}).warnings if w.code == "ST502"
    ]
    lines = FULL.splitlines()
    expected = "temperature context_model defer_loading claude observability deployment execution"
    assert [key for _, key in ignored] == expected.split(" ")
    assert all(f"{key}:" in lines[line - 1] for line, key in ignored)


def test_h020_looser_limits_are_warnings(load: Load, configured: Path) -> None:
    exceeded = [(w.line, w.message) for w in load(FULL, {"OPENAI_API_KEY": "k"}).warnings if w.code == "ST503"]
    lines = FULL.splitlines()
    assert [lines[line - 1].strip() for line, _ in exceeded] == [
        "name: legal_assistant",
        "name: knowledge-base",
        "description: ''",
    ]
    assert all("HoloDeck sets no such limit" in message for _, message in exceeded)


def test_h020_document_tools_stores_and_expected_names_are_carried_over(load: Load, configured: Path) -> None:
    loaded = load(FULL, {"OPENAI_API_KEY": "k"})
    articles, bill, files, _ = loaded.require().tools
    assert isinstance(articles, VectorstoreToolConfig)
    assert articles.database is not None
    assert articles.database.provider == "embedded"
    assert isinstance(bill, VectorstoreToolConfig)
    assert (bill.chunk_size, bill.min_similarity_score, bill.search_mode) == (800, 0.5, "dense")
    assert isinstance(files, McpToolConfig)
    assert files.connection.timeout == 30
    assert [tool.name for tool in loaded.require().test_cases[0].expected_tools or ()] == ["knowledge-base", "bill"]


def test_h020_the_later_forms_of_metrics_are_read_as_they_are(load: Load, configured: Path) -> None:
    evaluations = load(FULL, {"OPENAI_API_KEY": "k"}).require().evaluations
    assert evaluations is not None
    rag, geval, numeric = evaluations.metrics
    assert rag == MetricConfig(type="rag", metric="faithfulness", threshold=0.8)
    assert (geval.metric, geval.title, geval.settings["criteria"]) == ("geval", "Helpfulness", "Is it helpful?")
    assert numeric.settings == {"relative_tolerance": 0.01, "accept_percent": True}
    assert numeric.response_path == "answer"


def test_h020_any_other_unknown_key_stays_an_error(load: Load, configured: Path) -> None:
    loaded = load(FULL.replace("id_field: id", "id_feild: id"), {"OPENAI_API_KEY": "k"})
    assert [(error.code, error.hint) for error in loaded.errors] == [("ST102", "did you mean `id_field`?")]


def test_h020_our_own_files_keep_our_limits(load: Load) -> None:
    assert told(load(HEAD.replace("shop", "legal_assistant"))) == [(1, "ST402")]


def test_h020_the_form_of_the_data_model_loads(load_more: Load) -> None:
    loaded = load_more(
        "tools:\n  - {name: fs, type: mcp, description: d, server: '@scope/server-memory', config: {a: 1}}\n"
        "evaluations:\n  metrics:\n    - {metric: groundedness, threshold: 4}\n    - metric: bleu\n"
        "test_cases:\n  - {input: a, ground_truth: b, evaluations: [bleu]}\n"
    )
    assert loaded.diagnostics == ()


@pytest.mark.parametrize(("number", "codes"), [(101, {"ST503"}), (1000, {"ST503"}), (1001, {"ST407"})])
def test_h020_up_to_1000_cases(load_more: Load, number: int, codes: set[str]) -> None:
    loaded = load_more("claude: {}\ntest_cases:\n" + "  - {input: a, checks: none}\n" * number)
    assert {finding.code for finding in loaded.diagnostics} - {"ST502"} == codes


@pytest.mark.parametrize(
    ("database", "provider"),
    [("in-memory", "embedded"), ("postgres", "pgvector"), ("{provider: postgres, connection_string: x}", "pgvector")],
)
def test_h020_stores_by_their_other_names(load_more: Load, database: str, provider: str) -> None:
    tool = f"tools:\n  - {{name: v, type: vectorstore, description: d, source: data, database: {database}}}\n"
    (made,) = load_more(tool).require().tools
    assert isinstance(made, VectorstoreToolConfig)
    assert made.database is not None
    assert made.database.provider == provider


def test_a_sibling_config_file_that_belongs_to_somebody_else_is_no_error(load: Load, project: Path) -> None:
    (project / "config.yaml").write_text("providers: [a, b]\nother: {x: 1}\n")
    assert load(HEAD).diagnostics == ()
    (project / "config.yaml").write_text("{{ template }}: [\n")
    loaded = load(HEAD)
    assert loaded.config is not None
    assert [(warning.file.name, warning.severity) for warning in loaded.diagnostics] == [("config.yaml", "warning")]


def test_a_variable_in_a_used_part_of_config_yaml_must_be_set(load: Load, configured: Path) -> None:
    errors = load(FULL).errors
    assert [(error.file.name, error.line, error.code) for error in errors] == [("config.yaml", 2, "ST303")]


def test_a_mistake_in_config_yaml_is_told_in_that_file(load: Load, project: Path) -> None:
    (project / "config.yaml").write_text("providers:\n  openai:\n    temperature: hot\n    endpiont: http://x\n")
    errors = load(HEAD).errors
    assert [(error.file.name, error.line, error.code) for error in errors] == [
        ("config.yaml", 3, "ST105"),
        ("config.yaml", 4, "ST102"),
    ]


def test_frontmatter_of_instructions_is_kept_apart_from_the_text(load: Load, project: Path) -> None:
    (project / "prompt.md").write_text("---\nversion: 1.10\nauthor: me\ntags: [a, b]\n---\n\nYou help.\n")
    loaded = load(HEAD.replace("inline: Answer briefly.", "file: prompt.md"))
    assert loaded.instructions_text == "You help.\n"
    assert loaded.instructions_metadata == {"version": "1.10", "author": "me", "tags": ["a", "b"]}


@pytest.mark.parametrize("text", ["---\nYou help.\n---\nAlways.\n", "---\nno end\n", "Text\n---\na: b\n---\n"])
def test_dashes_that_are_no_frontmatter_are_text(load: Load, project: Path, text: str) -> None:
    (project / "prompt.md").write_text(text)
    loaded = load(HEAD.replace("inline: Answer briefly.", "file: prompt.md"))
    assert (loaded.instructions_text, loaded.diagnostics) == (text, ())


def test_frontmatter_that_does_not_parse_is_text_and_a_warning(load: Load, project: Path) -> None:
    (project / "prompt.md").write_text("---\ntitle: a: b\n---\nYou help.\n")
    loaded = load(HEAD.replace("inline: Answer briefly.", "file: prompt.md"))
    assert loaded.instructions_text.startswith("---")
    assert [(warning.file.name, warning.line, warning.code) for warning in loaded.warnings] == [
        ("prompt.md", 2, "ST511")
    ]
