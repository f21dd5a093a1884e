"""Hosts asked whether they are there, take the key and have the model. Nothing is generated and nothing costs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from difflib import get_close_matches

from seatrial.assembly.mcp import mcp_settings
from seatrial.cli.doctor.finding import Finding, ok, problem
from seatrial.config.loaded import LoadedAgent
from seatrial.config.mcp import McpToolConfig
from seatrial.core.model import Model
from seatrial.errors import ProviderError
from seatrial.http_client.client import HttpClient, Timeouts
from seatrial.providers.http_model import HttpModel

_OUTSIDE = 3
_PATIENCE = Timeouts(connect_s=5.0, idle_s=10.0)
_MOST_BYTES = 8_000_000
_REFUSED = (401, 403)


async def ask_hosts(models: Sequence[Model], loaded: LoadedAgent) -> list[Finding]:
    """What every host says, asked side by side."""
    questions = [_model(model) for model in models if isinstance(model, HttpModel)]
    remote = [tool for tool in loaded.require().tools if isinstance(tool, McpToolConfig)]
    questions += [_server(tool.name, url) for tool in remote if (url := mcp_settings(tool, loaded).url)]
    return list(await asyncio.gather(*questions))


def hosts_of(models: Sequence[Model], loaded: LoadedAgent) -> list[str]:
    """Whom `ask_hosts` would ask."""
    hosts = [model.host for model in models if isinstance(model, HttpModel)]
    remote = [tool for tool in loaded.require().tools if isinstance(tool, McpToolConfig)]
    return list(dict.fromkeys([*hosts, *(url for tool in remote if (url := mcp_settings(tool, loaded).url))]))


async def _model(model: HttpModel) -> Finding:
    about = f"host {model.host}"
    try:
        reply = await model.ask_for_models(_PATIENCE)
    except ProviderError as error:
        return problem(about, error.message, error.hint or _how_to_start(model), _OUTSIDE)
    if reply.status in _REFUSED:
        mend = f"check the key of provider {model.provider}: it may be of another account, or have ended"
        return problem(about, f"refused the key (status {reply.status})", mend)
    if reply.status >= 500:
        return problem(about, f"is in trouble (status {reply.status})", "try again later", _OUTSIDE)
    names = _names(reply.body) if reply.status == 200 else []
    if names and not _has(names, model.name):
        near = get_close_matches(model.name, names, n=3, cutoff=0.3)
        mend = f"write one of these as `name:`: {', '.join(near or names[:5])}"
        return problem(about, f"does not list the model {model.name!r}", _how_to_pull(model) or mend)
    return ok(about, "can be reached" + (f", takes the key and has {model.name}" if names else ""))


async def _server(name: str, url: str) -> Finding:
    client = HttpClient(timeouts=_PATIENCE)
    try:
        await client.get(url, headers={"accept": "text/event-stream"}, max_bytes=_MOST_BYTES)
    except ProviderError as error:
        return problem(f"MCP server {name}", error.message, error.hint or "start it, or correct its `url`", _OUTSIDE)
    finally:
        await client.close()
    return ok(f"MCP server {name}", "its host can be reached")


def _names(body: bytes) -> list[str]:
    """The models in a list of OpenAI's, Anthropic's or Ollama's form; none when it is no such list."""
    try:
        document = json.loads(body)
    except ValueError:
        return []
    entries = (document.get("data") or document.get("models") or []) if isinstance(document, dict) else []
    named = [entry.get("id") or entry.get("name") for entry in entries if isinstance(entry, dict)]
    return [name for name in named if isinstance(name, str)]


def _has(names: Sequence[str], wanted: str) -> bool:
    """Ollama lists tags: ``llama3`` is ``llama3:latest``. Vendors list a model under its dated name, too."""
    return any(name == wanted or name == f"{wanted}:latest" or name.startswith(f"{wanted}-20") for name in names)


def _how_to_start(model: HttpModel) -> str:
    if model.provider == "ollama":
        return "ollama serve"
    return "start the server, or correct `endpoint` under `model:`; behind a proxy set HTTPS_PROXY"


def _how_to_pull(model: HttpModel) -> str:
    return f"ollama pull {model.name}" if model.provider == "ollama" else ""
