"""Tool calls that a model wrote into its text, in the dialects of open models.

They are taken for calls only where the offered tools confirm the name and the markup stands apart: not in code, not in
the middle of a sentence. Everything else stays text, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from seatrial.core.content import AssistantBlock, TextContent, ToolCall
from seatrial.formats.arguments import FENCE, LooseJsonError, read_loose
from seatrial.formats.calls import CallRecord, finished_calls
from seatrial.formats.reading import Reading
from seatrial.formats.wire_json import UnreadableJsonError, decode

NAME_KEYS = ("name", "tool_name", "function_name", "tool")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
BARE_KEYS = frozenset({*NAME_KEYS, *ARGUMENT_KEYS, "id", "type", "function"})
BARE_BEGUN = re.compile(r"\A\s*(?:```[\w-]*\s*)?(?:\[\s*)?\{")
BARE_MAY_BEGIN = re.compile(r"\A\s*(?:`{0,2}|```[\w-]*\s*)(?:\[\s*)?\Z")
NAME_IN_PIECE = re.compile(r'"name"\s*:\s*"([^"]+)"|<function=([^>\s]+)>|<invoke name="([^"]+)"')
PARAMETER = re.compile(r"<parameter(?:=|\s+name=\")([^>\"]+)\"?>\n?(.*?)\n?</parameter>", re.DOTALL)
ARG_PAIR = re.compile(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)
FUNCTION = re.compile(r"\s*<function=([^>\s]+)>(.*?)(?:</function>|\Z)", re.DOTALL)
INVOKE = re.compile(r'\s*<invoke name="([^"]+)">(.*?)(?:</invoke>|\Z)', re.DOTALL)
GLM_CALL = re.compile(r"\s*([\w.-]+)\s*(?=<arg_key>|\Z)")
KIMI_CALL = re.compile(
    r"<\|tool_call_begin\|>\s*(\S+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>(.*?)<\|tool_call_end\|>", re.DOTALL
)
DEEPSEEK_CALL = re.compile(
    r"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([^\s<]+)(?:<｜tool▁sep｜>|\s*```json)(.*?)(?:```)?\s*<｜tool▁call▁end｜>",
    re.DOTALL,
)
MISTRAL_CALL = re.compile(r"\s*(?:\[TOOL_CALLS\])?([\w.-]+)(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?\s*(?=\{)")


class WrittenCall(NamedTuple):
    """A call found in text: its name, its arguments raw, and what is wrong with it if something is."""

    name: str
    arguments: Any
    error: str | None = None


class Markup(NamedTuple):
    """How a dialect marks a call: ``closing`` is empty where the call runs to the end of the text."""

    opening: str
    closing: str
    read: Callable[[str], list[WrittenCall] | None]


class TextCalls(NamedTuple):
    """The blocks with the calls taken out of the text and put in their place."""

    blocks: tuple[AssistantBlock, ...]
    has_calls: bool
    warnings: tuple[str, ...] = ()


def find_text_calls(blocks: tuple[AssistantBlock, ...], reading: Reading) -> TextCalls:
    """Looks for calls in the text blocks; a call that was cut off is kept with its error, so that it is not run."""
    texts = [block for block in blocks if isinstance(block, TextContent)]
    if not any(MAY_HOLD_CALL.search(block.text) for block in texts):
        return TextCalls(blocks, False)
    if len(texts) == 1 and reading.tool_names:
        bare = _bare_calls(texts[0].text, reading)
        if bare:
            rest = tuple(block for block in blocks if not isinstance(block, TextContent))
            return TextCalls((*rest, *_as_calls(bare, reading)), True)
    found: list[AssistantBlock | WrittenCall] = []
    warnings: list[str] = []
    for block in blocks:
        if isinstance(block, TextContent):
            found.extend(_split(block.text, reading, warnings))
        else:
            found.append(block)
    written = [piece for piece in found if isinstance(piece, WrittenCall)]
    if not written:
        return TextCalls(blocks, False, tuple(warnings))
    calls = iter(_as_calls(written, reading))
    settled = tuple(next(calls) if isinstance(piece, WrittenCall) else piece for piece in found)
    return TextCalls(settled, True, tuple(warnings))


def is_bare_call_begun(text: str) -> bool:
    """Whether a text that begins like this may be nothing but a call in JSON."""
    return BARE_BEGUN.match(text) is not None


def may_begin_bare_call(text: str) -> bool:
    """Whether too little has arrived to tell."""
    return BARE_MAY_BEGIN.match(text) is not None


def _split(text: str, reading: Reading, warnings: list[str]) -> Iterator[TextContent | WrittenCall]:
    """The text and the calls in it, in order."""
    begin = at = 0
    while (start := _next_marker(text, at)) is not None:
        markup, where = start
        end = text.find(markup.closing, where + len(markup.opening)) if markup.closing else len(text)
        is_cut = end < 0
        body = text[where + len(markup.opening) :] if is_cut else text[where + len(markup.opening) : end]
        stop = len(text) if is_cut else end + len(markup.closing)
        calls = _cut_call(body) if is_cut else markup.read(body)
        if calls and _stands_apart(text, where, stop) and all(_is_offered(call.name, reading) for call in calls):
            if text[begin:where].strip():
                yield TextContent(text[begin:where])
            yield from calls
            begin = at = stop
        else:
            warnings.append(f"the answer's text holds {markup.opening!r}, which no offered tool confirms as a call")
            at = where + len(markup.opening)
    if text[begin:].strip():
        yield TextContent(text[begin:])


def _next_marker(text: str, at: int) -> tuple[Markup, int] | None:
    found = [(where, markup) for markup in MARKUPS if (where := text.find(markup.opening, at)) >= 0]
    if not found:
        return None
    where, markup = min(found, key=lambda pair: pair[0])
    return markup, where


def _stands_apart(text: str, start: int, stop: int) -> bool:
    """Not in code, and not with words of one sentence on both sides."""
    if text.count("`", 0, start) % 2:
        return False
    before = text[text.rfind("\n", 0, start) + 1 : start].strip()
    line_end = text.find("\n", stop)
    after = text[stop : line_end if line_end >= 0 else len(text)].strip()
    return not (before and after) or after.startswith(MARKERS) or before.endswith(CLOSINGS)


def _is_offered(name: str, reading: Reading) -> bool:
    return name in reading.tool_names or name.rpartition(".")[2] in reading.tool_names


def _as_calls(written: list[WrittenCall], reading: Reading) -> list[ToolCall]:
    records: list[CallRecord] = []
    for call in written:
        record = CallRecord(name=call.name)
        record.add(call.arguments)
        records.append(record)
    calls = finished_calls(records, seed=f"{reading.seed}|text", tool_names=reading.tool_names)
    return [
        call if found.error is None else ToolCall(call.id, call.name, {}, call.arguments_text, found.error)
        for call, found in zip(calls, written, strict=True)
    ]


def _bare_calls(text: str, reading: Reading) -> list[WrittenCall] | None:
    """The calls when the whole text is one call in JSON, or a list of them."""
    fenced = FENCE.match(text)
    body = (fenced.group(1) if fenced else text).strip()
    if not body.startswith(("{", "[")):
        return None
    calls = _calls_in_json(body)
    if not calls or not all(_is_offered(call.name, reading) and call.arguments is not None for call in calls):
        return None
    return calls


def _cut_call(body: str) -> list[WrittenCall] | None:
    """A call whose closing mark is missing: its name, so that the model can be told."""
    found = NAME_IN_PIECE.search(body)
    if found is None:
        return None
    name = next(group for group in found.groups() if group)
    return [WrittenCall(name, body, "the call was cut off before its end, send it again whole")]


def _calls_in_json(body: str) -> list[WrittenCall] | None:
    """Calls as one JSON object, a list of objects, or objects one after the other."""
    try:
        value = _any_json(body)
    except LooseJsonError:
        lines = [line for line in re.split(r"[;\n]\s*(?=\{)", body.strip()) if line.strip()]
        if len(lines) < 2:
            return None
        found = [_calls_in_json(line) for line in lines]
        return [call for calls in found for call in calls or ()] if all(found) else None
    items = value if isinstance(value, list) else [value]
    calls = [_call_in(item) for item in items]
    return [call for call in calls if call is not None] if calls and all(calls) else None


def _any_json(text: str) -> Any:
    try:
        return decode(text)
    except UnreadableJsonError:
        return read_loose(text)


def _call_in(item: Any) -> WrittenCall | None:
    if not isinstance(item, dict) or not item.keys() <= BARE_KEYS:
        return None
    inner = item.get("function")
    if isinstance(inner, dict):
        return _call_in(inner)
    name = next((item[key] for key in NAME_KEYS if isinstance(item.get(key), str)), inner)
    if not isinstance(name, str) or not name:
        return None
    return WrittenCall(name, next((item[key] for key in ARGUMENT_KEYS if item.get(key) is not None), None))


def _in_tool_call_tag(body: str) -> list[WrittenCall] | None:
    """Hermes and Qwen put JSON there, Qwen Coder ``<function=…>``, GLM ``<arg_key>`` pairs."""
    if "<function=" in body:
        return _functions(body)
    if "<arg_key>" in body or GLM_CALL.fullmatch(body):
        name = GLM_CALL.match(body)
        return [WrittenCall(name.group(1), dict(_pairs(ARG_PAIR, body)))] if name else None
    return _calls_in_json(body)


def _functions(body: str) -> list[WrittenCall] | None:
    return [_function(found) for found in FUNCTION.finditer(body)] or None


def _function(found: re.Match[str]) -> WrittenCall:
    name, inner = found.groups()
    if PARAMETER.search(inner) or not inner.strip():
        return WrittenCall(name, dict(_pairs(PARAMETER, inner)))
    return WrittenCall(name, inner.strip())


def _one_function(body: str) -> list[WrittenCall] | None:
    return _functions(f"<function={body}</function>")


def _invokes(body: str) -> list[WrittenCall] | None:
    found = [WrittenCall(name, dict(_pairs(PARAMETER, inner))) for name, inner in INVOKE.findall(body)]
    return found or None


def _pairs(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    for key, value in pattern.findall(text):
        yield key.strip(), value


def _mistral(body: str) -> list[WrittenCall] | None:
    """A list of calls in JSON, or names each followed by its arguments."""
    if body.lstrip().startswith("["):
        return _calls_in_json(body)
    starts = list(MISTRAL_CALL.finditer(body))
    if not starts or starts[0].start() != 0:
        return None
    return _named_arguments(body, starts)


def _named_arguments(body: str, starts: list[re.Match[str]]) -> list[WrittenCall] | None:
    calls: list[WrittenCall] = []
    at = 0
    for found in starts:
        if found.start() < at:
            continue
        at = _object_end(body, found.end())
        calls.append(WrittenCall(found.group(1), body[found.end() : at]))
    return calls


def _object_end(text: str, start: int) -> int:
    """Where the JSON object that begins at ``start`` ends, or the end of the text."""
    depth, is_string, at = 0, False, start
    while at < len(text):
        char = text[at]
        if is_string:
            at += char == "\\"
            is_string = char != '"'
        elif char == '"':
            is_string = True
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return len(text)


def _kimi(body: str) -> list[WrittenCall] | None:
    return [WrittenCall(name, arguments.strip()) for name, arguments in KIMI_CALL.findall(body)] or None


def _deepseek(body: str) -> list[WrittenCall] | None:
    return [WrittenCall(name, arguments.strip()) for name, arguments in DEEPSEEK_CALL.findall(body)] or None


MARKUPS = (
    Markup("<tool_call>", "</tool_call>", _in_tool_call_tag),
    Markup("<tool_calls>", "</tool_calls>", _calls_in_json),
    Markup("<function_call>", "</function_call>", _calls_in_json),
    Markup("<function_calls>", "</function_calls>", _invokes),
    Markup("<minimax:tool_call>", "</minimax:tool_call>", _invokes),
    Markup("<function=", "</function>", _one_function),
    Markup("[TOOL_CALLS]", "", _mistral),
    Markup("<|python_tag|>", "", _calls_in_json),
    Markup("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", _kimi),
    Markup("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", _deepseek),
)
MARKERS = tuple(markup.opening for markup in MARKUPS)
MAY_HOLD_CALL = re.compile("|".join(re.escape(opening) for opening in (*MARKERS, "{")))
CLOSINGS = tuple(markup.closing for markup in MARKUPS if markup.closing)
