"""A run's recording: what it is recorded into, or replayed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seatrial.core.model import Model, ModelInfo, host_of
from seatrial.core.offering import ToolSource
from seatrial.core.tool import Tool
from seatrial.errors import RunError
from seatrial.recording.blobs import Blobs
from seatrial.recording.cassette import Cassette, RecordedTrial
from seatrial.recording.folder import Folder
from seatrial.recording.listings import Listings
from seatrial.recording.recorder import Recorder
from seatrial.recording.replayer import Replayer
from seatrial.recording.tables import Tables, with_trial
from seatrial.recording.tape import Tape, Threaded
from seatrial.recording.taped import TapedModel, TapedSource, TapedTool

if TYPE_CHECKING:
    from seatrial.retrieval.base import Embedder

_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class Masking:
    """How secrets are taken out: of texts that are compared, and of whole records that are written."""

    text: Callable[[str], str] = lambda text: text
    record: Callable[[Any], Any] = lambda record: record


class TrialTape:
    """One trial on the deck. ``missing`` says what was not recorded, None when all was."""

    def __init__(
        self, tape: Tape, replayer: Replayer | None, recorder: Recorder | None, no_recording: str | None
    ) -> None:
        self.tape = tape
        self.recorder = recorder
        self.is_kept = True
        self._replayer = replayer
        self._no_recording = no_recording

    @property
    def missing(self) -> str | None:
        """What is to be told of a trial that could not be replayed."""
        missing = None if self._replayer is None else self._replayer.missing
        return missing if missing is None or self._no_recording is None else self._no_recording

    @property
    def unused(self) -> list[str]:
        """What was recorded of it and not asked for."""
        return [] if self._replayer is None or self.missing is not None else self._replayer.unused

    def discard(self) -> None:
        """Says that the trial did not come to its end: nothing of it is kept or told."""
        self.is_kept = False


class Deck:
    """Records trials, or replays them; with both it replays and calls only for what is missing.

    ``cases`` are the names of all cases of the suite. With ``has_live_tools`` tools are run for real.
    Raises `RunError` when the folder cannot be used.
    """

    def __init__(
        self,
        path: Path,
        cases: Iterable[str],
        *,
        is_recording: bool = False,
        is_replaying: bool = False,
        has_live_tools: bool = False,
        keeps_others: bool = False,
        masking: Masking | None = None,
    ) -> None:
        self.is_recording = is_recording
        self.is_replaying = is_replaying
        self.has_live_tools = has_live_tools or not is_replaying
        self._masking = masking or Masking()
        self._folder = Folder(path, cases)
        if is_recording:
            self._folder.create()
        else:
            self._folder.require()
        self._blobs = Blobs(path.absolute(), is_read_only=not is_recording)
        self._listings = Listings()
        self._known_models = self._folder.models() if is_replaying else {}
        self._new_models: dict[str, ModelInfo] = {}
        self._keeps_others = keeps_others or is_replaying
        self._touched: set[str] = set()
        self._unkept: list[str] = []
        self._lost: str | None = None
        self._unused: Counter[tuple[str, str]] = Counter()

    def model(
        self,
        build: Callable[[], Model],
        *,
        provider: str,
        name: str,
        served_as: str | None = None,
        info: ModelInfo | None = None,
        is_judge: bool = False,
    ) -> Model:
        """The model over the tape. In a replay it is built when a call is made for real, and not before.

        ``served_as`` is its name at the host, where that is another one; ``info`` is what is known of it besides.
        """
        known_as = f"{provider}:{name}" + (f" as {served_as}" if served_as else "")
        if self.is_replaying:
            known = self._known_models.get(known_as, info)
            return TapedModel(known_as, build, provider=provider, name=name, info=known, is_judge=is_judge)
        model = build()
        if model.info is not None:
            self._new_models[known_as] = model.info
        taped = TapedModel(
            known_as,
            lambda: model,
            provider=model.provider,
            name=model.name,
            info=model.info,
            host=host_of(model),
            is_judge=is_judge,
        )
        taped.build()
        return taped

    def tool(self, tool: Tool) -> Tool:
        """The tool over the tape."""
        return TapedTool(tool)

    def source(self, source: ToolSource) -> ToolSource:
        """The server of tools over the tape."""
        return TapedSource(source)

    def embedder(self, embedder: Embedder) -> Embedder:
        """The embedder over the tape."""
        taped: Embedder = import_module("seatrial.recording.taped_embedder").TapedEmbedder(embedder)
        return taped

    @contextmanager
    def trial(self, case: str, variant: str, repeat: int) -> Iterator[TrialTape]:
        """The trial's tape, for the time of the block; what was recorded is written at its end."""
        opened = self._open(case, variant, repeat)
        with Threaded(opened.tape):
            yield opened
        if not opened.is_kept:
            return
        self._keep(case, opened)
        for what in opened.unused:
            self._unused[case, what] += 1

    def close(self, *, is_whole_suite: bool) -> list[str]:
        """What should be told at the end: recordings that nobody asked for."""
        if self.is_recording and is_whole_suite and self._lost is None:
            self._folder.remove_unnamed_blobs()
        if not self.is_replaying:
            return []
        told = [
            f"{case}: {what}" + (f" ({count} times)" if count > 1 else "")
            for (case, what), count in self._unused.items()
        ]
        if is_whole_suite:
            read = {self._folder.path_of(case) for case in self._touched}
            told += [
                f"the whole of {path.name}: no such case was run" for path in self._folder.files() if path not in read
            ]
        return _shortened(told)

    @property
    def unkept(self) -> str | None:
        """What should be told of trials whose recording could not be written; None when all could."""
        if self._lost is None:
            return None
        count = len(self._unkept)
        return f"{self._lost} ({count:,} trial{'' if count == 1 else 's'} not recorded)"

    def _open(self, case: str, variant: str, repeat: int) -> TrialTape:
        recorder = Recorder(variant, repeat, self._blobs) if self.is_recording else None
        if not self.is_replaying and recorder is not None:
            return TrialTape(recorder, None, recorder, None)
        try:
            cassette, why = self._folder.read(case), None
        except RunError as error:
            cassette, why = None, error.message
        trial = None if cassette is None else cassette.trial(variant, repeat)
        replayer = Replayer(
            cassette or Cassette(case),
            trial or RecordedTrial(variant, repeat),
            self._blobs,
            self._listings,
            self._masking.text,
            recorder=recorder,
            has_live_tools=self.has_live_tools,
        )
        if trial is None and why is None:
            why = self._why_missing(case, variant, repeat, cassette)
        return TrialTape(replayer, replayer, recorder, why)

    def _why_missing(self, case: str, variant: str, repeat: int, cassette: Cassette | None) -> str:
        if cassette is None:
            path = self._folder.shown(self._folder.path_of(case))
            return f"there is no recording of this case: {path} is not there"
        tries = [trial.repeat for trial in cassette.trials if trial.variant == variant]
        if tries:
            return f"try {repeat} of this case was not recorded, only {_listed(tries)}"
        names = sorted({trial.variant or "the agent itself" for trial in cassette.trials})
        return f"the variant {variant or 'of the agent itself'} of this case was not recorded, only {', '.join(names)}"

    def _keep(self, case: str, opened: TrialTape) -> None:
        """Writes the case's file anew with this trial; of an older recording, other tries go unless all is replayed.

        What cannot be written is noted: the trial itself has its result all the same.
        """
        is_going_on = self._keeps_others or case in self._touched
        self._touched.add(case)
        if opened.recorder is None:
            return
        try:
            self._write(case, opened.recorder, is_going_on=is_going_on)
        except RunError as error:
            self._lost = self._lost or error.message
            self._unkept.append(case)

    def _write(self, case: str, recorder: Recorder, *, is_going_on: bool) -> None:
        if self._new_models:
            self._folder.write_models(self._new_models)
            self._new_models = {}
        cassette = (self._readable(case) if is_going_on else None) or Cassette(case)
        tables = Tables(cassette, self._masking.text)
        trial = recorder.trial.closed(tables)
        changed = self._masking.record(with_trial(cassette, trial, tables))
        if changed != cassette or not is_going_on:
            self._folder.write(changed, self._blobs)

    def _readable(self, case: str) -> Cassette | None:
        """What is recorded of the case; a file that cannot be read is recorded over."""
        try:
            return self._folder.read(case)
        except RunError:
            return None


def _listed(tries: Sequence[int]) -> str:
    return f"try {tries[0]}" if len(tries) == 1 else f"tries {', '.join(map(str, tries))}"


def _shortened(told: list[str]) -> list[str]:
    more = [f"and {len(told) - _MOST_TOLD} more"] if len(told) > _MOST_TOLD else []
    return told[:_MOST_TOLD] + more
