from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.config.conftest import HEAD, Load

from seatrial.config.loaded import LoadedAgent
from seatrial.config.loader import load_agent
from seatrial.config.secrets import is_secret_name, mask, masked, secret_values

CANARY = "canary-7f3a91"


@pytest.mark.parametrize(
    "name",
    [
        "api_key", "KEY", "OPENAI_API_KEY", "token", "GITHUB_TOKEN", "client_secret", "password", "DB_PASSWORD",
        "Authorization", "credentials_file", "connection_string", "x-api-key",
    ],
)  # fmt: skip
def test_h016_names_that_hold_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    ["name", "max_tokens", "maxTokens", "max_output_tokens", "tokens", "keyword_weight", "tokenizer", "endpoint"],
)
def test_h016_names_that_only_sound_alike(name: str) -> None:
    assert not is_secret_name(name)


def tool(**keys: str) -> str:
    return HEAD + "tools:\n  - name: m\n    description: d\n" + "".join(f"    {k}: {v}\n" for k, v in keys.items())


PLACES = {
    "a key": HEAD.replace("gpt-4o-mini", f"gpt-4o-mini\n  api_key: {CANARY}"),
    "a variable": HEAD.replace("gpt-4o-mini", "gpt-4o-mini\n  endpoint: http://${MY_TOKEN}.x"),
    "env": tool(type="mcp", server="p", env=f"{{DEBUG: {CANARY}}}"),
    "headers": tool(type="mcp", server="p", headers=f"{{X: Bearer {CANARY}}}"),
    "config": tool(type="mcp", server="p", config=f"\n      env:\n        A: {CANARY}"),
    "a database": tool(
        type="vectorstore", source="data", database=f"{{connection_string: 'postgres://u:{CANARY}@h/d'}}"
    ),
    "an address": tool(type="mcp", url=f"'https://u:{CANARY}@h/mcp'"),
    "a query": tool(type="mcp", url=f"'https://h/mcp?api_key={CANARY}'"),
    "a signature": HEAD.replace("gpt-4o-mini", f"gpt-4o-mini\n  endpoint: https://h/v1?page=2&sig={CANARY}%2Fx"),
    "a query of any name": HEAD.replace("gpt-4o-mini", f"gpt-4o-mini\n  endpoint: https://h/v1?whatever={CANARY}"),
    "a query without a name": tool(type="mcp", url=f"https://h/mcp?{CANARY}"),
    "an option": tool(type="mcp", command="x", args=f"[--api-key, {CANARY}]"),
    "an option with =": tool(type="mcp", command="x", args=f"[--token={CANARY}]"),
}
BREAKAGES = {
    "nothing": "",
    "a wrong value everywhere near": "limits: {max_turns: x}\n",
    "broken YAML behind": "author: 'open\n",
    "broken YAML of another kind": "a: b: c\n",
}


def everything_told(loaded: LoadedAgent) -> str:
    texts = [
        finding.as_text() + finding.as_github_annotation() + json.dumps(finding.as_dict())
        for finding in loaded.diagnostics
    ]
    config = json.dumps(loaded.public_config()) if loaded.config is not None else ""
    return "".join(texts) + config + repr(loaded) + repr(loaded.config)


@pytest.mark.parametrize("breakage", BREAKAGES.values(), ids=BREAKAGES)
@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES)
def test_h016_a_canary_in_each_place_is_never_told(load: Load, text: str, breakage: str) -> None:
    loaded = load(text + breakage, {"MY_TOKEN": CANARY})
    assert CANARY not in everything_told(loaded)
    if not breakage:
        assert loaded.config is not None
        assert any(CANARY in secret for secret in loaded.secrets)


@pytest.mark.parametrize(
    "line",
    [
        f"api_key: '{CANARY}",
        f'api_key: "{CANARY}\n  name: x',
        f"api_key: {CANARY}: x",
        f"api_key: [{CANARY}",
        f"\tapi_key: {CANARY}",
    ],
)
def test_h016_a_secret_on_the_very_line_that_does_not_parse_is_hidden(load: Load, line: str) -> None:
    loaded = load(HEAD.replace("gpt-4o-mini", f"gpt-4o-mini\n  {line}"))
    assert loaded.errors
    assert CANARY not in everything_told(loaded)


@pytest.mark.parametrize("line", [f"      X: '{CANARY}", f"      - {CANARY}: : x", f"      {CANARY} x: [\n"])
def test_h016_below_env_and_headers_every_line_is_hidden(load: Load, line: str) -> None:
    loaded = load(HEAD + f"tools:\n  - name: m\n    type: mcp\n    env:\n{line}\n")
    assert loaded.errors
    assert CANARY not in everything_told(loaded)


def test_h016_a_secret_of_the_wrong_type_is_not_shown(load: Load) -> None:
    loaded = load(
        HEAD.replace("gpt-4o-mini", f"gpt-4o-mini\n  max_tokens: ${{MY_KEY}}\n  api_key: [{CANARY}]"),
        {"MY_KEY": CANARY},
    )
    assert len(loaded.errors) == 2
    assert CANARY not in everything_told(loaded)


