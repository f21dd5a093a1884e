"""A model behind HTTP: one request, its retries and its reply, whatever the wire."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.messages import AssistantMessage, FailedTry, StopReason
from seatrial.core.model import ModelRequest, NoticeSink, RetryNotice
from seatrial.core.usage import UNKNOWN_USAGE
from seatrial.errors import AbortedError, ProviderError
from seatrial.formats.failures import error_of_reply
from seatrial.formats.plain_reply import read_plain_reply
from seatrial.formats.reading import Reading
from seatrial.formats.reply import failed_reply
from seatrial.formats.stream import ReplyStream, is_streamed_body, read_streamed_body
from seatrial.formats.tolerant import parse_response
from seatrial.http_client.client import HttpClient, HttpReply, Timeouts
from seatrial.http_client.gate import origin_of
from seatrial.http_client.retries import with_retries
from seatrial.providers.base import ProviderOptions
from seatrial.providers.compat import Compat
from seatrial.providers.connection import http_client, retry_policy
from seatrial.providers.model_list import ask_for_models
from seatrial.providers.wire import Wire

FILTER_CODES = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})


class HttpModel:
    """Asks over HTTP. ``secrets`` are blotted out of every message for people."""

    stops_itself = True

    def __init__(
        self,
        provider: str,
        options: ProviderOptions,
        compat: Compat,
        wire: Wire,
        *,
        secrets: Iterable[str | None] = (),
    ) -> None:
        self.provider = provider
        self.name = options.name
        self.info = options.info
        self.host = origin_of(wire.url)
        self._compat = compat
        self._wire = wire
        self._client = http_client(options, compat)
        self._policy = retry_policy(compat)
        self._secrets = tuple(secret for secret in (*secrets, *compat.headers.values()) if secret)
        self._reading = Reading(
            api=wire.api,
            provider=provider,
            model=options.name,
            has_think_tags=compat.has_think_tags,
            has_text_calls=compat.has_text_calls,
            begins_with_thoughts=compat.begins_with_thoughts,
            prices=options.info.cost if options.info is not None else None,
        )
        self._last_reading = self._reading

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
        if exchange.failed_tries or exchange.held_s:
            return msgspec.structs.replace(
                reply, failed_tries=tuple(exchange.failed_tries), waited_s=reply.waited_s + exchange.held_s
            )
        return reply

    def request_body(self, request: ModelRequest, *, stream: bool = False) -> bytes:
        """What `respond` would send, as JSON; nothing is sent."""
        return self._wire.encode(request, stream=stream)

    async def ask_for_models(self, patience: Timeouts) -> HttpReply:
        """What the host answers when it is asked for its models, in one try. Raises `ProviderError`."""
        return await ask_for_models(self._wire.url, await self._wire.sign(), patience)

    async def prepare(self) -> None:
        """Loads the HTTP client; no request is made."""
        await self._client.prepare()

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()

    def _reading_of(self, request: ModelRequest) -> Reading:
        remarks: tuple[str, ...] = ()
        if not self._compat.has_sampling and (request.sampling.temperature, request.sampling.top_p) != (None, None):
            remarks = (f"{self.name} takes neither temperature nor top_p; they were not sent",)
        tool_names = tuple([tool.name for tool in request.tools])
        seed = str(len(request.messages))
        last = self._last_reading
        if (last.tool_names, last.seed, last.remarks) != (tool_names, seed, remarks):
            last = msgspec.structs.replace(self._reading, tool_names=tool_names, seed=seed, remarks=remarks)
            self._last_reading = last
        return last


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
        self.held_s = 0.0
        self._wire = wire
        self._client = client
        self._reading = reading
        self._secrets = secrets
        self._on_notice = on_notice
        self._is_streamed = on_notice is not None
        self._body = wire.encode(request, stream=self._is_streamed)
        self._stream: ReplyStream | None = None
        self._failed_usage = UNKNOWN_USAGE

    async def attempt(self) -> AssistantMessage:
        """One try. Raises `ProviderError` when nothing for the reader has come of it."""
        message = await self._streamed() if self._is_streamed else await self._whole()
        if message.stop_reason in ("error", "incomplete") and message.can_retry and not message.content:
            self._failed_usage = message.usage
            raise ProviderError(message.error_message or "", code=message.error_code, can_retry=True)
        return message

    def note_retry(self, attempt: int, delay_s: float, reason: str) -> None:
        """Keeps and tells that a try failed."""
        self.failed_tries.append(FailedTry(reason, delay_s, self._failed_usage))
        self._failed_usage = UNKNOWN_USAGE
        if self._on_notice is not None:
            self._on_notice(RetryNotice(attempt, delay_s, reason))

    def broken_off(self, reason: StopReason, error: ProviderError) -> AssistantMessage:
        """What there is of a reply that was stopped or did not come."""
        if self._stream is not None and self._stream.builder.has_content:
            self._stream.fail(reason, error)
            return self._stream.end()
        return failed_reply(error, self._reading, reason)

    async def _whole(self) -> AssistantMessage:
        headers = await self._wire.sign()
        reply = await self._client.post(self._wire.url, headers=headers, body=self._body)
        self._raise_for(reply)
        if is_streamed_body(reply.headers.get("content-type", ""), reply.body):
            return read_streamed_body(self._wire.open_stream(self._reading, None), reply.body)
        return read_plain_reply(reply.body, self._reading) or parse_response(reply.body, self._reading)

    async def _streamed(self) -> AssistantMessage:
        headers = await self._wire.sign()
        self._stream = stream = self._wire.open_stream(self._reading, self._on_notice)
        try:
            reply = await self._client.post(self._wire.url, headers=headers, body=self._body, on_bytes=stream.feed)
        except ProviderError as error:
            if not stream.builder.has_content:
                raise
            stream.fail("incomplete", error)
            return stream.end()
        self._raise_for(reply)
        return stream.end()

    def _raise_for(self, reply: HttpReply) -> None:
        self.held_s += reply.held_s
        if not 200 <= reply.status < 300:
            raise error_of_reply(reply.status, reply.headers, reply.body, secrets=self._secrets)
