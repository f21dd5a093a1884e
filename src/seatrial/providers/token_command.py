"""A bearer token that a command prints, kept until it is about to expire."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Mapping
from typing import Any

from seatrial.errors import ProviderError
from seatrial.formats.wire_json import UnreadableJsonError, decode
from seatrial.http_client.words import preview

COMMAND_TIMEOUT_S = 30.0
KEPT_S = 45 * 60.0
MARGIN_S = 120.0


class TokenCommand:
    """Runs ``command`` when a token is needed. It prints the token alone, or JSON as ``az account get-access-token``
    does.
    """

    def __init__(self, command: str, headers: Mapping[str, str]) -> None:
        self._command = command
        self._headers = {"content-type": "application/json", **headers}
        self._token = ""
        self._expires_at = 0.0

    async def headers(self) -> Mapping[str, str]:
        """The headers of a request. Raises `ProviderError` when the command gives no token."""
        if time.time() >= self._expires_at:
            self._token, self._expires_at = await self._run()
        return {**self._headers, "authorization": f"Bearer {self._token}"}

    async def _run(self) -> tuple[str, float]:
        words = shlex.split(self._command)
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except (OSError, IndexError, TypeError) as error:
            raise self._failed(str(error)) from error
        try:
            async with asyncio.timeout(COMMAND_TIMEOUT_S):
                out, complaint = await process.communicate()
        except TimeoutError as error:
            raise self._failed(f"it did not end within {COMMAND_TIMEOUT_S:g} s") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode != 0:
            raise self._failed(preview(complaint.decode("utf-8", "replace")) or f"it ended with {process.returncode}")
        return self._token_in(out.decode("utf-8", "replace").strip())

    def _token_in(self, text: str) -> tuple[str, float]:
        token, expires_at = text, time.time() + KEPT_S
        if text.startswith("{"):
            try:
                said: Any = decode(text)
            except UnreadableJsonError as error:
                raise self._failed("it printed JSON that cannot be read") from error
            token = said.get("accessToken") or said.get("access_token") or ""
            expires_on = said.get("expires_on")
            if isinstance(expires_on, int | float):
                expires_at = expires_on - MARGIN_S
        if not isinstance(token, str) or not token or any(char.isspace() for char in token):
            raise self._failed("it printed no token")
        return token, expires_at

    def _failed(self, why: str) -> ProviderError:
        name = self._command.split(" ", 1)[0]
        return ProviderError(
            f"the token command {name!r} failed: {why}", hint="try the command of `token_command` by hand"
        )
