"""What the slash commands do."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Iterator, Set
from difflib import get_close_matches
from pathlib import Path

from seatrial.assembly.valid import load_valid
from seatrial.cli.chat.command_names import KEYS, SUMMARIES
from seatrial.cli.chat.conversation import Asked, Conversation, spent_in_words
from seatrial.cli.chat.trace import trace_lines
from seatrial.cli.tool_lines import parameters_in_words
from seatrial.config.cases import CaseConfig
from seatrial.config.files import TYPE_OF_ENDING
from seatrial.config.new_case import NewCase, NewTurn, add_case
from seatrial.core.messages import AssistantMessage, Message
from seatrial.core.threads import in_thread
from seatrial.errors import ConfigError

_ANSWER_OPTION = "--answer"
_MOST_TRUTH_CHARS = 5000
Command = Callable[[Conversation, str], Awaitable[None]]


async def run_command(talk: Conversation, line: str) -> None:
    """Runs a line that begins with a slash. Raises `SeatrialError` that says what is wrong with it."""
    name, _, rest = line[1:].strip().partition(" ")
    if name not in _COMMANDS:
        near = get_close_matches(name, _COMMANDS, n=1)
        hint = f"did you mean /{near[0]}?" if near else "/help lists them"
        raise ConfigError(f"there is no command /{name}", hint=f"{hint}; a message may begin with a space")
    await _COMMANDS[name](talk, rest.strip())


async def _help(talk: Conversation, _rest: str) -> None:
    width = max(map(len, SUMMARIES)) + 3
    lines = [f"/{name}".ljust(width) + summary for name, summary in SUMMARIES.items()]
    talk.face.line("\n".join([*lines, KEYS]))


async def _tools(talk: Conversation, _rest: str) -> None:
    tools = await talk.live.offered()
    if not tools.offered:
        talk.face.line("the agent has no tools")
    for offered in tools.offered:
        spec = offered.tool.spec
        lines = [
            f"{offered.name}  {spec.description}",
            *(f"    {each}" for each in parameters_in_words(spec.parameters)),
        ]
        talk.face.line("\n".join(lines))


async def _model(talk: Conversation, rest: str) -> None:
    if rest:
        talk.face.status("changes the model")
        try:
            await talk.use_model(rest)
        finally:
            talk.face.status("")
    talk.face.line(talk.facts())


async def _usage(talk: Conversation, _rest: str) -> None:
    spent = talk.spent
    turns = f"{spent.turns} turn{'' if spent.turns == 1 else 's'}"
    talk.face.line(f"{turns}, {spent.usage.requests} requests: {spent_in_words(spent.usage, spent.cost_usd)}")
    if spent.usage.cache_read_tokens or spent.usage.reasoning_tokens:
        talk.face.line(
            f"of them {spent.usage.cache_read_tokens:,} read from the cache, {spent.usage.reasoning_tokens:,} reasoning"
        )


async def _reset(talk: Conversation, _rest: str) -> None:
    talk.reset()
    talk.face.line("a new conversation")


async def _save(talk: Conversation, rest: str) -> None:
    has_answer = _ANSWER_OPTION in rest.split()
    name = " ".join(word for word in rest.split() if word != _ANSWER_OPTION).strip("\"'")
    if not name:
        raise ConfigError("the case needs a name", hint="/save order on its way")
    offered = {each.name for each in (await talk.live.offered()).offered}
    turns = [_turn(talk, number, each, offered) for number, each in enumerate(talk.asked)]
    answered = [turn for turn in turns if turn is not None]
    if not answered:
        raise ConfigError("nothing was asked and answered yet", hint="ask something, then /save NAME")
    truth = _last_text(talk.session.messages)[:_MOST_TRUTH_CHARS] if has_answer else None
    path = await in_thread(add_case, talk.loaded.path, NewCase(name, tuple(answered), truth))
    left_out = len(turns) - len(answered)
    told = f"{path}: the case {name!r} expects {_called(answered)}"
    talk.face.line(told + (f"; {left_out} turn without an answer was left out" if left_out else ""))
    talk.face.line(f"seatrial test {shlex.quote(str(talk.loaded.path))} --case {shlex.quote(name)}")


def _turn(talk: Conversation, number: int, asked: Asked, offered: Set[str]) -> NewTurn | None:
    """The turn as a test asks it, without calls of tools that are not there; None when it was stopped or failed."""
    messages = talk.messages_of(number)
    replies = [message for message in messages if isinstance(message, AssistantMessage)]
    if not replies or replies[-1].stop_reason != "stop":
        return None
    calls = [call.name for reply in replies for call in reply.tool_calls if call.name in offered]
    files = tuple((path.resolve(), TYPE_OF_ENDING.get(path.suffix.lower(), "text")) for path in asked.files)
    return NewTurn(asked.text, tuple(calls), files)


def _called(turns: list[NewTurn]) -> str:
    names = [name for turn in turns for name in turn.called_tools]
    return ", ".join(names) if names else "no tool call"


def _last_text(messages: tuple[Message, ...]) -> str:
    return next((each.text for each in reversed(messages) if isinstance(each, AssistantMessage)), "")


async def _load(talk: Conversation, rest: str) -> None:
    loaded, _ = await in_thread(load_valid, talk.loaded.path)
    cases = {case.label: case for case in loaded.require().test_cases}
    if not rest:
        talk.face.line("\n".join(cases) or "the agent file has no test cases; /save NAME makes one")
        return
    case = cases.get(rest.strip("\"'"))
    if case is None:
        near = get_close_matches(rest, cases, n=1, cutoff=0.4)
        raise ConfigError(
            f"there is no test case {rest!r}", hint=f"did you mean {near[0]}?" if near else "/load lists them"
        )
    await _ask_case(talk, case)


async def _ask_case(talk: Conversation, case: CaseConfig) -> None:
    for asked in case.turns or (case,):
        text = asked.input or ""
        talk.face.line(f"> {text}")
        message = await in_thread(talk.live.message_for, asked)
        files = [talk.loaded.path_to(file.path) for file in asked.files if file.path is not None]
        await talk.ask_message(message, text, files)


async def _files(talk: Conversation, rest: str) -> None:
    if rest == "clear":
        talk.attached.clear()
    elif rest:
        talk.attached += _files_named(rest)
    waiting = [f"{path}  (goes with the next message)" for path in talk.attached]
    sent = [f"{path}  (sent)" for each in talk.asked for path in each.files]
    talk.face.line("\n".join([*sent, *waiting]) or "no files; write @PATH in a message, or /files PATH")


def _files_named(words: str) -> Iterator[Path]:
    try:
        named = shlex.split(words)
    except ValueError as error:
        raise ConfigError(f"the paths cannot be read: {error}") from error
    for word in named:
        path = Path(word.removeprefix("@")).expanduser()
        if not path.is_file():
            raise ConfigError(f"there is no file {path}", hint="Tab completes paths")
        yield path


async def _trace(talk: Conversation, rest: str) -> None:
    if rest in ("on", "off"):
        talk.is_full = rest == "on"
        talk.face.line(f"turns are shown {'in full, with reasoning' if talk.is_full else 'in short'}")
    elif rest:
        raise ConfigError(f"/trace {rest} means nothing", hint="/trace, /trace on or /trace off")
    elif not talk.asked:
        talk.face.line("there was no turn yet; /trace on shows the next ones in full")
    else:
        for text, tone in trace_lines(talk.messages_of(len(talk.asked) - 1)):
            talk.face.line(talk.masker.text(text), tone)


async def _quit(talk: Conversation, _rest: str) -> None:
    talk.face.leave()


_COMMANDS: dict[str, Command] = {
    "help": _help,
    "tools": _tools,
    "model": _model,
    "usage": _usage,
    "reset": _reset,
    "save": _save,
    "load": _load,
    "files": _files,
    "trace": _trace,
    "quit": _quit,
}
