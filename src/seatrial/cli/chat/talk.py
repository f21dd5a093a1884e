"""From lines to turns: what the user enters is answered in order, and said into the turn that goes on."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from pathlib import Path

from seatrial.assembly.allowed import allow_programs, not_allowed, programs_to_allow
from seatrial.assembly.valid import load_valid
from seatrial.cli import terminal
from seatrial.cli.agents import closed
from seatrial.cli.allow_mcp import REMEDY
from seatrial.cli.chat.attached import files_in, names_without_file
from seatrial.cli.chat.commands import run_command
from seatrial.cli.chat.conversation import Conversation
from seatrial.cli.chat.face import Face
from seatrial.config.loaded import LoadedAgent
from seatrial.core.abort import AbortSignal
from seatrial.core.threads import in_thread
from seatrial.errors import AbortedError, ConfigError, SeatrialError
from seatrial.runner.variants import variants_of

_INTERRUPTED = 130
_QUIT = "/quit"
_WARNINGS_SHOWN = 5


class Talk:
    """Leads the conversation until the user leaves."""

    def __init__(self, face: Face, reading: asyncio.Future[str | None] | None = None) -> None:
        self._face = face
        self._reading = reading
        self._stop = AbortSignal()
        self._entered: asyncio.Queue[str] = asyncio.Queue()
        self._conversation: Conversation | None = None
        self._is_armed = False
        self._is_interrupted = False

    async def run(self, agent: Path, model: str | None, *, is_full: bool, allow_mcp: bool) -> int:
        """The exit code. Raises what makes the agent unusable."""
        self._face.on_interrupt = self._interrupt
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._leave)
        if not self._face.is_live:
            loop.add_signal_handler(signal.SIGINT, self._interrupt)
        self._face.status("loads the agent")
        work = asyncio.create_task(self._answer_all(agent, model, is_full=is_full, allow_mcp=allow_mcp))
        work.add_done_callback(self._tell_end)
        try:
            await self._read_all()
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError, SeatrialError):
                await work
        if self._is_interrupted:
            return _INTERRUPTED
        return 0 if self._conversation is None or self._face.is_live else self._conversation.exit_code

    async def _read_all(self) -> None:
        while True:
            if not self._face.is_live:
                await self._is_idle()
            text = await self._next()
            if text is None or text.strip() == _QUIT:
                return
            self._is_armed = False
            talk = self._conversation
            if talk is not None and talk.is_answering and not text.startswith("/"):
                talk.steer(text)
                self._face.line("it is told before the agent's next step")
            else:
                self._entered.put_nowait(text)

    async def _next(self) -> str | None:
        """The next line; the first one was asked for before this was loaded."""
        reading, self._reading = self._reading, None
        return await (self._face.read() if reading is None else reading)

    async def _is_idle(self) -> None:
        self._entered.put_nowait("")
        await self._entered.join()

    async def _answer_all(self, agent: Path, model: str | None, *, is_full: bool, allow_mcp: bool) -> None:
        with terminal.stdout_for_us_alone(self._face.keeps_stdout):
            loaded, warnings = await in_thread(_loaded, agent, model)
            for warning in warnings:
                self._face.line(warning, "warning")
            await self._allow_servers(loaded, is_allowed=allow_mcp)
            talk = Conversation(loaded, self._face, self._stop, is_full=is_full)
            self._face.status("starts")
        async with closed(talk, self._stop):
            with terminal.stdout_for_us_alone(self._face.keeps_stdout):
                await talk.use(loaded)
            self._conversation = talk
            self._propose(loaded)
            self._face.status("")
            if self._face.is_live or not self._face.keeps_stdout:
                self._face.line(f"{talk.facts()} - /help lists the commands")
            while True:
                await self._answer(talk, await self._entered.get())

    async def _answer(self, talk: Conversation, text: str) -> None:
        try:
            with terminal.stdout_for_us_alone(self._face.keeps_stdout):
                if text.startswith("/"):
                    await run_command(talk, text)
                elif text.strip():
                    await self._turn(talk, text)
        except AbortedError:
            self._face.line("stopped", "warning")
        except SeatrialError as error:
            self._face.line(talk.masker.text(_in_words(error)), "error")
            talk.exit_code = max(talk.exit_code, error.exit_code)
        finally:
            await self._face.settle()
            self._entered.task_done()

    async def _turn(self, talk: Conversation, text: str) -> None:
        for name in names_without_file(text):
            self._face.line(f"there is no file {name}; it is said as it stands", "warning")
        await talk.ask(text, files_in(text))

    async def _allow_servers(self, loaded: LoadedAgent, *, is_allowed: bool) -> None:
        programs = [] if is_allowed else programs_to_allow(loaded)
        if not programs:
            return
        shown = "\n".join(f"  {line}" for line in programs)
        question = (
            f"{loaded.path} starts these programs as MCP servers:\n{shown}\nstart them, now and from now on? yes or no:"
        )
        answer = await self._face.ask(question) if not self._face.keeps_stdout else None
        if (answer or "").strip().lower() not in ("y", "yes"):
            raise not_allowed(loaded, programs, REMEDY)
        allow_programs(loaded)

    def _propose(self, loaded: LoadedAgent) -> None:
        config = loaded.require()
        self._face.propose("load", [case.label for case in config.test_cases])
        self._face.propose("model", [f"{config.model.provider}:{config.model.name}"])
        self._face.propose("trace", ["on", "off"])

    def _interrupt(self) -> None:
        """Ctrl-C: stops the answer; where there is none, or it is stopping already, leaves."""
        talk = self._conversation
        if talk is not None and talk.stop_answer():
            self._is_armed = True
            self._face.status("stops - Ctrl-C once more leaves")
        elif self._face.is_live and not self._is_armed:
            self._is_armed = True
            self._face.line("Ctrl-C once more leaves, as Ctrl-D and /quit do")
        else:
            self._leave()

    def _leave(self) -> None:
        self._is_interrupted = True
        self._stop.set("interrupted")
        self._face.leave()

    def _tell_end(self, work: asyncio.Task[None]) -> None:
        """The work only ends by itself when it failed."""
        error = None if work.cancelled() else work.exception()
        if error is not None:
            self._face.fail(error)
            while not self._entered.empty():
                self._entered.get_nowait()
                self._entered.task_done()


def _loaded(agent: Path, model: str | None) -> tuple[LoadedAgent, list[str]]:
    """The agent and what is told of its file."""
    loaded, findings = load_valid(agent)
    told = [f"{finding.location}: {finding.message}" for finding in findings[:_WARNINGS_SHOWN]]
    if len(findings) > _WARNINGS_SHOWN:
        told.append(f"{len(findings) - _WARNINGS_SHOWN} more: seatrial validate shows them")
    return (loaded if model is None else variants_of(loaded, [model])[0].loaded), told


def _in_words(error: SeatrialError) -> str:
    diagnostics = error.diagnostics if isinstance(error, ConfigError) else ()
    lines = [*(finding.as_text() for finding in diagnostics), error.message]
    return "\n".join([*lines, error.hint] if error.hint else lines)
