"""OpenAI's models on Azure: deployments, API versions, keys and Entra tokens."""

from __future__ import annotations

from urllib.parse import quote

from seatrial.errors import ConfigError
from seatrial.providers.base import ProviderOptions
from seatrial.providers.compat import Compat, compat_of
from seatrial.providers.connection import base_url, required_key, variable
from seatrial.providers.http_model import HttpModel
from seatrial.providers.openai import first_party_compat, is_reasoning
from seatrial.providers.token_command import TokenCommand
from seatrial.providers.wire import HeaderSource, chat_wire, fixed_headers

PROVIDER = "azure_openai"
API_VERSION = "2024-10-21"
ENTRA_COMMAND = "az account get-access-token --resource https://cognitiveservices.azure.com"


class AzureOpenAIModel(HttpModel):
    """A deployment on Azure. The key is ``AZURE_OPENAI_API_KEY`` where the block gives none.

    With ``auth_provider: oauth_token`` a token of Microsoft Entra stands in for the key: ``AZURE_OPENAI_AD_TOKEN``, or
    what ``compat: {token_command: …}`` prints.
    """

    def __init__(self, options: ProviderOptions) -> None:
        endpoint = options.endpoint or variable(options, "AZURE_OPENAI_ENDPOINT")
        if not endpoint:
            raise ConfigError(
                f"`provider: {PROVIDER}` has no endpoint: the variable AZURE_OPENAI_ENDPOINT is not set",
                hint="write `endpoint: https://NAME.openai.azure.com` under `model:`",
            )
        compat = _compat(options)
        sign, secret = _proof(options, compat)
        deployment = options.deployment_name or options.name
        wire = chat_wire(
            url=deployment_url(endpoint, deployment, _version(options)),
            model=deployment,
            reader=f"{PROVIDER}/{options.name}",
            sign=sign,
            compat=compat,
        )
        super().__init__(PROVIDER, options, compat, wire, secrets=(secret,))


def deployment_url(endpoint: str, deployment: str, api_version: str) -> str:
    """The URL of a deployment's chat completions; an endpoint of the v1 API names the deployment in the body."""
    base = base_url(endpoint)
    if base.endswith("/openai/v1"):
        return f"{base}/chat/completions"
    root = base.removesuffix("/openai")
    path = f"openai/deployments/{quote(deployment, safe='')}/chat/completions"
    return f"{root}/{path}?api-version={quote(api_version, safe='')}"


def _compat(options: ProviderOptions) -> Compat:
    """Only models that reason need the new name of ``max_tokens``, which old API versions do not know."""
    field = "max_completion_tokens" if is_reasoning(options) else "max_tokens"
    told = first_party_compat(options)
    if "max_tokens_field" in options.compat:
        return told
    return compat_of({"max_tokens_field": field}, {name: getattr(told, name) for name in told.__struct_fields__})


def _version(options: ProviderOptions) -> str:
    return options.api_version or variable(options, "OPENAI_API_VERSION") or API_VERSION


def _proof(options: ProviderOptions, compat: Compat) -> tuple[HeaderSource, str | None]:
    """The headers' source, and the secret in them that must not be shown."""
    if options.auth_provider not in (None, "api_key", "oauth_token"):
        raise ConfigError(
            f"`auth_provider: {options.auth_provider}` is not known to `provider: {PROVIDER}`",
            hint="write api_key or oauth_token",
        )
    if options.auth_provider == "oauth_token" or compat.token_command is not None:
        token = variable(options, "AZURE_OPENAI_AD_TOKEN")
        if token and compat.token_command is None:
            return fixed_headers(compat, authorization=f"Bearer {token}"), token
        return TokenCommand(compat.token_command or ENTRA_COMMAND, compat.headers).headers, None
    key = required_key(options, PROVIDER, "AZURE_OPENAI_API_KEY")
    return fixed_headers(compat, api_key=key), key
