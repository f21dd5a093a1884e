"""What a valid agent file may say, row by row of the contract."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError
from tests.unit.config.conftest import HEAD, Load, told

from seatrial.config.agent import AgentConfig
from seatrial.config.cases import CaseConfig
from seatrial.config.evaluations import MetricConfig
from seatrial.config.instructions import InstructionsConfig
from seatrial.config.mcp import McpToolConfig
from seatrial.config.model import ModelConfig
from seatrial.config.tools import FunctionToolConfig, PromptToolConfig
from seatrial.config.vectorstore import VectorstoreToolConfig

PRICE = "tools:\n  - {name: price, type: function, description: Price., file: tools.py, function: price}\n"


@pytest.mark.parametrize("name", ["a", "A1-b", "x" * 100])
def test_h001_names_of_letters_digits_and_hyphens(load: Load, name: str) -> None:
    assert load(HEAD.replace("shop", name)).require().name == name


@pytest.mark.parametrize("name", ["9bad", "-a", "a_b", "a b", "é", "x" * 101, "''"])
def test_h001_other_names_are_refused(load: Load, name: str) -> None:
    assert {code for _, code in told(load(HEAD.replace("shop", name)))} <= {"ST402", "ST403", "ST404"}
    assert load(HEAD.replace("shop", name)).config is None


def test_h002_a_description_has_at_most_500_characters(load_more: Load) -> None:
    assert load_more("description: " + "x" * 500 + "\n").config is not None
    assert told(load_more("description: " + "x" * 501 + "\n")) == [(7, "ST403")]


def test_h003_a_model_has_only_what_it_says(load: Load) -> None:
    model = load(HEAD).require().model
    assert (model.temperature, model.max_tokens, model.top_p, model.endpoint, model.api_key) == (None,) * 5


def test_h003_all_keys_of_a_model(load: Load) -> None:
    more = (
        "gpt-4o-mini\n  temperature: 0\n  max_tokens: 1\n  top_p: 1\n  endpoint: http://x\n  api_key: k-123456\n"
        "  api_version: 2024-10-21\n  deployment_name: 0123\n  auth_provider: api_key\n  timeout_s: 30\n"
        "  compat: {content: text}"
    )
    model = load(HEAD.replace("gpt-4o-mini", more)).require().model
    assert (model.temperature, model.max_tokens, model.top_p, model.timeout_s) == (0, 1, 1, 30)
    assert (model.api_version, model.deployment_name) == ("2024-10-21", "0123")
    assert model.api_key is not None
    assert model.api_key.get_secret_value() == "k-123456"
    assert model.compat == {"content": "text"}


@pytest.mark.parametrize("text", ["openai:gpt-4o", "openai/gpt-4o"])
def test_h003_a_model_may_be_named_in_one_line(load: Load, text: str) -> None:
    loaded = load(f"name: a\nmodel: {text}\ninstructions: Hi.\n")
    assert loaded.require().model == ModelConfig(provider="openai", name="gpt-4o")


def test_h004_a_plain_text_is_inline(load: Load) -> None:
    loaded = load("name: a\nmodel: openai:x\ninstructions: Hi.\n")
    assert loaded.require().instructions == InstructionsConfig(inline="Hi.")
    assert loaded.instructions_text == "Hi."


def test_h004_inline_has_at_most_5000_characters(load: Load) -> None:
    assert load(HEAD.replace("Answer briefly.", "x" * 5000)).config is not None


def test_h004_a_file_is_read_beside_the_agent_file(load: Load) -> None:
    loaded = load(HEAD.replace("inline: Answer briefly.", "file: prompt.md"))
    assert loaded.instructions_text == "You help.\n"


def test_h005_50_tools_may_be_there(load_more: Load) -> None:
    tools = "".join(
        f"  - {{name: p{i}, type: function, description: d, file: tools.py, function: price}}\n" for i in range(50)
    )
    assert len(load_more("tools:\n" + tools).require().tools) == 50


def test_h006_a_vectorstore_tool(load_more: Load) -> None:
    loaded = load_more(
        "tools:\n  - name: faq\n    type: vectorstore\n    description: FAQ.\n    source: data\n"
        "    embedding_model: minilm\n    vector_field: question\n    meta_fields: [id, lang]\n    chunk_size: 100\n"
        "    chunk_overlap: 99\n    record_path: data.records\n    record_prefix: r_\n    meta_prefix: m_\n"
        "    examples: [How do I return it?]\n"
    )
    (tool,) = loaded.require().tools
    assert isinstance(tool, VectorstoreToolConfig)
    assert (tool.vector_field, tool.meta_fields) == (("question",), ("id", "lang"))
    assert (tool.chunk_size, tool.chunk_overlap, tool.top_k, tool.database) == (100, 99, 5, None)
    assert tool.examples == ("How do I return it?",)
    assert loaded.path_to(tool.source) == loaded.folder / "data"


def test_h007_a_function_tool_with_parameters(load_more: Load) -> None:
    (tool,) = (
        load_more(
            PRICE.replace(
                "function: price}",
                "function: price, parameters: {sku: {type: str, description: Article.}, n: {type: int, default: 1}}}",
            )
        )
        .require()
        .tools
    )
    assert isinstance(tool, FunctionToolConfig)
    assert tool.parameters is not None
    assert tool.parameters["sku"].json_schema() == {"type": "string", "description": "Article."}
    assert tool.parameters["n"].json_schema() == {"type": "integer", "default": 1}
    assert [name for name, item in tool.parameters.items() if item.is_required] == ["sku"]


@pytest.mark.parametrize(
    "kind", ["str", "int", "float", "bool", "array", "object", "string", "integer", "number", "boolean"]
)
def test_h007_types_by_pythons_names_and_by_json_schemas(load_more: Load, kind: str) -> None:
    text = PRICE.replace("function: price}", f"function: price, parameters: {{a: {{type: {kind}}}}}}}")
    assert load_more(text).config is not None


def test_h008_connection_keys_on_the_tool_or_inside_config_mean_the_same(load_more: Load) -> None:
    on_tool = "tools:\n  - {name: m, type: mcp, description: d, server: pkg, env: {A: 1}, timeout: 5, tools: read}\n"
    in_config = on_tool.replace("env:", "config: {env:").replace("read}", "read}}")
    (one,), (other,) = load_more(on_tool).require().tools, load_more(in_config).require().tools
    assert isinstance(one, McpToolConfig)
    assert isinstance(other, McpToolConfig)
    assert one.connection == other.connection
    assert (one.connection.env, one.connection.timeout, one.connection.tools) == ({"A": "1"}, 5, ("read",))
    assert (one.connection.on_error, one.connection.isolation) == ("fail", "shared")


def test_h008_what_else_is_in_config_is_for_the_server(load_more: Load) -> None:
    (tool,) = (
        load_more("tools:\n  - {name: m, type: mcp, description: d, server: pkg, config: {roots: [1, a]}}\n")
        .require()
        .tools
    )
    assert isinstance(tool, McpToolConfig)
    assert tool.config == {"roots": [1, "a"]}


def test_h009_a_prompt_tool(load_more: Load) -> None:
    (tool,) = (
        load_more(
            "tools:\n  - name: p\n    type: prompt\n    description: d\n    template: 'Say {text}'\n"
            "    parameters: {text: {type: str}}\n    model: {provider: openai, name: gpt-4o}\n"
        )
        .require()
        .tools
    )
    assert isinstance(tool, PromptToolConfig)
    assert tool.model == ModelConfig(provider="openai", name="gpt-4o")


def test_h010_evaluations_may_be_a_block_or_a_list(load_more: Load) -> None:
    block = load_more(
        "evaluations:\n  model: openai:gpt-4o\n  metrics: [bleu, {metric: rouge, threshold: 0.3}]\n"
    ).require()
    listed = load_more("evaluations:\n  - bleu\n  - {metric: rouge, threshold: 0.3}\n").require()
    assert block.evaluations is not None
    assert listed.evaluations is not None
    assert block.evaluations.metrics == listed.evaluations.metrics
    assert block.evaluations.model == ModelConfig(provider="openai", name="gpt-4o")


def test_h011_a_metrics_defaults_and_settings() -> None:
    metric = MetricConfig.model_validate({"metric": "rouge", "stem": "yes", "variant": "rouge1", "options": {"a": 1}})
    assert (metric.enabled, metric.fail_on_error, metric.threshold, metric.retry_on_failure) == (
        True,
        False,
        None,
        None,
    )
    assert metric.settings == {"stem": True, "variant": "rouge1", "a": 1}


@pytest.mark.parametrize(("tries", "is_right"), [(0, False), (1, True), (3, True), (4, False)])
def test_h011_one_to_three_retries(tries: int, is_right: bool) -> None:
    if is_right:
        assert MetricConfig(metric="bleu", retry_on_failure=tries).retry_on_failure == tries
    else:
        with pytest.raises(ValidationError):
            MetricConfig(metric="bleu", retry_on_failure=tries)


def test_h013_texts_of_a_case_stay_as_written(load_more: Load) -> None:
    loaded = load_more("test_cases:\n  - {name: 1, input: 0123, ground_truth: no, tags: [3.10, yes]}\n")
    (case,) = loaded.require().test_cases
    assert (case.name, case.input, case.ground_truth, case.tags) == ("1", "0123", "no", ("3.10", "yes"))


def test_h013_an_empty_list_of_tools_differs_from_none(load_more: Load) -> None:
    first, second, third = (
        load_more("test_cases:\n  - {input: a, expected_tools: []}\n  - {input: b}\n  - {input: c, expected_tools: }\n")
        .require()
        .test_cases
    )
    assert (first.expected_tools, second.expected_tools, third.expected_tools) == ((), None, None)


def test_h013_expected_tools_with_arguments_and_counts(load_more: Load) -> None:
    text = (
        PRICE + "test_cases:\n  - input: a\n    order: in_order\n    forbidden_tools: [price]\n    expected_tools:\n"
        "      - price\n      - name: price\n        count: 2\n"
        "        args: {sku: {regex: 0123}, n: 3, size: {fuzzy: 12 %}, any: {any: true}, d: {a: 1, b: 2}}\n"
    )
    (case,) = load_more(text).require().test_cases
    assert case.expected_tools is not None
    plain, full = case.expected_tools
    assert (plain.name, plain.args, plain.count) == ("price", {}, None)
    assert full.args == {
        "sku": {"regex": "0123"},
        "n": 3,
        "size": {"fuzzy": "12 %"},
        "any": {"any": True},
        "d": {"a": 1, "b": 2},
    }


def test_h013_a_case_may_name_its_metrics_or_bring_them(load_more: Load) -> None:
    (case,) = (
        load_more("test_cases:\n  - {input: a, evaluations: [bleu, {metric: rouge, threshold: 0.3}]}\n")
        .require()
        .test_cases
    )
    assert case.evaluations == ("bleu", MetricConfig(metric="rouge", threshold=0.3))


def test_h014_files_of_a_case(load_more: Load) -> None:
    (case,) = (
        load_more(
            "test_cases:\n  - input: a\n    checks: none\n    files:\n"
            "      - {path: prompt.md, type: text, description: P.}\n"
            "      - {url: 'https://x/y.pdf', type: pdf, pages: [1, 12], cache: off}\n"
            "      - {path: prompt.md, type: excel, sheet: 2024, range: A1:E100}\n"
        )
        .require()
        .test_cases
    )
    text, pdf, excel = case.files
    assert (text.path, pdf.url, pdf.pages, pdf.cache) == ("prompt.md", "https://x/y.pdf", (1, 12), False)
    assert (excel.sheet, excel.range) == ("2024", "A1:E100")


def test_h018_a_variants_model_takes_what_it_does_not_say_from_the_agent(load: Load) -> None:
    loaded = load(
        HEAD.replace("gpt-4o-mini", "gpt-4o-mini\n  endpoint: http://x\n  temperature: 0.1")
        + "variants:\n  - {name: hot, model: {temperature: 1}}\n  - {name: other, model: 'anthropic:claude'}\n"
    )
    hot, other = loaded.require().variants
    assert hot.model == ModelConfig(provider="openai", name="gpt-4o-mini", endpoint="http://x", temperature=1)
    assert other.model == ModelConfig(provider="anthropic", name="claude")


def test_h019_loading_twice_gives_equal_objects_and_writes_nothing(load_more: Load, project: Path) -> None:
    text = PRICE + "test_cases:\n  - {input: a, expected_tools: [price]}\n"
    first = load_more(text)
    before = sorted((path, path.stat().st_mtime_ns) for path in project.rglob("*"))
    second = load_more(text)
    assert first == second
    assert first.require() == second.require()
    after = sorted((path, path.stat().st_mtime_ns) for path in project.rglob("*") if path.name != "agent.yaml")
    assert after == [entry for entry in before if entry[0].name != "agent.yaml"]


def test_blocks_left_empty_count_as_left_out(load_more: Load) -> None:
    config = load_more("tools:\nevaluations:\ntest_cases:\nlimits:\nhooks:\ndescription:\n").require()
    assert (config.tools, config.evaluations, config.test_cases, config.limits.max_turns) == ((), None, (), 20)


def test_p012_a_stray_key_and_the_block_that_lost_it_are_both_told(load: Load) -> None:
    loaded = load("name: a\nmodel:\nprovider: openai\ninstructions: Hi.\n")
    assert told(loaded) == [(2, "ST104"), (3, "ST102")]


@pytest.mark.parametrize(
    ("written", "kinds"),
    [
        ("{contains: a, max_latency_ms: 100}", ["contains", "max_latency_ms"]),
        ("[contains: a, equals: 3.10]", ["contains", "equals"]),
        ("{json_path: $.a, equals: 3}", ["json_path"]),
        ("[not: {regex: a}]", ["regex"]),
        ("[python: 'tools.py:price']", ["python"]),
        ("[json_schema: {type: object}]", ["json_schema"]),
    ],
)
def test_checks_may_be_a_list_or_one_block(load_more: Load, written: str, kinds: list[str]) -> None:
    (case,) = load_more(f"test_cases:\n  - input: a\n    checks: {written}\n").require().test_cases
    assert case.checks is not None
    assert [check.kind for check in case.checks] == kinds


def test_checks_keep_texts_and_say_what_is_turned_round(load_more: Load) -> None:
    checks = "[equals: 3.10, {json_path: $.a, equals: 3.10}, not: {contains: [a, 1]}]"
    (case,) = load_more(f"test_cases:\n  - input: a\n    checks: {checks}\n").require().test_cases
    assert case.checks is not None
    text_check, path_check, negated = case.checks
    assert (text_check.value, path_check.settings, negated.negated) == ("3.10", {"equals": 3.1}, True)
    assert negated.value == ("a", "1")


def test_p021_a_case_that_checks_nothing_is_a_warning_unless_it_says_so(load_more: Load) -> None:
    loaded = load_more("test_cases:\n  - {input: a}\n  - {input: b, checks: none}\n  - {input: c, skip: later}\n")
    assert told(loaded) == [(8, "ST501")]
    assert [case.checks for case in loaded.require().test_cases] == [(), None, ()]


@pytest.mark.parametrize(
    "more",
    [
        "evaluations: [bleu]\ntest_cases: [{input: a}]\n",
        "test_cases: [{input: a, expected_tools: []}]\n",
        "test_cases: [{input: a, evaluations: [bleu]}]\n",
        "test_cases: [{input: a, checks: {contains: x}}]\n",
        "test_cases: [{turns: [{input: a}, {input: b, checks: {contains: x}}]}]\n",
    ],
)
def test_p021_anything_that_can_fail_is_a_check(load_more: Load, more: str) -> None:
    assert told(load_more(more)) == []


@pytest.mark.parametrize(
    "more",
    [
        "evaluations: [{metric: bleu, enabled: false}]\ntest_cases: [{input: a}]\n",
        "evaluations: [bleu]\ntest_cases: [{input: a, evaluations: []}]\n",
        "test_cases: [{input: a, ground_truth: b}]\n",
        "test_cases: [{turns: [{input: a}, {input: b}]}]\n",
    ],
)
def test_p021_what_cannot_fail_is_none(load_more: Load, more: str) -> None:
    assert [finding.code for finding in load_more(more).diagnostics] == ["ST501"]


@pytest.mark.parametrize(("written", "pair"), [("3", (None, 3)), ("2 of 3", (3, 2)), ("2/3", (3, 2))])
def test_a_case_says_how_many_tries_must_pass(written: str, pair: tuple[int | None, int]) -> None:
    case = CaseConfig.model_validate({"input": "a", "require": written} | ({"repeat": 3} if pair[0] is None else {}))
    assert (case.repeat, case.require) == (3, pair[1])


def test_entities_are_frozen_and_made_from_plain_values_too() -> None:
    config = AgentConfig.model_validate({"name": "a", "model": "openai:x", "instructions": {"inline": "Hi."}})
    with pytest.raises(ValidationError):
        config.name = "b"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="`nmae` is not a key"):
        AgentConfig.model_validate({"nmae": "a", "model": "openai:x", "instructions": "Hi."})
