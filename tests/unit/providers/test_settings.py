"""What a ``model:`` block and the environment make of a provider, seen from the server's side."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.fake_server import FakeServer, Request, json_answer
from tests.support.wires import WIRES, Said

from seatrial.core.messages import AssistantMessage, UserMessage
from seatrial.core.model import Model, ModelInfo, ModelRequest, Sampling
from seatrial.errors import ConfigError
from seatrial.providers.anthropic import messages_url, takes_sampling
from seatrial.providers.azure_openai import deployment_url
from seatrial.providers.base import ProviderOptions
from seatrial.providers.catalog import PROVIDERS
from seatrial.providers.compat import ANY_ENDPOINT, PRESETS, compat_of, preset_for
from seatrial.providers.connection import http_client
from seatrial.providers.ollama import ollama_url
from seatrial.providers.openai import is_reasoning
from seatrial.providers.openai_compatible import chat_url

HELLO = ModelRequest("", (UserMessage("Hi."),), sampling=Sampling(temperature=0.5, max_tokens=9))


def model(provider: str, *, environ: dict[str, str] | None = None, name: str = "some-model", **options: Any) -> Model:
    return PROVIDERS.load(provider)(ProviderOptions(name=name, environ=environ or {}, **options))


async def asked(provider: str, path: str = "", *, said: Any = None, **options: Any) -> tuple[Request, AssistantMessage]:
    """The request that reached the server, and the reply."""
    wire = WIRES["openai-responses" if "responses" in str(options.get("compat")) else provider]
    async with FakeServer(json_answer(said or wire.whole(Said("Hello.")))) as server:
        asker = model(provider, endpoint=server.url + path, **options)
        reply = await asker.respond(HELLO)
        await asker.close()
        assert len(server.requests) == 1, reply.error_message
        return server.requests[0], reply


@pytest.mark.parametrize(
    ("provider", "variable"),
    [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY"), ("azure_openai", "AZURE_OPENAI_API_KEY")],
)
def test_a_missing_key_is_one_error_before_any_request(provider: str, variable: str) -> None:
    with pytest.raises(ConfigError, match=variable) as caught:
        model(provider, endpoint="http://127.0.0.1:1")
    assert variable in (caught.value.hint or "")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("provider", "environ", "header", "value"),
    [
        ("openai", {"OPENAI_API_KEY": "k-123"}, "authorization", "Bearer k-123"),
        ("openai", {"OPENAI_API_KEY": "k", "OPENAI_ORG_ID": "org"}, "openai-organization", "org"),
        ("openai", {"OPENAI_API_KEY": "k", "OPENAI_PROJECT_ID": "p"}, "openai-project", "p"),
        ("azure_openai", {"AZURE_OPENAI_API_KEY": " k-123\n"}, "api-key", "k-123"),
        ("anthropic", {"ANTHROPIC_API_KEY": "k-123"}, "x-api-key", "k-123"),
        ("anthropic", {"ANTHROPIC_API_KEY": "k-123"}, "anthropic-version", "2023-06-01"),
    ],
)
async def test_keys_come_from_the_names_that_the_vendors_document(
    provider: str, environ: dict[str, str], header: str, value: str
) -> None:
    request, _ = await asked(provider, environ=environ)
    assert request.headers[header] == value


async def test_the_key_of_the_block_goes_before_the_environment() -> None:
    request, _ = await asked("openai", environ={"OPENAI_API_KEY": "k-env"}, api_key="k-block")
    assert request.headers["authorization"] == "Bearer k-block"


async def test_the_environment_of_the_process_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k-process")
    async with FakeServer(json_answer(WIRES["openai"].whole(Said("Hi.")))) as server:
        asker = PROVIDERS.load("openai")(ProviderOptions(name="m", endpoint=server.url))
        await asker.respond(HELLO)
        await asker.close()
        assert server.requests[0].headers["authorization"] == "Bearer k-process"


async def test_endpoints_come_from_the_environment_too() -> None:
    said = json_answer(WIRES["openai"].whole(Said("Hi.")))
    async with FakeServer(said) as server:
        asker = model("openai", environ={"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{server.url}/v9/"})
        await asker.respond(HELLO)
        await asker.close()
        assert server.requests[0].path == "/v9/chat/completions"


async def test_an_unknown_endpoint_needs_no_key_and_gets_none_from_the_environment() -> None:
    keys = {name: "secret" for preset in PRESETS.values() for name in preset.key_variables}
    request, reply = await asked("openai_compatible", environ=keys)
    assert reply.text == "Hello."
    assert "secret" not in str(request.headers)


def test_an_endpoint_is_needed_where_there_is_no_usual_one() -> None:
    with pytest.raises(ConfigError, match="endpoint"):
        model("openai_compatible")
    with pytest.raises(ConfigError, match="AZURE_OPENAI_ENDPOINT"):
        model("azure_openai", api_key="k-123")


@pytest.mark.parametrize("endpoint", ["localhost:8000", "ftp://x", "http://", "   "])
def test_an_endpoint_that_is_no_url_is_an_error(endpoint: str) -> None:
    with pytest.raises(ConfigError):
        model("openai_compatible", endpoint=endpoint)


@pytest.mark.parametrize(
    ("endpoint", "url"),
    [
        ("http://h:1", "http://h:1/v1/chat/completions"),
        ("http://h:1/", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/", "http://h:1/v1/chat/completions"),
        ("http://h/api/v3", "http://h/api/v3/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
    ],
)
def test_a_base_url_becomes_the_url_of_chat_completions(endpoint: str, url: str) -> None:
    assert chat_url(endpoint) == url


@pytest.mark.parametrize(
    ("endpoint", "url"),
    [
        ("https://h", "https://h/v1/messages"),
        ("https://h/v1/", "https://h/v1/messages"),
        ("https://h/anthropic", "https://h/anthropic/v1/messages"),
        ("https://h/v1/messages", "https://h/v1/messages"),
    ],
)
def test_the_url_of_anthropic(endpoint: str, url: str) -> None:
    assert messages_url(endpoint) == url


@pytest.mark.parametrize(
    ("endpoint", "url"),
    [
        ("gpu-box", "http://gpu-box:11434/api/chat"),
        ("h:99", "http://h:99/api/chat"),
        ("https://h/", "https://h/api/chat"),
        ("http://h:1/v1", "http://h:1/api/chat"),
        ("http://h:1/api", "http://h:1/api/chat"),
    ],
)
def test_the_url_of_ollama(endpoint: str, url: str) -> None:
    assert ollama_url(endpoint) == url


def test_case_128_the_url_of_a_deployment() -> None:
    version = "2024-10-21"
    path = "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21"
    assert deployment_url("https://n.openai.azure.com/", "my gpt", version) == f"https://n.openai.azure.com{path}"
    assert (
        deployment_url("https://h/openai", "d", "v") == "https://h/openai/deployments/d/chat/completions?api-version=v"
    )
    assert deployment_url("https://h/openai/v1/", "d", "v") == "https://h/openai/v1/chat/completions"


async def test_case_128_azure_asks_the_deployment_in_the_version_of_the_block() -> None:
    request, reply = await asked("azure_openai", api_key="k-123", deployment_name="dep", api_version="2025-01-01")
    assert request.path == "/openai/deployments/dep/chat/completions?api-version=2025-01-01"
    assert request.body["max_tokens"] == 9
    assert reply.model == "some-model"


@pytest.mark.parametrize("provider", ["openai", "azure_openai"])
async def test_case_128_a_model_that_reasons_takes_other_settings_and_says_so(provider: str) -> None:
    request, reply = await asked(provider, api_key="k-123", name="o9-mini")
    assert request.body["max_completion_tokens"] == 9
    assert "temperature" not in request.body
    assert "temperature" in reply.warnings[0]
    info = ModelInfo("m", "m", provider, is_reasoning=False)
    request, reply = await asked(provider, api_key="k-123", name="o9-mini", info=info)
    assert request.body["temperature"] == 0.5
    assert reply.warnings == ()


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("claude-3-5-sonnet-20241022", True),
        ("claude-3-opus-latest", True),
        ("claude-sonnet-4-20250514", True),
        ("claude-opus-4-6", True),
        ("claude-haiku-4-5-20251001", True),
        ("claude-opus-4-7", False),
        ("claude-opus-4.8", False),
        ("claude-sonnet-5", False),
        ("claude-opus-5-20260801", False),
        ("anthropic/claude-haiku-5-5", False),
        ("claude-fable-5", False),
        ("claude-mythos-preview", False),
        ("my-deployment", True),
    ],
)
def test_claude_takes_a_temperature_up_to_a_version(name: str, takes: bool) -> None:
    assert takes_sampling(name) is takes


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("o3-mini", True),
        ("gpt-5", True),
        ("gpt-5.1", True),
        ("gpt-6-mini", True),
        ("gpt-5-chat-latest", False),
        ("gpt-4o", False),
    ],
)
def test_openai_models_that_reason_are_known_by_name(name: str, reasons: bool) -> None:
    assert is_reasoning(ProviderOptions(name)) is reasons


async def test_a_temperature_that_the_model_refuses_is_not_sent_and_told() -> None:
    request, reply = await asked("anthropic", api_key="k-123", name="claude-opus-5")
    assert "temperature" not in request.body
    assert "temperature" in reply.warnings[0]
    compat = {"has_sampling": True}
    request, reply = await asked("anthropic", api_key="k-123", name="claude-opus-5", compat=compat)
    assert (request.body["temperature"], reply.warnings) == (0.5, ())


async def test_case_128_a_filtered_prompt_is_its_own_ending() -> None:
    body = {"error": {"message": "The prompt was filtered.", "code": "content_filter", "status": 400}}
    async with FakeServer(json_answer(body, 400)) as server:
        asker = model("azure_openai", endpoint=server.url, api_key="k-123")
        reply = await asker.respond(HELLO)
        await asker.close()
    assert reply.stop_reason == "content_filter"
    assert "filtered" in (reply.error_message or "")


def script(folder: Path, text: str) -> str:
    path = folder / "token.py"
    path.write_text(text, encoding="utf-8")
    return f"{sys.executable} {path}"


async def test_azure_takes_the_token_that_a_command_prints_and_keeps_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = script(tmp_path, f"open({str(log)!r}, 'a').write('x'); print('tok-123')")
    answers = [json_answer(WIRES["openai"].whole(Said("Hi.")))] * 2
    async with FakeServer(*answers) as server:
        asker = model("azure_openai", endpoint=server.url, compat={"token_command": command})
        for _ in range(2):
            await asker.respond(HELLO)
        await asker.close()
        assert [request.headers["authorization"] for request in server.requests] == ["Bearer tok-123"] * 2
    assert log.read_text() == "x"


async def test_azure_reads_the_token_out_of_the_command_of_its_own_tool(tmp_path: Path) -> None:
    said = '{"accessToken": "tok-456", "expires_on": 4102444800, "tokenType": "Bearer"}'
    command = script(tmp_path, f"print({said!r})")
    request, _ = await asked("azure_openai", compat={"token_command": command})
    assert request.headers["authorization"] == "Bearer tok-456"
    assert "api-key" not in request.headers


@pytest.mark.parametrize(
    ("text", "words"),
    [("raise SystemExit('not logged in')", "not logged in"), ("print('')", "no token"), ("print('{broken')", "JSON")],
)
async def test_a_token_command_that_fails_is_told(tmp_path: Path, text: str, words: str) -> None:
    asker = model("azure_openai", endpoint="http://127.0.0.1:1", compat={"token_command": script(tmp_path, text)})
    reply = await asyncio.wait_for(asker.respond(HELLO), 10)
    await asker.close()
    assert reply.stop_reason == "error"
    assert words in (reply.error_message or "")


async def test_a_token_command_that_is_not_there_is_told() -> None:
    asker = model("azure_openai", endpoint="http://127.0.0.1:1", compat={"token_command": "no-such-command"})
    reply = await asker.respond(HELLO)
    await asker.close()
    assert "no-such-command" in (reply.error_message or "")


async def test_an_entra_token_may_stand_in_the_environment() -> None:
    request, _ = await asked("azure_openai", environ={"AZURE_OPENAI_AD_TOKEN": "tok-789"}, auth_provider="oauth_token")
    assert request.headers["authorization"] == "Bearer tok-789"


async def test_anthropic_takes_a_bearer_token() -> None:
    request, _ = await asked("anthropic", environ={"ANTHROPIC_AUTH_TOKEN": "tok-1"}, auth_provider="oauth_token")
    assert request.headers["authorization"] == "Bearer tok-1"
    assert "x-api-key" not in request.headers


@pytest.mark.parametrize("provider", ["anthropic", "azure_openai"])
def test_another_way_to_prove_who_asks_is_an_error(provider: str) -> None:
    with pytest.raises(ConfigError, match="bedrock"):
        model(provider, endpoint="http://h", api_key="k-123", auth_provider="bedrock")


async def test_openai_speaks_its_second_wire_when_told() -> None:
    request, reply = await asked("openai", "/v1", api_key="k-123", compat={"api": "responses"})
    assert request.path == "/v1/responses"
    assert reply.api == "openai_responses"


async def test_openai_gets_content_blocks_and_other_endpoints_strings() -> None:
    history = ModelRequest("Be kind.", (UserMessage("Hi."),))
    for provider, system in (("openai", [{"type": "text", "text": "Be kind."}]), ("openai_compatible", "Be kind.")):
        async with FakeServer(json_answer(WIRES[provider].whole(Said("Hi.")))) as server:
            asker = model(provider, endpoint=server.url, api_key="k-123")
            await asker.respond(history)
            await asker.close()
            assert server.requests[0].body["messages"][0]["content"] == system


async def test_headers_and_body_of_the_user_are_added() -> None:
    compat = {"headers": {"X-Team": "blue"}, "extra_body": {"top_k": 5, "temperature": 0.9}}
    request, _ = await asked("openai_compatible", compat=compat)
    assert request.headers["x-team"] == "blue"
    assert (request.body["top_k"], request.body["temperature"]) == (5, 0.9)


def test_every_preset_fits() -> None:
    for preset in PRESETS.values():
        assert compat_of(preset.settings)
        for host in preset.hosts:
            assert preset_for({}, f"https://{host}/v1") is preset
    assert preset_for({"preset": "deepseek"}, "http://localhost") is PRESETS["deepseek"]
    assert preset_for({}, "https://api.deepseek.com.evil.example/").hosts == ()


def test_the_user_stands_above_the_preset() -> None:
    compat = compat_of({"preset": "deepseek", "blocks": "all"}, ANY_ENDPOINT, PRESETS["deepseek"].settings)
    assert (compat.blocks, compat.json_mode, compat.max_tokens_field) == ("all", "json_object", "max_tokens")


@pytest.mark.parametrize(
    ("compat", "words"),
    [
        ({"preset": "deepsek"}, "did you mean 'deepseek'?"),
        ({"has_think_tag": True}, "did you mean 'has_think_tags'?"),
        ({"blocks": "some"}, "blocks"),
        ({"max_tries": "five"}, "max_tries"),
    ],
)
def test_a_wrong_setting_is_an_error_that_helps(compat: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        model("openai_compatible", endpoint="http://h", compat=compat)
    assert words in f"{caught.value.message} {caught.value.hint}"


def test_times_come_from_the_block_and_a_model_that_reasons_may_be_silent_for_longer() -> None:
    usual = http_client(ProviderOptions("m"), compat_of({})).timeouts
    assert (usual.connect_s, usual.idle_s, usual.whole_s, usual.total_s) == (10, 60, 300, 600)
    thinker = ModelInfo("m", "m", "p", is_reasoning=True)
    assert http_client(ProviderOptions("m", info=thinker), compat_of({})).timeouts.idle_s == 300
    told = http_client(ProviderOptions("m", timeout_s=5), compat_of({"idle_timeout_s": 2})).timeouts
    assert (told.idle_s, told.whole_s, told.total_s) == (2, 2, 5)


async def test_the_time_of_the_block_ends_a_request() -> None:
    async with FakeServer() as server:
        server.answers = [json_answer({"error": "busy"}, 503, retry_after="20")]
        asker = model("openai_compatible", endpoint=server.url, timeout_s=0.05)
        reply = await asyncio.wait_for(asker.respond(HELLO), 5)
        await asker.close()
    assert (reply.stop_reason, reply.error_code) == ("error", "timeout")


async def test_a_hundred_requests_at_once_do_not_mix() -> None:
    async with FakeServer() as server:
        asker = model("openai_compatible", endpoint=server.url)
        server.answers = [json_answer(WIRES["openai"].whole(Said(f"answer {n}"))) for n in range(100)]
        replies = await asyncio.gather(
            *(asker.respond(ModelRequest("", (UserMessage(f"question {n}"),))) for n in range(100))
        )
        await asker.close()
    assert {reply.text for reply in replies} == {f"answer {n}" for n in range(100)}


def test_options_do_not_show_their_secrets() -> None:
    shown = repr(ProviderOptions("m", api_key="k-canary", environ={"OPENAI_API_KEY": "k-canary"}))
    assert "canary" not in shown
