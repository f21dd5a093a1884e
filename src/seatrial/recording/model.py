"""Provider ``replay``: a model that answers from a folder of recordings, whichever case they are of."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelInfo, ModelRequest, NoticeSink
from seatrial.errors import ProviderError, RunError
from seatrial.providers.base import ProviderOptions
from seatrial.recording.answers import reply_of, tell_pieces
from seatrial.recording.blobs import Blobs
from seatrial.recording.cassette import ModelCall, asked_in, decode
from seatrial.recording.differences import told_difference
from seatrial.recording.folder import Folder
from seatrial.recording.said import ModelAsked, in_words, key_of, model_asked


class ReplayModel:
    """Answers a request as it was answered when it was recorded, whatever model it went to then.

    The same request asked again gets its recordings in turn, then from the first on. Any other is an error that says
    what is different. The recordings are read with the first request.
    """

    stops_itself = True
    provider = "replay"

    def __init__(self, folder: Path, name: str, info: ModelInfo | None = None) -> None:
        self.name = name
        self._folder = Folder(folder, ())
        self._blobs = Blobs(folder, is_read_only=True)
        self._asked: list[ModelAsked] = []
        self._answers: dict[str, deque[ModelCall]] | None = None
        self.info = info or _only(self._folder.models())

    async def respond(
        self, request: ModelRequest, *, on_notice: NoticeSink | None = None, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """The recorded reply."""
        if signal is not None and signal.is_set:
            return AssistantMessage(stop_reason="aborted", provider=self.provider, model=self.name)
        asked = model_asked("", request, self._blobs)
        waiting = self._known().get(key_of(asked))
        if not waiting:
            why = f"{in_words(asked)} is not in the recording: {told_difference(asked, self._asked)}"
            return AssistantMessage(
                stop_reason="error", provider=self.provider, model=self.name, error_message=why, can_retry=False
            )
        call = waiting[0]
        waiting.rotate(-1)
        tell_pieces(call, on_notice)
        return reply_of(call, self._blobs)

    async def close(self) -> None:
        """Nothing to free."""

    def _known(self) -> dict[str, deque[ModelCall]]:
        if self._answers is None:
            self._answers = {}
            for path in self._folder.files():
                cassette = decode(path.read_bytes(), str(path))
                for trial in cassette.trials:
                    for call, asked in asked_in(trial, cassette):
                        if isinstance(call, ModelCall) and isinstance(asked, ModelAsked):
                            self._add(call, msgspec.structs.replace(asked, model=""), self._answers)
        return self._answers

    def _add(self, call: ModelCall, asked: ModelAsked, answers: dict[str, deque[ModelCall]]) -> None:
        self._asked.append(asked)
        answers.setdefault(key_of(asked), deque()).append(call)


def from_options(options: ProviderOptions) -> ReplayModel:
    """The recordings in the folder that ``name`` gives, relative to the agent file's folder."""
    folder = Path(options.folder, options.name)
    if not folder.is_dir():
        raise ProviderError(
            f"there is no recording at {folder}",
            hint="for the provider 'replay', name is a folder that `seatrial test --record` made",
        )
    try:
        return ReplayModel(folder, options.name, options.info)
    except RunError as error:
        raise ProviderError(error.message, hint=error.hint) from error


def _only(models: dict[str, ModelInfo]) -> ModelInfo | None:
    """What is known of the model that was recorded, where there was only one."""
    return next(iter(models.values())) if len(models) == 1 else None
