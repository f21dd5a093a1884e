"""The dialects in which open models write calls into their text, each with its marks and the reader of what is between.

Every reader goes through its text once: no mark that is missing, repeated or out of place makes it look again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from seatrial.formats.arguments import LooseJsonError, read_loose
from seatrial.formats.json_spans import end_of_value
from seatrial.formats.wire_json import UnreadableJsonError, decode

NAME_KEYS = ("name", "tool_name", "function_name", "tool")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
CALL_KEYS = frozenset({*NAME_KEYS, *ARGUMENT_KEYS, "id", "type", "function"})
NEXT_OBJECT = re.compile(r"[;\n](?=[ \t]*\{)")
PARAMETER = re.compile(r'<parameter(?:=|\s+name=")([^<>"]+)"?>\n?')
PARAMETER_END = "</parameter>"
FUNCTION = re.compile(r"<function=([^<>\s]+)>(.*?)(?:</function>|\Z)", re.DOTALL)
INVOKE = re.compile(r'<invoke name="([^"]+)">(.*?)(?:</invoke>|\Z)', re.DOTALL)
GLM_CALL = re.compile(r"\s*([\w.-]+)\s*(?=<arg_key>|\Z)")
GLM_VALUE = re.compile(r"\s*<arg_value>")
KIMI_HEAD = re.compile(r"<\|tool_call_begin\|>\s*([^\s<]+)\s*<\|tool_call_argument_begin\|>")
KIMI_END = "<|tool_call_end|>"
DEEPSEEK_HEAD = re.compile(r"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([^\s<]+)(?:<｜tool▁sep｜>|\s*```json)")
DEEPSEEK_END = "<｜tool▁call▁end｜>"
MISTRAL_HEAD = re.compile(r"\s*(?:\[TOOL_CALLS\])?([\w.-]+)(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?\s*(?=\{)")
JSON_START = re.compile(r"\s*(?=[\[{])")


class WrittenCall(NamedTuple):
    """A call found in text: its name, its arguments raw, and what is wrong with it if something is."""

    name: str
    arguments: Any
    error: str | None = None


class Markup(NamedTuple):
    """How a dialect marks a call. Where there is no ``closing``, ``end`` says where the calls that begin there end."""

    opening: str
    closing: str
    read: Callable[[str], list[WrittenCall] | None]
    end: Callable[[str, int], int] | None = None


def calls_in_json(body: str) -> list[WrittenCall] | None:
    """Calls as one JSON object, a list of objects, or objects one after the other."""
    try:
        value = _any_json(body)
    except LooseJsonError:
        lines = [line for line in NEXT_OBJECT.split(body.strip()) if line.strip()]
        if len(lines) < 2:
            return None
        found = [calls_in_json(line) for line in lines]
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
    if not isinstance(item, dict) or not item.keys() <= CALL_KEYS:
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
        return [WrittenCall(name.group(1), dict(_keys_and_values(body)))] if name else None
    return calls_in_json(body)


def _functions(body: str) -> list[WrittenCall] | None:
    return [_function(name, inner) for name, inner in FUNCTION.findall(body)] or None


def _function(name: str, inner: str) -> WrittenCall:
    parameters = dict(_parameters(inner))
    return WrittenCall(name, parameters if parameters or not inner.strip() else inner.strip())


def _one_function(body: str) -> list[WrittenCall] | None:
    return _functions(f"<function={body}</function>")


def _invokes(body: str) -> list[WrittenCall] | None:
    return [WrittenCall(name, dict(_parameters(inner))) for name, inner in INVOKE.findall(body)] or None


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while found := PARAMETER.search(text, at):
        end = text.find(PARAMETER_END, found.end())
        if end < 0:
            return
        yield found.group(1).strip(), text[found.end() : end].removesuffix("\n")
        at = end + len(PARAMETER_END)


def _keys_and_values(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while (start := text.find("<arg_key>", at)) >= 0:
        key_end = text.find("</arg_key>", start)
        if key_end < 0:
            return
        at = key_end + len("</arg_key>")
        value = GLM_VALUE.match(text, at)
        if value is None:
            continue
        end = text.find("</arg_value>", value.end())
        if end < 0:
            return
        yield text[start + len("<arg_key>") : key_end].strip(), text[value.end() : end]
        at = end + len("</arg_value>")


def _headed(body: str, head: re.Pattern[str], end_mark: str) -> Iterator[tuple[str, str]]:
    """The name in each head, and what stands between it and the next end mark."""
    at = 0
    while (end := body.find(end_mark, at)) >= 0:
        found = head.search(body, at, end)
        if found:
            yield found.group(1), body[found.end() : end].strip()
        at = end + len(end_mark)


def _kimi(body: str) -> list[WrittenCall] | None:
    calls = [WrittenCall(_without_number(name), text) for name, text in _headed(body, KIMI_HEAD, KIMI_END)]
    return calls or None


def _without_number(name: str) -> str:
    bare, _, number = name.rpartition(":")
    return bare if bare and number.isdecimal() else name


def _deepseek(body: str) -> list[WrittenCall] | None:
    found = _headed(body, DEEPSEEK_HEAD, DEEPSEEK_END)
    return [WrittenCall(name, text.removesuffix("```").strip()) for name, text in found] or None


def _mistral(body: str) -> list[WrittenCall] | None:
    """A list of calls in JSON, or names each followed by its arguments."""
    if body.lstrip().startswith("["):
        return calls_in_json(body)
    calls: list[WrittenCall] = []
    at = 0
    while found := MISTRAL_HEAD.match(body, at):
        at = end_of_value(body, found.end())
        calls.append(WrittenCall(found.group(1), body[found.end() : at]))
    return calls or None


def _mistral_end(text: str, start: int) -> int:
    """After the list, or after the last of the named calls; what follows is text."""
    found = JSON_START.match(text, start)
    if found and text.startswith("[", found.end()):
        return end_of_value(text, found.end())
    at = start
    while head := MISTRAL_HEAD.match(text, at):
        at = end_of_value(text, head.end())
    return at


def _json_end(text: str, start: int) -> int:
    """After the objects that stand there one after the other, with no more than a semicolon between two of them."""
    at = end = start
    while found := JSON_START.match(text, at):
        end = end_of_value(text, found.end())
        at = end + text.startswith(";", end)
    return end


MARKUPS = (
    Markup("<tool_call>", "</tool_call>", _in_tool_call_tag),
    Markup("<tool_calls>", "</tool_calls>", calls_in_json),
    Markup("<function_call>", "</function_call>", calls_in_json),
    Markup("<function_calls>", "</function_calls>", _invokes),
    Markup("<minimax:tool_call>", "</minimax:tool_call>", _invokes),
    Markup("<function=", "</function>", _one_function),
    Markup("[TOOL_CALLS]", "", _mistral, _mistral_end),
    Markup("<|python_tag|>", "", calls_in_json, _json_end),
    Markup("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", _kimi),
    Markup("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", _deepseek),
)
MARKERS = tuple(markup.opening for markup in MARKUPS)
MARKER = re.compile("|".join(re.escape(marker) for marker in MARKERS))
CLOSINGS = tuple(markup.closing for markup in MARKUPS if markup.closing)
