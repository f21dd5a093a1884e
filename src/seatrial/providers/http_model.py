"""A model behind HTTP: one request, its retries and its reply, whatever the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.messages import AssistantMessage, FailedTry, StopReason
from seatrial.core.model import ModelInfo, ModelRequest, NoticeSink, RetryNotice
from seatrial.errors import AbortedError, ProviderError
from seatrial.formats.failures import error_of_reply
from seatrial.formats.reading import Reading
from seatrial.formats.reply import failed_reply
from seatrial.formats.stream import ReplyStream
from seatrial.http_client import HttpClient, HttpReply, RetryPolicy, redact, with_retries

FILTER_CODES = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})


class Wire(Protocol):
    """How one API is spoken."""

    @property
    def api(self) -> str:
        """Its name, kept with every message."""

    def url(self, *, stream: bool) -> str:
        """Where requests go."""

    def headers(self) -> Mapping[str, str]:
        """The headers of every request, the key among them."""

    def encode(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The body of a request."""

    def parse(self, body: bytes, reading: Reading) -> AssistantMessage:
        """The message in a whole reply."""

    def stream(self, reading: Reading, on_notice: NoticeSink | None) -> ReplyStream:
        """The reader of a streamed reply."""


class HttpModel:
    """Asks over HTTP. ``secrets`` are blotted out of every message for people."""

    def __init__(
        self,
        *,
        provider: str,
        name: str,
        info: ModelInfo | None,
        wire: Wire,
        client: HttpClient,
        policy: RetryPolicy,
        reading: Reading,
        secrets: tuple[str, ...] = (),
    ) -> None:
        self.provider = provider
        self.name = name
        self.info = info
        self._wire = wire
        self._client = client
        self._policy = policy
        self._reading = reading
        self._secrets = secrets

    async def respond(
        self, request: ModelRequest, *, on_notice: NoticeSink | None = None, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """One reply; failures of the provider are replies too."""
        exchange = _Exchange(self._wire, self._client, self._reading_of(request), self._secrets, request, on_notice)
        try:
            reply = await with_retries(
                exchange.attempt,
                policy=self._policy,
                total_s=self._client.timeouts.total_s,
                signal=signal,
                on_retry=exchange.note_retry,
            )
        except AbortedError as error:
            reply = exchange.broken_off("aborted", ProviderError(error.message))
        except ProviderError as error:
            reply = exchange.broken_off("content_filter" if error.code in FILTER_CODES else "error", error)
        if exchange.failed_tries:
            return msgspec.structs.replace(reply, failed_tries=tuple(exchange.failed_tries))
        return reply

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()

    def _reading_of(self, request: ModelRequest) -> Reading:
        base = self._reading
        used = {
            call.id
            for message in request.messages
            if isinstance(message, AssistantMessage)
            for call in message.tool_calls
        }
        return Reading(
            api=base.api,
            provider=base.provider,
            model=base.model,
            tool_names=tuple(tool.name for tool in request.tools),
            seed=str(len(request.messages)),
            taken_ids=frozenset(used),
            has_think_tags=base.has_think_tags,
            has_text_calls=base.has_text_calls,
            prices=base.prices,
        )


class _Exchange:
    """One request with all its tries."""

    def __init__(
        self,
        wire: Wire,
        client: HttpClient,
        reading: Reading,
        secrets: tuple[str, ...],
        request: ModelRequest,
        on_notice: NoticeSink | None,
    ) -> None:
        self.failed_tries: list[FailedTry] = []
        self._wire = wire
        self._client = client
        self._reading = reading
        self._secrets = secrets
        self._on_notice = on_notice
        self._is_streamed = on_notice is not None
        self._url = wire.url(stream=self._is_streamed)
        self._headers = wire.headers()
        self._body = wire.encode(request, stream=self._is_streamed)
        self._stream: ReplyStream | None = None

    async def attempt(self) -> AssistantMessage:
        """One try. Raises `ProviderError` when nothing for the reader has come of it."""
        message = await self._streamed() if self._is_streamed else await self._whole()
        if message.stop_reason in ("error", "incomplete") and message.can_retry and not message.content:
            raise ProviderError(message.error_message or "", code=message.error_code, can_retry=True)
        return message

    def note_retry(self, attempt: int, delay_s: float, reason: str) -> None:
        """Keeps and tells that a try failed."""
        self.failed_tries.append(FailedTry(reason, delay_s))
        if self._on_notice is not None:
            self._on_notice(RetryNotice(attempt, delay_s, reason))

    def broken_off(self, reason: StopReason, error: ProviderError) -> AssistantMessage:
        """What there is of a reply that was stopped or did not come."""
        if self._stream is not None and self._stream.builder.has_content:
            self._stream.fail(reason, error)
            return self._stream.end()
        return failed_reply(error, self._reading, reason)

    async def _whole(self) -> AssistantMessage:
        reply = await self._client.post(self._url, headers=self._headers, body=self._body)
        self._raise_for(reply)
        return self._wire.parse(reply.body, self._reading)

    async def _streamed(self) -> AssistantMessage:
        self._stream = stream = self._wire.stream(self._reading, self._on_notice)
        try:
            reply = await self._client.post(self._url, headers=self._headers, body=self._body, on_bytes=stream.feed)
        except ProviderError as error:
            if not stream.builder.has_content:
                raise
            stream.fail("incomplete", error)
            return stream.end()
        self._raise_for(reply)
        return stream.end()

    def _raise_for(self, reply: HttpReply) -> None:
        if not 200 <= reply.status < 300:
            raise error_of_reply(reply.status, reply.headers, reply.body, secrets=self._secrets)


def redacted(text: str, secrets: tuple[str, ...]) -> str:
    """``text`` without the secrets."""
    return redact(text, secrets)
