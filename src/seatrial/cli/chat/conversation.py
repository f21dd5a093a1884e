"""The agent that one talks to, and the conversation until now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from seatrial.assembly.attachments import accepted_by, blocks_of_paths
from seatrial.assembly.live import LiveAgent, assemble
from seatrial.cli.chat.face import Face
from seatrial.cli.chat.telling import Telling, arguments_in_words
from seatrial.config.loaded import LoadedAgent
from seatrial.core.abort import AbortSignal
from seatrial.core.content import UserBlock
from seatrial.core.hooks import Allow, Decision, Deny
from seatrial.core.messages import Message, UserMessage
from seatrial.core.result import PendingApproval, RunResult
from seatrial.core.session import Session
from seatrial.core.threads import in_thread
from seatrial.core.usage import UsageTotal
from seatrial.reporters.words import dollars, seconds
from seatrial.runner.variants import variants_of
from seatrial.runs.masking import Masker

_WHOLE = ("stop", "terminated")
_YES = ("y", "yes")
_NO = ("n", "no", "")


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn of the user's: what they entered and attached, and where it stands in the conversation."""

    text: str
    files: tuple[Path, ...]
    first_message: int


@dataclass(slots=True)
class Spent:
    """What the session used until now; ``cost_usd`` None is unknown."""

    usage: UsageTotal = field(default_factory=UsageTotal)
    cost_usd: float | None = 0.0
    turns: int = 0

    def add(self, result: RunResult) -> None:
        """Counts a run."""
        self.usage = self.usage.plus(result.usage)
        self.turns += 1
        known = self.cost_usd is not None and result.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0.0) + (result.cost_usd or 0.0) if known else None


