"""What is kept of a run: one `RunRecord`, and one `TrialRecord` per attempt of a case."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from seatrial.core.messages import Message, StopReason
from seatrial.core.usage import UsageTotal
from seatrial.metrics.base import Score

Outcome = Literal["passed", "failed", "errored", "unchecked", "not_run"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

RunStatus = Literal["running", "finished", "interrupted", "stopped"]

ErrorKind = Literal[
    "provider", "file", "empty_answer", "invalid_answer", "metric", "hook", "stopped", "recording", "internal"
]


class TrialKey(NamedTuple):
    """What tells one trial of a run from all others. ``repeat`` counts from 1; the unnamed variant is ``""``."""

    case: str
    variant: str
    repeat: int


class TrialError(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a trial could not be judged. ``provider`` is the outside world's fault, the rest is the agent's or ours."""

    kind: ErrorKind
    message: str
    hint: str | None = None


class ExpectedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call that a case expects: the tool, arguments or matchers of them, how often, and whether it must succeed."""

    name: str
    args: dict[str, Any] = {}
    count: int = 1
    ok: bool = False


class Spent(NamedTuple):
    """Tokens and dollars; a cost of None is unknown."""

    usage: UsageTotal
    cost_usd: float | None


_NOTHING_SPENT = Spent(UsageTotal(), None)


class TrialRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One attempt of one case, from its input to its scores.

    ``case_index`` is the case's place in the suite, from 0; ``file`` (from the agent's folder, None for the agent file)
    and ``line`` are where it is written; ``variant_index`` is the variant's place among the run's. ``require`` is how
    many tries of the case must pass, None for all. ``expected_tools`` is None where the case says nothing and empty
    where no tool may be called; ``expected_calls`` says the same with arguments. ``failed_tools`` are those of
    ``called_tools`` that gave an error, once for each such call; ``tool_aliases`` has what people call the called tools
    besides. ``usage`` and ``cost_usd`` are the agent's own, without its judges'; a cost of None is unknown. ``reason``
    says why a case was not run or could not pass. ``warnings`` are what people should know of it besides.
    ``messages`` is empty where the transcript was not asked for.
    """

    case: str
    case_index: int
    outcome: Outcome
    started_at: datetime
    variant: str = ""
    variant_index: int = 0
    repeat: int = 1
    file: str | None = None
    line: int | None = None
    tags: tuple[str, ...] = ()
    require: int | None = None
    input: str = ""
    ground_truth: str | None = None
    output: str = ""
    scores: tuple[Score, ...] = ()
    expected_tools: tuple[str, ...] | None = None
    expected_calls: tuple[ExpectedCall, ...] = ()
    forbidden_tools: tuple[str, ...] = ()
    called_tools: tuple[str, ...] = ()
    failed_tools: tuple[str, ...] = ()
    tool_aliases: dict[str, tuple[str, ...]] = {}
    error: TrialError | None = None
    reason: str = ""
    stop_reason: StopReason | None = None
    limit: str | None = None
    usage: UsageTotal = UsageTotal()
    cost_usd: float | None = None
    duration_s: float = 0.0
    retries: int = 0
    warnings: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()

    @property
    def key(self) -> TrialKey:
        """What tells it from the run's other trials."""
        return TrialKey(self.case, self.variant, self.repeat)

    @property
    def judges(self) -> Spent:
        """What its judges spent."""
        asked = [score for score in self.scores if score.usage is not None and score.usage.requests]
        if not asked:
            return _NOTHING_SPENT
        usage = UsageTotal()
        for score in asked:
            usage = usage.plus(score.usage or UsageTotal())
        costs = [score.cost_usd for score in asked if score.cost_usd is not None]
        return Spent(usage, sum(costs) if costs and len(costs) == len(asked) else None)

    @property
    def total(self) -> Spent:
        """What the agent and the judges spent together; a cost with an unknown part is unknown."""
        judges = self.judges
        if not judges.usage.requests:
            return Spent(self.usage, self.cost_usd)
        agent_cost = self.cost_usd if self.usage.requests else self.cost_usd or 0.0
        is_known = agent_cost is not None and judges.cost_usd is not None
        cost_usd = (agent_cost or 0.0) + (judges.cost_usd or 0.0) if is_known else None
        return Spent(self.usage.plus(judges.usage), cost_usd)


class Selection(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which cases to run: every condition that is given must hold; of several tags, or names, one is enough."""

    pattern: str | None = None
    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    limit: int | None = None


class VariantRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One configuration of the agent under test."""

    name: str
    provider: str
    model: str


class GitState(msgspec.Struct, frozen=True, omit_defaults=True):
    """The commit that was checked out, and whether files differed from it."""

    commit: str
    is_dirty: bool = False


class ProcessMark(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who is writing a run, to tell a run under way from one that died."""

    host: str
    pid: int


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file that defines the agent, by its path from the agent's folder, with its text without secrets.

    ``sha256`` is a digest of the content; a folder (``docs/``) has one of its listing. The text is empty where only the
    hash is kept.
    """

    path: str
    sha256: str
    text: str


class RunRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One execution of a suite.

    ``planned`` counts trials; ``models`` are those that were asked for in place of the agent's own; ``seed`` is
    what the first tries were drawn by, each further one by the next number; ``stopped_by``
    names what ended it early, if anything; ``worked_s`` are the wall-clock seconds of all its parts together when it
    was resumed, the time between them left out; ``part_started_at`` is the start of the latest part, None when there
    is only one. ``instructions`` is what the frontmatter of the instructions file says of them: version, author, tags.
    ``has_all_files`` is False for a run that was written when only the configuration's own files were kept.
    """

    id: str
    agent: str
    agent_file: str
    started_at: datetime
    status: RunStatus = "running"
    ended_at: datetime | None = None
    planned: int = 0
    selection: Selection = Selection()
    repeat: int = 1
    concurrency: int = 1
    variants: tuple[VariantRecord, ...] = ()
    models: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    instructions: dict[str, Any] = {}
    git: GitState | None = None
    versions: dict[str, str] = {}
    process: ProcessMark | None = None
    stopped_by: str | None = None
    worked_s: float = 0.0
    part_started_at: datetime | None = None
    seed: int | None = None
    has_all_files: bool = False


class Tally(msgspec.Struct, frozen=True, omit_defaults=True):
    """Counts and sums over a run's stored trials; tokens and costs are those of agents and judges together.

    ``provider_errors`` are the errored trials that were the outside world's fault; ``metric_errors`` counts the trials
    in which a metric gave no score. ``cost_usd`` sums the known costs; ``unknown_costs`` counts the trials that asked a
    model at an unknown price.
    """

    passed: int = 0
    failed: int = 0
    errored: int = 0
    unchecked: int = 0
    not_run: int = 0
    provider_errors: int = 0
    metric_errors: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    unknown_costs: int = 0

    @property
    def checked(self) -> int:
        """Trials with a verdict: the denominator of the pass rate. An errored trial counts as not passed."""
        return self.passed + self.failed + self.errored

    @property
    def total(self) -> int:
        """All trials, also those without a verdict."""
        return self.checked + self.unchecked + self.not_run


class CaseTally(NamedTuple):
    """The tries of one case in one variant. ``require`` is how many must pass, None for all that have a verdict."""

    case: str
    variant: str
    checked: int
    passed: int
    provider_errors: int = 0
    require: int | None = None

    @property
    def is_met(self) -> bool:
        """Whether enough tries passed."""
        return self.passed >= (self.checked if self.require is None else self.require)

    @property
    def is_flaky(self) -> bool:
        """Whether the tries disagree."""
        return 0 < self.passed < self.checked
