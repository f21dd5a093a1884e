"""What is kept of one case: for each try the calls that were made, and what they gave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from seatrial.core.content import AssistantBlock, ResultBlock
from seatrial.core.messages import FailedTry, StopReason
from seatrial.core.model import ReasoningDelta, RetryNotice, Sampling, TextWasReasoning, ToolCallDelta, ToolSpec
from seatrial.core.tool import ExecutionMode
from seatrial.core.usage import UNKNOWN_USAGE, Usage
from seatrial.errors import RunError
from seatrial.recording.said import Asked, ModelAsked, Said, ToolAsked, VectorsAsked

FORMAT = 1
_RECORD_ANEW = "record the case anew"

_Place = Annotated[int, msgspec.Meta(ge=0)]
_FromOne = Annotated[int, msgspec.Meta(ge=1)]
# A line break in it keeps it out of texts: there it would be escaped.
_BEGINNING = re.compile(rb'\s*\{\s*"case"\s*:')
_NUMBERS = re.compile(rb"\[\n\s*(\d+(?:,\n\s*\d+)*)\n\s*\]")


class Raised(msgspec.Struct, frozen=True, omit_defaults=True):
    """An exception in place of an answer: its words, and what a tool or a provider left to tell."""

    message: str
    is_provider: bool = False
    code: str | None = None
    can_retry: bool = False
    details: dict[str, Any] | None = None


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """An `AssistantMessage` without its times."""

    content: tuple[AssistantBlock, ...] = ()
    api: str = ""
    provider: str = ""
    model: str = ""
    response_id: str = ""
    usage: Usage = UNKNOWN_USAGE
    cost_usd: float | None = None
    stop_reason: StopReason = "stop"
    raw_stop_reason: str | None = None
    error_message: str | None = None
    error_code: str | None = None
    can_retry: bool | None = None
    failed_tries: tuple[FailedTry, ...] = ()
    warnings: tuple[str, ...] = ()


class Output(msgspec.Struct, frozen=True, omit_defaults=True):
    """A `ToolOutput` in JSON's terms."""

    content: tuple[ResultBlock, ...] = ()
    details: Any = None
    usage: Usage | None = None
    cost_usd: float | None = None
    added_tool_names: tuple[str, ...] | None = None
    is_error: bool = False
    should_terminate: bool = False
    hook_errors: tuple[str, ...] = ()


# What was told while a reply came, piece by piece: text as it is, all else by its kind.
Piece = str | TextWasReasoning | ReasoningDelta | ToolCallDelta | RetryNotice


class ModelCall(msgspec.Struct, frozen=True, tag_field="kind", tag="model", omit_defaults=True):
    """A request and its reply.

    ``instructions`` and ``tools`` are places in the cassette's tables. ``messages`` are what comes after those of the
    model call with the number ``continues``, where that is given.
    """

    number: int
    model: str
    messages: tuple[Said, ...] = ()
    continues: int | None = None
    instructions: _Place | None = None
    tools: tuple[_Place, ...] = ()
    sampling: Sampling | None = None
    response_schema: dict[str, Any] | None = None
    reply: Reply | None = None
    raised: Raised | None = None
    stream: tuple[Piece, ...] = ()


class ToolRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool that another tool called through its context."""

    tool: str
    arguments: dict[str, Any] = {}


class ToolCallMade(msgspec.Struct, frozen=True, tag_field="kind", tag="tool", omit_defaults=True):
    """A call and its output. ``steps`` is what it told of itself (text) and which tools it called.

    ``inside`` are the calls that were made while it ran: needed when tools are left live.
    """

    number: int
    tool: str
    arguments: dict[str, Any] = {}
    output: Output | None = None
    raised: Raised | None = None
    steps: tuple[str | ToolRequest, ...] = ()
    inside: tuple[ModelCall | ToolCallMade | VectorsCall, ...] = ()


class VectorsCall(msgspec.Struct, frozen=True, tag_field="kind", tag="vectors", omit_defaults=True):
    """Texts and their vectors, as `text_of_vectors` writes them."""

    number: int
    embedder: str
    texts: tuple[str, ...] = ()
    vectors: str = ""
    raised: Raised | None = None


Call = ModelCall | ToolCallMade | VectorsCall


class ListedTool(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool of a server as it was offered; ``spec`` is a place in the cassette's table."""

    spec: _Place
    label: str
    execution_mode: ExecutionMode = "parallel"
    timeout_s: float | None = None
    max_output_chars: int | None = None
    leaves_out_null: bool = False