def test_h016_secrets_of_the_environment_count_though_the_file_does_not_name_them(load: Load, project: Path) -> None:
    (project / ".env").write_text(f"OPENAI_API_KEY={CANARY}-file\n")
    loaded = load(HEAD, {"ANTHROPIC_API_KEY": CANARY + "-process", "LANG": "C.UTF-8-long"})
    assert loaded.secrets == {CANARY + "-file", CANARY + "-process"}


def test_a_variables_name_stays_visible_in_the_shown_line(load: Load) -> None:
    loaded = load(HEAD.replace("gpt-4o-mini", "gpt-4o-mini\n  api_key: ${NOBODY_KEY}"))
    assert loaded.errors[0].snippet == "  api_key: ${NOBODY_KEY}"


def test_texts_of_test_cases_and_schemas_are_no_secrets() -> None:
    data = {
        "test_cases": [{"input": "x", "expected_tools": [{"args": {"api_key": "shipping"}}]}],
        "response_format": {"properties": {"token": {"type": "string"}}},
    }
    assert secret_values(data) == set()
    assert masked(data) == data


@pytest.mark.parametrize("text", ["x canary-7f3a91 y", '{"a": "canary-7f3a91"}', "http://h?x=canary-7f3a91"])
def test_a_secret_is_masked_wherever_it_stands(text: str) -> None:
    assert CANARY not in mask(text, {CANARY})


def test_a_secret_with_odd_characters_is_masked_in_its_escaped_forms() -> None:
    secret = 'pa"ss\nwörd/1'
    for text in (json.dumps(secret), json.dumps(secret, ensure_ascii=False), "http://h/pa%22ss%0Aw%C3%B6rd%2F1"):
        assert "rd" not in mask(text, {secret})


def test_an_address_without_a_query_holds_no_secret() -> None:
    assert secret_values({"model": {"endpoint": "http://127.0.0.1:8000/v1"}}) == set()


def test_short_values_are_not_searched_for() -> None:
    assert mask("the answer is true", {"true", "1"}) == "the answer is true"


def test_a_secret_that_is_a_key_is_masked_like_one_that_is_a_value() -> None:
    assert masked({"users": [{CANARY: 1, f"of {CANARY}": {"name": CANARY}}]}, {CANARY}) == {
        "users": [{"[secret]": 1, "of [secret]": {"name": "[secret]"}}]
    }


def test_the_longest_of_overlapping_secrets_is_masked_whole() -> None:
    assert mask("abcdefgh-tail", {"abcdefgh", "abcdefgh-tail"}) == "[secret]"


def test_ordinary_words_of_a_query_are_masked_in_the_address_alone() -> None:
    address = "postgres://h/d?sslmode=require&code=hello-you&api-version=2024-10-21&n=12"
    found = secret_values({"endpoint": address})
    assert found == {"sslmode=require", "hello-you", "n=12"}
    assert mask("they require n=12", found) == "they require n=12"
    assert mask(address, found) == "postgres://h/d?[secret]&code=[secret]&api-version=2024-10-21&n=12"
    assert secret_values({"description": "see https://h/?page=overview-of-all"}) == set()


SERVER = "name: x\nmodel: local:minilm-extractive\ninstructions: Hi.\ntools:\n  - name: t\n    type: mcp\n"


@pytest.mark.parametrize(
    ("line", "shown", "caret"),
    [
        ('headers: {Authorization: "Bearer ${TOKEN}"}', 'headers: {Authorization: "Bearer ${TOKEN}"}', "${TOKEN}"),
        ('env: {STOCK_KEY: "${STOCK_KEY}"}', 'env: {STOCK_KEY: "${STOCK_KEY}"}', "${STOCK_KEY}"),
        (
            'headers: {X: sk-4711-long-enough, A: "Bearer ${TOKEN}"}',
            'headers: {X: [secret], A: "Bearer ${TOKEN}"}',
            "${TOKEN}",
        ),
        (
            "env: {A: 'x y ${UNSET}z', B: [p, q]}",
            "env: {A: '[secret]${UNSET}[secret]', B: [[secret], [secret]]}",
            "${UNSET}",
        ),
        ("env: {A: '${UNSET:-abc${TOKEN}}'}", "env: {A: '${UNSET:-[secret]${TOKEN}}'}", "${"),
        ("url: https://x.org/?a=${TOKEN}&key=abcdef", "url: https://x.org/?[secret]${TOKEN}[secret]", "${TOKEN}"),
        ("headers: {A: 'Bearer abc-${TOKEN}'}", "headers: {A: 'Bearer [secret]${TOKEN}'}", "${TOKEN}"),
    ],
)
def test_only_the_secret_text_of_a_line_is_masked_and_the_caret_stays_at_its_variable(
    tmp_path: Path, line: str, shown: str, caret: str
) -> None:
    path = tmp_path / "agent.yaml"
    path.write_text(f"{SERVER}    description: d.\n    server: x\n    {line}\n", encoding="utf-8")
    errors = [finding for finding in load_agent(path, environ={}).errors if finding.code == "ST303"]
    _, snippet, pointer, *_ = errors[0].as_text().splitlines()
    assert snippet.endswith(f"|     {shown}")
    assert snippet[pointer.index("^") :].startswith(caret)
