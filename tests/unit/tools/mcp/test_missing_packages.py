"""Packages that cannot be had, with the real `npx` and `uvx`: what they say, and the hint that is made of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.real_servers import programs
from tests.support.threaded_server import threaded_server

from seatrial.errors import McpError
from seatrial.tools.mcp.connection import McpConnection
from seatrial.tools.mcp.settings import McpSettings

NOBODY = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def empty_registry() -> Iterator[str]:
    """A registry that has no package."""
    with threaded_server() as server:
        yield server.url


async def hint_of(kind: str, package: str, registry: str, folder: Path) -> str:
    """What is said when the package is to be started as a server."""
    cache = str(folder / "cache")
    if kind == "npx":
        command, args = str(programs() / "npx"), ("-y", package)
        env = {"npm_config_registry": registry, "npm_config_fetch_retries": "0", "npm_config_cache": cache}
    else:
        command, args = str(Path(sys.executable).parent / "uvx"), (package,)
        env = {"UV_DEFAULT_INDEX": f"{registry}/simple", "UV_HTTP_RETRIES": "0", "UV_CACHE_DIR": cache}
        env |= {"UV_PYTHON": sys.executable, "UV_NO_CONFIG": "1"}
    settings = McpSettings(name="srv", command=command, args=args, env=env, cwd=folder)
    with pytest.raises(McpError) as failed:
        await McpConnection(settings).start()
    return failed.value.hint or ""


@pytest.mark.parametrize("kind", ["npx", "uvx"])
async def test_a_name_that_the_registry_does_not_have_is_told_as_such(
    kind: str, empty_registry: str, tmp_path: Path
) -> None:
    hint = await hint_of(kind, "server-of-nobody", empty_registry, tmp_path)
    assert hint == "there is no package of that name: correct `server`, or the name in `args`"


@pytest.mark.parametrize("kind", ["npx", "uvx"])
async def test_a_registry_that_is_not_reached_blames_no_name(kind: str, tmp_path: Path) -> None:
    hint = await hint_of(kind, "server-of-nobody", NOBODY, tmp_path)
    assert hint.startswith("the package could not be downloaded: install it beforehand")


async def test_a_package_that_is_no_program_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "package.json").write_text('{"name": "plain", "version": "1.0.0"}', encoding="utf-8")
    assert "has no program of its own name" in await hint_of("npx", "./plain", NOBODY, tmp_path)


async def test_a_server_that_was_not_downloaded_is_no_missing_package(tmp_path: Path) -> None:
    said = "npm error code E404; error sending request for url"
    settings = McpSettings(name="srv", command="sh", args=("-c", 'echo "$1" >&2; exit 1', "sh", said), cwd=tmp_path)
    with pytest.raises(McpError) as failed:
        await McpConnection(settings).start()
    assert failed.value.hint is None
