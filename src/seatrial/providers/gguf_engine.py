"""llama.cpp inside this process, through xllamacpp: one loaded file answers one request after the other."""

from __future__ import annotations

import atexit
import secrets
import threading
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import msgspec

from seatrial.errors import MissingExtraError, ProviderError
from seatrial.providers.gguf_file import read_head

try:
    import xllamacpp
except ImportError as error:
    raise MissingExtraError("llm", "`provider: gguf`") from error

# Few enough that a request that is given up leaves the engine soon; more are no faster on a processor.
BATCH_TOKENS = 64
EXIT_WAIT_S = 30.0


class Listener(Protocol):
    """Who waits for a reply; called in the thread that asks. Must not raise.

    ``waited_s`` is set before the first chunk.
    """

    waited_s: float

    @property
    def is_over(self) -> bool:
        """Whether nothing more is wanted."""

    def take(self, chunk: bytes) -> None:
        """One chunk of a streamed chat completion, as JSON: a token, or how far the prompt is read."""


class EngineSettings(msgspec.Struct, frozen=True):
    """How a file is loaded. ``n_ctx`` is the window in tokens; what is None is left to the engine or the file.

    Prompts of conversations that take turns are kept in ``cache_ram_mib``, so that each goes on where it was.
    """

    n_ctx: int
    n_threads: int = 1
    n_gpu_layers: int | None = None
    cache_ram_mib: int = 256
    chat_template: str | None = None


class Engine:
    """A GGUF file and its weights. Any number of threads may ask; they wait for each other."""

    def __init__(self, file: Path, settings: EngineSettings) -> None:
        self._file = file
        self._params = _params(file, settings)
        self._turn = threading.Lock()
        self._server: Any = None
        self._is_stopped = False

    def load(self) -> None:
        """Reads the weights, if they are not there yet. Raises `ProviderError`.

        The interpreter stands still meanwhile, other threads too.
        """
        with self._turn:
            self._load()

    def generate(self, body: bytes, listener: Listener) -> None:
        """Answers a chat completion request (JSON, with ``stream: true``); blocks until the end.

        Raises `ProviderError`.
        """

        def hear(chunk: bytes) -> bool:
            listener.take(chunk)
            return listener.is_over or self._is_stopped

        asked = perf_counter()
        with self._turn:
            if listener.is_over:
                return
            listener.waited_s = perf_counter() - asked
            self._load()
            try:
                self._server.handle_chat_completions(body, hear)
            except (ValueError, RuntimeError) as error:
                raise ProviderError(f"the model cannot take this request: {error}") from error

    def stop(self) -> None:
        """Ends the running request at its next token and frees the weights."""
        self._is_stopped = True
        if self._turn.acquire(timeout=EXIT_WAIT_S):
            self._server = None
            self._turn.release()

    def _load(self) -> None:
        if self._is_stopped:
            raise ProviderError("the program is ending")
        if self._server is not None:
            return
        try:
            self._server = xllamacpp.Server(self._params)
        except (RuntimeError, ValueError, MemoryError) as error:
            raise ProviderError(
                f"the model file {self._file} cannot be loaded",
                hint=f"its architecture ({read_head(self._file).architecture}) may be newer than the engine "
                "(pip install -U xllamacpp), the file damaged, or the memory too small: `compat: {n_ctx: 2048}` "
                "needs less",
            ) from error
        # A thread that is still inside the engine when the interpreter ends would bring the process down.
        atexit.register(self.stop)


@cache
def shared_engine(file: Path, settings: EngineSettings) -> Engine:
    """The process's one engine for a file under these settings."""
    return Engine(file, settings)


def _params(file: Path, settings: EngineSettings) -> Any:
    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.n_ctx = settings.n_ctx
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.n_threads
    params.cache_ram_mib = settings.cache_ram_mib
    params.verbosity = -1
    if settings.n_gpu_layers is not None:
        params.n_gpu_layers = settings.n_gpu_layers
    if settings.chat_template is not None:
        params.chat_template = settings.chat_template
    # The engine opens a port on this machine, which nobody is meant to use.
    params.api_keys = [secrets.token_hex(32)]
    params.ui = params.endpoint_slots = params.endpoint_props = False
    return params