class Conversation:
    """Asks the agent and shows what comes. ``exit_code`` is that of the worst turn so far."""

    def __init__(self, loaded: LoadedAgent, face: Face, stop: AbortSignal, *, is_full: bool = False) -> None:
        self.loaded = loaded
        self.face = face
        self.is_full = is_full
        self.masker = Masker(loaded.secrets)
        self.attached: list[Path] = []
        self.asked: list[Asked] = []
        self.spent = Spent()
        self.exit_code = 0
        self._stop = stop
        self._live: LiveAgent | None = None
        self._session: Session | None = None
        self._signal: AbortSignal | None = None

    @property
    def live(self) -> LiveAgent:
        """The agent, once `use` was called."""
        if self._live is None:
            raise RuntimeError("no agent is in use yet")
        return self._live

    @property
    def session(self) -> Session:
        """The conversation with it."""
        if self._session is None:
            raise RuntimeError("no agent is in use yet")
        return self._session

    @property
    def is_answering(self) -> bool:
        """Whether a turn goes on."""
        return self._signal is not None

    async def use(self, loaded: LoadedAgent) -> None:
        """Makes the agent of the file answer from now on; the conversation stays. Raises what `assemble` raises."""
        live = assemble(loaded)
        try:
            await live.prepare(signal=self._stop, on_notice=self._notice)
        except BaseException:
            await live.close()
            raise
        before, history = self._live, () if self._session is None else self._session.messages
        self.loaded, self._live, self._session = loaded, live, live.agent.session(history)
        if before is not None:
            await before.close()

    async def use_model(self, name: str) -> None:
        """The same agent with another model (``provider:name``)."""
        await self.use(variants_of(self.loaded, [name])[0].loaded)

    async def close(self, *, at_once: bool = False) -> None:
        """Ends the agent's servers and connections."""
        if self._live is not None:
            await self._live.close(at_once=at_once)

    def reset(self) -> None:
        """Forgets the conversation; what was spent is still counted."""
        self._session = self.live.agent.session()
        self.asked.clear()
        self.attached.clear()

    async def ask(self, text: str, files: Sequence[Path] = ()) -> None:
        """One turn: the files go before the text. Raises `DocumentError` for a file that cannot be read."""
        named = tuple(dict.fromkeys((*self.attached, *files)))
        message = UserMessage(text)
        if named:
            self.face.status("reads files")
            message = UserMessage((*await in_thread(self._blocks, named), *message.blocks))
        await self.ask_message(message, text, named)
        self.attached.clear()

    async def ask_message(self, message: UserMessage, text: str, files: Sequence[Path] = ()) -> None:
        """The same with a message that is made already."""
        self.asked.append(Asked(text, tuple(files), len(self.session.messages)))
        self._signal = signal = AbortSignal(self._stop)
        telling = Telling(self.face, self.loaded.secrets, is_full=self.is_full, width=self.face.width)
        try:
            result = await self.session.run(message, signal=signal, sink=telling)
            while result.pending_approvals:
                decisions = await self._decided(result.pending_approvals)
                if decisions is None:
                    break
                result = await self.session.resume(decisions, signal=signal, sink=telling)
        finally:
            self._signal = None
            signal.detach()
            self.face.status("")
        self._end(result)

    def steer(self, text: str) -> None:
        """Says something into the turn that goes on."""
        self.session.steer(text)

    def stop_answer(self) -> bool:
        """Stops the turn that goes on; False when it is stopping already, or there is none."""
        if self._signal is None or self._signal.is_set:
            return False
        self._signal.set("stopped")
        return True

    def messages_of(self, turn: int) -> tuple[Message, ...]:
        """The messages of a turn, counted from 0."""
        ends = [each.first_message for each in self.asked[turn + 1 : turn + 2]] or [len(self.session.messages)]
        return self.session.messages[self.asked[turn].first_message : ends[0]]

    def facts(self) -> str:
        """Who answers, in one line."""
        config = self.loaded.require()
        return f"{config.name} - {config.model.provider} {config.model.name}"

    async def _decided(self, waiting: Sequence[PendingApproval]) -> Mapping[str, Decision] | None:
        """What the user says of each call; None when they stop the turn."""
        decisions: dict[str, Decision] = {}
        for pending in waiting:
            call = self.masker.text(f"{pending.call.name}({arguments_in_words(pending.call)})")
            why = f" ({self.masker.text(pending.reason)})" if pending.reason else ""
            self.face.status("waits for you")
            answer = await self.face.ask(f"May it call {call}?{why}\nyes, no, or say why not:")
            if answer is None:
                return None
            decisions[pending.call.id] = _decision(answer.strip())
        return decisions

    def _end(self, result: RunResult) -> None:
        """What is to be said when a turn is over."""
        self.spent.add(result)
        for problem in result.hook_errors:
            self.face.line(self.masker.text(problem), "error")
        if result.stop_reason in ("aborted", "awaiting_approval"):
            self.face.line("stopped", "warning")
        elif result.stop_reason not in _WHOLE:
            self.face.line(self.masker.text(_why(result)), "error")
            code = 3 if result.stop_reason in ("error", "incomplete") else 1
            self.exit_code = code if self.exit_code in (0, 1) else self.exit_code
        elif not result.text.strip():
            self.face.line("the agent gave no text")
        for message in result.undelivered:
            self.face.line(f"not said yet: {self.masker.text(message.text)}; it goes with your next message", "warning")
        self.face.line(f"{spent_in_words(result.usage, result.cost_usd)}, {seconds(result.duration_s)}")

    def _notice(self, text: str) -> None:
        self.face.line(self.masker.text(text), "warning")

    def _blocks(self, files: Sequence[Path]) -> list[UserBlock]:
        return blocks_of_paths(files, accepted_by(self.live.agent.model, self.loaded.require().model))


def spent_in_words(usage: UsageTotal, cost_usd: float | None) -> str:
    """``120 + 30 tokens, $0.0012``; what a request did not say is not 0."""
    cost = "cost unknown" if cost_usd is None else dollars(cost_usd)
    if usage.unknown_requests and usage.unknown_requests == usage.requests:
        return f"tokens unknown, {cost}"
    unknown = f" and {usage.unknown_requests} requests unknown" if usage.unknown_requests else ""
    return f"{usage.input_tokens:,} + {usage.output_tokens:,} tokens{unknown}, {cost}"


def _decision(answer: str) -> Decision:
    if answer.lower() in _YES:
        return Allow()
    return Deny("the user said no" if answer.lower() in _NO else f"the user said: {answer}")


def _why(result: RunResult) -> str:
    told = result.error_message or (f"the limit {result.limit} was hit" if result.limit else "")
    return told or f"the answer is not whole: {result.stop_reason}"
