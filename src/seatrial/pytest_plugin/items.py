"""An agent file as a collector, each of its cases as an item."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.assembly.allowed import require_allowed
from seatrial.assembly.live import LiveAgent, assemble
from seatrial.assembly.valid import load_valid
from seatrial.cli.terminal import ends_told
from seatrial.config.loaded import LoadedAgent
from seatrial.config.secrets import MASK
from seatrial.errors import ConfigError, SeatrialError
from seatrial.pytest_plugin.hooks import REPLAY
from seatrial.recording.deck import Deck, Masking
from seatrial.reporters import words
from seatrial.reporters.plain import one_line, visible
from seatrial.runner.begin import begin
from seatrial.runner.plan import PlannedCase, case_names
from seatrial.runner.single import is_met, try_case
from seatrial.runner.variants import Variant
from seatrial.runs.masking import Masker
from seatrial.runs.records import Selection, TrialRecord


class CaseFailedError(Exception):
    """A case did not pass; the message says why."""


class AgentFile(pytest.File):
    """An agent file. Its agents live from its first case to its last."""

    def collect(self) -> Iterator[pytest.Item]:
        """Each case in each variant. Raises ``CollectError`` with file, line and column of what is wrong."""
        try:
            loaded = self.loaded()
            begun = begin(loaded, Selection())
        except SeatrialError as error:
            raise self.CollectError(told(error)) from None
        for case in begun.plan.cases:
            for variant in begun.variants:
                name = f"{case.name}[{variant.name}]" if variant.name else case.name
                item: CaseItem = CaseItem.from_parent(self, name=name, case=case, variant=variant)
                yield item

    def setup(self) -> None:
        """Opens what all cases share: the event loop, and the recording where one is replayed.

        What a user has to put right is shown without a traceback.
        """
        self._runner = asyncio.Runner()
        self._live: dict[str, LiveAgent] = {}
        try:
            self._deck = self._opened_deck()
            if self._deck is None:
                require_allowed(self.loaded())
        except SeatrialError as error:
            raise pytest.fail.Exception(told(error), pytrace=False) from None

    def teardown(self) -> None:
        """Closes it again."""
        for live in self._live.values():
            self._runner.run(live.close())
        self._runner.close()

    def run(self, case: PlannedCase, variant: Variant) -> list[TrialRecord]:
        """The case's tries. Code of the user's cannot end the process as if all were well."""
        with ends_told():
            return self._runner.run(self._tries(case, variant))

    def loaded(self) -> LoadedAgent:
        """The agent file without errors; for a replay no keys are needed."""
        is_replay = bool(self._recording)
        path = shown(self.path, self.config)
        loaded, _ = load_valid(path, stand_in=MASK if is_replay else None, is_offline=is_replay)
        return loaded

    @property
    def _recording(self) -> str | None:
        folder: str | None = self.config.getoption(REPLAY)
        return folder

    async def _tries(self, case: PlannedCase, variant: Variant) -> list[TrialRecord]:
        live = self._live.get(variant.name)
        if live is None:
            live = self._live[variant.name] = assemble(variant.loaded, deck=self._deck)
            await live.prepare(for_cases=True)
        return await try_case(case, live, variant.name, deck=self._deck)

    def _opened_deck(self) -> Deck | None:
        if self._recording is None:
            return None
        loaded = self.loaded()
        masker = Masker(loaded.secrets)
        folder = self.config.invocation_params.dir / self._recording
        names = case_names(loaded.require().test_cases)
        return Deck(folder, names, is_replaying=True, masking=Masking(masker.text, masker.record))


class CaseItem(pytest.Item):
    """One case in one variant."""

    def __init__(self, *, case: PlannedCase, variant: Variant, **more: Any) -> None:
        super().__init__(**more)
        self._case = case
        self._variant = variant
        self.extra_keyword_matches.update((case.name, *case.config.tags))
        if case.config.skip is not None:
            self.add_marker(pytest.mark.skip(reason=case.config.skip))

    def runtest(self) -> None:
        """Runs the case. Raises `CaseFailedError` when it does not pass, skips it when it checks nothing."""
        file = self.parent
        if not isinstance(file, AgentFile):
            raise TypeError("a case belongs to an agent file")
        tries = file.run(self._case, self._variant)
        self.user_properties += [(score.metric, score.value) for score in tries[-1].scores if score.value is not None]
        for warning in dict.fromkeys(warning for one in tries for warning in one.warnings):
            self.warn(pytest.PytestWarning(visible(warning)))
        if not is_met(tries):
            raise CaseFailedError("\n\n".join(_reasons(tries)))
        if all(one.outcome == "unchecked" for one in tries):
            pytest.skip("\n".join(words.why(tries[0])))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The reasons, as the console report has them; a traceback only for what is a bug."""
        if isinstance(excinfo.value, CaseFailedError):
            return str(excinfo.value)
        if isinstance(excinfo.value, SeatrialError):
            return told(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The place of the case in its file, line from 0."""
        place = self._case.place
        path = self.path if place.file is None else self.path.parent / place.file
        return path, None if place.line is None else place.line - 1, self.name


def told(error: SeatrialError) -> str:
    """Everything that the error says, each finding with its place."""
    findings = [finding.as_text() for finding in error.diagnostics] if isinstance(error, ConfigError) else []
    hint = [f"  {error.hint}"] if error.hint else []
    return visible("\n\n".join(["\n".join([error.message, *hint]), *findings]))


def shown(path: Path, config: pytest.Config) -> Path:
    """The path as users know it: from where they called pytest, if it is below."""
    here = config.invocation_params.dir
    return path.relative_to(here) if path.is_relative_to(here) and here == Path.cwd() else path


def _reasons(tries: list[TrialRecord]) -> Iterator[str]:
    """Why each try that did not pass did not."""
    for one in tries:
        if one.outcome not in ("failed", "errored"):
            continue
        heading = [f"try {one.repeat} of {len(tries)} {one.outcome}"] if len(tries) > 1 else []
        facts = [("asked", one.input), ("answered", one.output), ("expected", one.ground_truth or "")]
        quoted = [f"{label:<10}{one_line(text)}" for label, text in facts if text.strip()]
        yield "\n".join([*heading, *(visible(reason) for reason in words.why(one)), *quoted])
