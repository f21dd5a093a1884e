"""A GGUF file of the user's, run inside this process: ``model: {provider: gguf, name: path/to/model.gguf}``."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.messages import AssistantMessage, StopReason
from seatrial.core.model import ModelInfo, ModelRequest, NoticeSink
from seatrial.core.threads import in_thread
from seatrial.core.usage import ModelCost
from seatrial.errors import AbortedError, ConfigError, ProviderError
from seatrial.formats.openai_chat_stream import chat_stream
from seatrial.formats.reading import Reading
from seatrial.formats.reply import failed_reply
from seatrial.formats.stream import ReplyStream
from seatrial.providers.base import ProviderOptions
from seatrial.providers.gguf_engine import EngineSettings, shared_engine
from seatrial.providers.gguf_file import GgufHead, read_head
from seatrial.providers.gguf_request import Template, chat_body

API = "llama_cpp"
NO_TEMPLATE = "{name} has no chat template of its own; it is spoken to in ChatML"
_FREE = ModelCost(input=0.0, output=0.0, cache_read=0.0, cache_write=0.0)


class GgufSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys under ``compat:``, named as llama.cpp names them; ``extra_body`` is added to each request.

    ``n_ctx`` is the window in tokens, never more than the model was made for. ``cache_ram_mib`` is room for the prompts
    of conversations that take turns. ``chat_template_file`` (Jinja, relative to the agent file) stands in for the
    template in the file.
    """

    n_ctx: Annotated[int, msgspec.Meta(ge=256)] = 8192
    n_threads: Annotated[int, msgspec.Meta(ge=1)] = 1
    n_gpu_layers: Annotated[int, msgspec.Meta(ge=0)] | None = None
    cache_ram_mib: Annotated[int, msgspec.Meta(ge=0)] = 256
    chat_template_file: str | None = None
    extra_body: dict[str, Any] = msgspec.field(default_factory=dict)


class GgufModel:
    """A `Model` of provider ``gguf``. Requests take turns; models of one file share its weights."""

    provider = "gguf"

    def __init__(self, options: ProviderOptions) -> None:
        settings = _settings_of(options.compat)
        folder = Path(options.folder)
        file = _path(folder, options.name)
        head = read_head(file)
        own_template = _template(folder, settings.chat_template_file)
        template = own_template or head.chat_template
        n_ctx = min(settings.n_ctx, head.context_length or settings.n_ctx)
        self.name = options.name
        self.info = options.info or _info(options.name, head, n_ctx)
        self._timeout_s = options.timeout_s
        self._extra = settings.extra_body
        self._template = Template(template or "")
        self._remarks = () if template else (NO_TEMPLATE.format(name=options.name),)
        self._engine = shared_engine(
            file,
            EngineSettings(
                n_ctx,
                n_threads=settings.n_threads,
                n_gpu_layers=settings.n_gpu_layers,
                cache_ram_mib=settings.cache_ram_mib,
                chat_template=own_template,
            ),
        )

    async def respond(
        self, request: ModelRequest, *, on_notice: NoticeSink | None = None, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """One reply. When it is given up, the engine stops at its next token and the thread is left behind."""
        reading = self._reading_of(request)
        body = chat_body(request, self._template, reader=f"{self.provider}/{self.name}", extra=self._extra)
        turn = _Turn(chat_stream(reading, on_notice))
        try:
            async with asyncio.timeout(self._timeout_s):
                await (signal or AbortSignal()).race(in_thread(self._engine.generate, body, turn))
        except AbortedError as error:
            return turn.broken_off("aborted", ProviderError(error.message), reading)
        except TimeoutError:
            late = ProviderError(f"no whole reply within {self._timeout_s:g} s", hint="raise `timeout_s`")
            return turn.broken_off("error", late, reading)
        except ProviderError as error:
            return turn.broken_off("error", error, reading)
        finally:
            turn.is_over = True
        return msgspec.structs.replace(turn.stream.end(), waited_s=turn.waited_s)

    async def prepare(self) -> None:
        """Loads the weights."""
        await in_thread(self._engine.load)

    async def close(self) -> None:
        """Nothing to free: the weights are shared by the whole process."""

    def _reading_of(self, request: ModelRequest) -> Reading:
        return Reading(
            api=API,
            provider=self.provider,
            model=self.name,
            tool_names=tuple(tool.name for tool in request.tools),
            seed=str(len(request.messages)),
            prices=self.info.cost,
            remarks=self._remarks,
            begins_with_thoughts=self._template.thinking == "begun",
        )


class _Turn:
    """One request: hears the engine in its thread and reads the reply in the event loop."""

    def __init__(self, stream: ReplyStream) -> None:
        self.stream = stream
        self.is_over = False
        self.waited_s = 0.0
        self._loop = asyncio.get_running_loop()

    def take(self, chunk: bytes) -> None:
        """Passes a chunk on; a loop that is closed by now wants none."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._read, chunk)

    def broken_off(self, reason: StopReason, error: ProviderError, reading: Reading) -> AssistantMessage:
        """What there is of a reply that was stopped or did not come."""
        if not self.stream.builder.has_content:
            return failed_reply(error, reading, reason)
        self.stream.fail(reason, error)
        return self.stream.end()

    def _read(self, chunk: bytes) -> None:
        if not self.is_over:
            self.stream.feed(b"data: " + chunk + b"\n\n")


def _info(name: str, head: GgufHead, n_ctx: int) -> ModelInfo:
    return ModelInfo(id=name, name=head.name or name, provider="gguf", cost=_FREE, context_window=n_ctx)


def _path(folder: Path, name: str) -> Path:
    return (folder / Path(name).expanduser()).resolve()


def _template(folder: Path, name: str | None) -> str | None:
    if name is None:
        return None
    file = _path(folder, name)
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the chat template {file} cannot be read: {error}") from error


def _settings_of(given: Mapping[str, Any]) -> GgufSettings:
    known = GgufSettings.__struct_fields__
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        near = get_close_matches(unknown, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
        raise ConfigError(f"`compat` of `provider: gguf` has no setting {unknown!r}", hint=hint)
    try:
        return msgspec.convert(dict(given), GgufSettings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"`compat`: {error}") from error
