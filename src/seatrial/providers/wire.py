"""One API at one URL: where requests go, who asks, how they are written, how streams are read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from seatrial.core.messages import Message, ToolResultMessage
from seatrial.core.model import ModelRequest, NoticeSink
from seatrial.formats.encoded import EncodedMessages, Pieces
from seatrial.formats.openai_chat import encode_chat_request, shown_result, to_openai
from seatrial.formats.openai_chat_stream import chat_stream
from seatrial.formats.reading import Reading
from seatrial.formats.stream import ReplyStream
from seatrial.providers.compat import Compat

CHAT_API = "openai_chat"

HeaderSource = Callable[[], Awaitable[Mapping[str, str]]]
StreamOpener = Callable[[Reading, NoticeSink | None], ReplyStream]


class RequestEncoder(Protocol):
    """Writes requests."""

    def __call__(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The body of a request."""


@dataclass(frozen=True, slots=True)
class Wire:
    """``api`` is kept with every message; ``sign`` gives the headers, the proof of who asks among them."""

    api: str
    url: str
    sign: HeaderSource
    encode: RequestEncoder
    open_stream: StreamOpener


def chat_wire(*, url: str, model: str, reader: str, sign: HeaderSource, compat: Compat) -> Wire:
    """Chat completions, which openai, azure_openai and every compatible endpoint share."""
    encode = partial(
        encode_chat_request,
        model=model,
        dialect=compat,
        encoded=EncodedMessages(partial(_chat_pieces, compat, reader)),
        extra=compat.extra_body,
    )
    return Wire(CHAT_API, url, sign, encode, chat_stream)


def fixed_headers(compat: Compat, **headers: str) -> HeaderSource:
    """Headers that never change; underscores in names stand for hyphens."""
    told = {"content-type": "application/json"}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    told |= {name.lower(): value for name, value in compat.headers.items()}

    async def sign() -> Mapping[str, str]:
        return told

    return sign


def _chat_pieces(compat: Compat, reader: str, message: Message) -> Pieces:
    wire = to_openai(message, compat, reader)
    after = shown_result(message, compat) if isinstance(message, ToolResultMessage) else None
    return ([] if wire is None else [wire]), ([] if after is None else [after])