class Listing(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a server listed when it was asked for the ``asked``-th time (from 1): it said the same before that."""

    source: str
    asked: _FromOne
    tools: tuple[ListedTool, ...] = ()
    raised: Raised | None = None


class RecordedTrial(msgspec.Struct, frozen=True, omit_defaults=True):
    """One try of the case in one variant.

    ``calls`` are the agent's, in the order in which they began; ``grading`` those of its metrics. ``order`` says, by
    their numbers, when the tool calls began, told something and ended, where they did not do so one after the other.
    """

    variant: str = ""
    repeat: _FromOne = 1
    listings: tuple[Listing, ...] = ()
    calls: tuple[Call, ...] = ()
    grading: tuple[Call, ...] = ()
    order: tuple[int, ...] = ()

    @property
    def all_calls(self) -> Iterator[Call]:
        """Every call, those inside of others after them."""
        return _with_those_inside((*self.calls, *self.grading))


class Cassette(msgspec.Struct, frozen=True):
    """Everything recorded of one case. ``instructions`` (as lines) and ``tools`` are written once for all its calls."""

    case: str
    instructions: tuple[tuple[str, ...], ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    trials: tuple[RecordedTrial, ...] = ()
    format: int = FORMAT

    def trial(self, variant: str, repeat: int) -> RecordedTrial | None:
        """The try that is meant, None when it was not recorded."""
        found = (trial for trial in self.trials if (trial.variant, trial.repeat) == (variant, repeat))
        return next(found, None)


def asked_in(trial: RecordedTrial, cassette: Cassette) -> Iterator[tuple[Call, Asked]]:
    """Every call with what was asked, written out."""
    messages: dict[int, tuple[Said, ...]] = {}
    for call in trial.all_calls:
        if isinstance(call, ToolCallMade):
            yield call, ToolAsked(call.tool, call.arguments)
        elif isinstance(call, VectorsCall):
            yield call, VectorsAsked(call.embedder, call.texts)
        else:
            before = () if call.continues is None else messages.get(call.continues, ())
            messages[call.number] = (*before, *call.messages)
            yield call, _model_asked(call, messages[call.number], cassette)


def encode(cassette: Cassette) -> bytes:
    """The file's bytes: indented JSON, lists of numbers on one line."""
    document = msgspec.json.format(msgspec.json.encode(cassette), indent=1)
    return _NUMBERS.sub(lambda found: b"[" + b" ".join(found[1].split()) + b"]", document) + b"\n"


def decode(data: bytes, name: str) -> Cassette:
    """The cassette in a file's bytes. Raises `RunError` that names the file and the place when they are none."""
    try:
        cassette = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(f"the recording {name} cannot be read: {error}", hint=_RECORD_ANEW) from error
    if cassette.format != FORMAT:
        raise RunError(
            f"the recording {name} has the format {cassette.format}, and this version reads {FORMAT}",
            hint=_RECORD_ANEW,
        )
    for number, trial in enumerate(cassette.trials):
        fault = _fault(trial, cassette)
        if fault is not None:
            raise RunError(f"the recording {name} cannot be read: {fault} - at `$.trials[{number}]`", hint=_RECORD_ANEW)
    return cassette


def is_begun(head: bytes) -> bool:
    """Whether a file that begins like this is a recording, be it cut off; an empty one holds nothing to lose."""
    return not head.strip() or _BEGINNING.match(head) is not None


def _fault(trial: RecordedTrial, cassette: Cassette) -> str | None:
    """What a trial says that no recorder wrote; the rest of the recorder's promises are in the types."""
    calls: dict[int, Call] = {}
    for call in trial.all_calls:
        if call.number in calls:
            return f"two calls have the number {call.number}"
        if isinstance(call, ModelCall):
            before = None if call.continues is None else calls.get(call.continues)
            if call.continues is not None and not isinstance(before, ModelCall):
                return f"call {call.number} goes on from {call.continues}, which is no request before it"
            if call.instructions is not None and call.instructions >= len(cassette.instructions):
                return f"call {call.number} names instructions that are not there"
            if any(place >= len(cassette.tools) for place in call.tools):
                return f"call {call.number} names a tool that is not there"
        calls[call.number] = call
        has_answer = isinstance(call, VectorsCall) or (call.reply if isinstance(call, ModelCall) else call.output)
        if not has_answer and call.raised is None:
            return f"call {call.number} has no answer"
    if any(tool.spec >= len(cassette.tools) for listing in trial.listings for tool in listing.tools):
        return "a server's list names a tool that is not there"
    return None


def _model_asked(call: ModelCall, messages: tuple[Said, ...], cassette: Cassette) -> ModelAsked:
    instructions = "" if call.instructions is None else "\n".join(cassette.instructions[call.instructions])
    tools = tuple([cassette.tools[place] for place in call.tools])
    return ModelAsked(call.model, instructions, messages, tools, call.sampling or Sampling(), call.response_schema)


def _with_those_inside(calls: tuple[Call, ...]) -> Iterator[Call]:
    for call in calls:
        yield call
        if isinstance(call, ToolCallMade):
            yield from _with_those_inside(call.inside)


_decoder = msgspec.json.Decoder(Cassette)
