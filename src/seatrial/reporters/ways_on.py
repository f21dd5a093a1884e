"""The commands that go on from a run, whole and quoted: they are there to be copied."""

from __future__ import annotations

import shlex
from pathlib import PurePath
from typing import NamedTuple

from seatrial.reporters.plain import visible
from seatrial.runs.records import RunRecord


class Caller(NamedTuple):
    """How the user called us: the program, where the agent file is from here, where runs are kept, how calls are made.

    ``agent`` None is where the run was told it is; ``store`` None is the usual place, which needs no word; ``options``
    are those that a run which goes on needs again.
    """

    program: str = "seatrial"
    agent: PurePath | None = None
    store: str | None = None
    options: tuple[str, ...] = ()

    def go_on(self, run: RunRecord, *, is_last: bool) -> str:
        """The command that runs what is missing."""
        words = [*self._agent(run), "--resume", *([] if is_last else [run.id]), *self._store, *self.options]
        return f"{self.program} test {_joined(words)}"

    def show(self, run: RunRecord, case: str | None = None, *, is_last: bool = False) -> str:
        """The command that shows the run, or a case of it with its whole conversation."""
        agent = [word for found in self._agent(run) for word in ("-a", found)]
        words = [*([] if is_last else [run.id]), *([] if case is None else ["--case", case]), *agent, *self._store]
        return f"{self.program} runs show {_joined(words)}"

    @property
    def _store(self) -> list[str]:
        return [] if self.store is None else ["--store", self.store]

    def _agent(self, run: RunRecord) -> list[str]:
        """The agent file, or its folder, as a command needs it; nothing when commands find it by themselves."""
        path = PurePath(run.agent_file) if self.agent is None else self.agent
        found = path.parent if path.name in ("agent.yaml", "agent.yml") else path
        return [] if found == PurePath() else [str(found)]


def _joined(words: list[str]) -> str:
    return " ".join(shlex.quote(visible(word)) for word in words)
