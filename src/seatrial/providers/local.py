"""The embedded engine: an offline extractive engine, not a language model.

It picks a tool by meaning, fills the arguments with words of the user's message, and answers with what the tools gave:
their fields, or the closest sentence with its source. It writes nothing of its own and it does not read the
instructions. The same request gives the same reply.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Sequence
from functools import cache
from time import perf_counter
from typing import Any

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.content import AssistantBlock, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, StopReason, ToolResultMessage, UserMessage
from seatrial.core.model import ModelInfo, ModelRequest, NoticeSink, TextDelta, ToolCallDelta, ToolSpec
from seatrial.core.threads import in_thread
from seatrial.core.usage import UNKNOWN_USAGE, ModelCost, Usage
from seatrial.errors import AbortedError, ConfigError, RetrievalError
from seatrial.providers.base import ProviderOptions
from seatrial.providers.local_answer import answer_from
from seatrial.providers.local_arguments import fill_arguments, same_for_each
from seatrial.providers.local_meaning import Meaning, TextEmbedder, spoken
from seatrial.providers.local_names import ENGINES
from seatrial.providers.local_routing import LEAST_CLOSENESS, RankedTool, likely_tools, ranked_tools
from seatrial.providers.minilm import shared_minilm

_FREE = ModelCost(input=0.0, output=0.0, cache_read=0.0, cache_write=0.0)


@cache
def _turn() -> threading.Lock:
    """The process's one place at the engine."""
    return threading.Lock()


class LocalModel:
    """A `Model` of provider ``local``. Works in a thread, so that other work goes on meanwhile."""

    provider = "local"

    def __init__(self, options: ProviderOptions, embedder: TextEmbedder | None = None) -> None:
        if options.name not in ENGINES:
            raise ConfigError(
                f"the provider local has no model {options.name!r}", hint=f"its models: {', '.join(ENGINES)}"
            )
        self.name = options.name
        self.info = options.info or ModelInfo(id=options.name, name=options.name, provider="local", cost=_FREE)
        self._embedder: TextEmbedder = embedder or shared_minilm()
        self._meaning = Meaning(self._embedder)

    async def respond(
        self, request: ModelRequest, *, on_notice: NoticeSink | None = None, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """One reply: a tool call, an answer from tool results, or a fixed sentence when no tool fits."""
        watch = signal or AbortSignal()
        try:
            watch.raise_if_set()
            reply = await watch.race(in_thread(self._reply_in_turn, request, watch))
        except AbortedError:
            return self._message((), "aborted")
        except RetrievalError as error:
            return self._message((), "error", error_message=f"{error.message}. {error.hint or ''}".strip())
        if on_notice is not None:
            for place, block in enumerate(reply.content):
                _stream(block, place, on_notice)
        return reply

    async def prepare(self) -> None:
        """Loads the embedding model."""
        await asyncio.to_thread(self._embedder.embed, ["ready"])

    async def close(self) -> None:
        """Nothing to free: the embedding model is shared by the whole process."""

    def _reply_in_turn(self, request: ModelRequest, signal: AbortSignal) -> AssistantMessage:
        """One reply after the other: side by side they would only share the same cores, and each would look slow."""
        asked = perf_counter()
        with _turn():
            waited_s = perf_counter() - asked
            signal.raise_if_set()
            return msgspec.structs.replace(self._reply(request), waited_s=waited_s)

    def _reply(self, request: ModelRequest) -> AssistantMessage:
        question, results = _last_turn(request.messages)
        if results:
            return self._says(request, answer_from(self._meaning, question, results))
        ranked = ranked_tools(self._meaning, question, request.tools) if question.strip() else []
        tools = likely_tools(ranked)
        if not tools:
            return self._says(request, _small_talk(request.tools), warnings=_why_no_tool(ranked))
        fillings = [(tool, fill_arguments(self._meaning, question, tool.parameters)) for tool in tools]
        usable = [(tool, filled) for tool, filled in fillings if not filled.missing]
        if not usable:
            tool, filled = fillings[0]
            return self._says(request, f"To use {spoken(tool.name)} I need: {'; '.join(filled.missing)}.")
        tool, filled = next((pair for pair in usable if pair[1].has_code), usable[0])
        return self._calls(request, tool.name, same_for_each(question, filled.arguments))

    def _calls(self, request: ModelRequest, name: str, calls: Sequence[dict[str, Any]]) -> AssistantMessage:
        texts = [json.dumps(arguments, ensure_ascii=False) for arguments in calls]
        first = _calls_so_far(request.messages) + 1
        blocks = tuple(
            ToolCall(f"call_{number}", name, arguments, arguments_text=text)
            for number, (arguments, text) in enumerate(zip(calls, texts, strict=True), start=first)
        )
        return self._message(blocks, "tool_calls", usage=self._usage(request, " ".join(texts)))

    def _says(self, request: ModelRequest, text: str, *, warnings: tuple[str, ...] = ()) -> AssistantMessage:
        said = self._within(text, request.sampling.max_tokens)
        stop_reason: StopReason = "stop" if said == text else "length"
        return self._message((TextContent(said),), stop_reason, usage=self._usage(request, said), warnings=warnings)

    def _within(self, text: str, max_tokens: int | None) -> str:
        """The text up to the last word that ends within the limit."""
        if max_tokens is None or self._tokens(text) <= max_tokens:
            return text
        words = _words(text)
        while words and self._tokens("".join(words)) > max_tokens:
            words.pop()
        return "".join(words).rstrip()

    def _usage(self, request: ModelRequest, output: str) -> Usage:
        """Everything in the request and the reply, in the embedding model's own tokens."""
        read = [request.system_prompt, *map(_text_of_message, request.messages), *map(_text_of_tool, request.tools)]
        return Usage(input_tokens=sum(map(self._tokens, read)), output_tokens=self._tokens(output))

    def _tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text) if text else 0

    def _message(
        self,
        content: tuple[AssistantBlock, ...],
        stop_reason: StopReason,
        *,
        usage: Usage = UNKNOWN_USAGE,
        error_message: str | None = None,
        warnings: tuple[str, ...] = (),
    ) -> AssistantMessage:
        return AssistantMessage(
            content=content,
            api="local",
            provider=self.provider,
            model=self.name,
            usage=usage,
            cost_usd=0.0,
            stop_reason=stop_reason,
            error_message=error_message,
            can_retry=False if error_message else None,
            warnings=warnings,
        )


def _last_turn(messages: Sequence[Message]) -> tuple[str, list[ToolResultMessage]]:
    """The last thing that the user said, and the results of the tool calls since then."""
    results: list[ToolResultMessage] = []
    for message in reversed(messages):
        if isinstance(message, UserMessage):
            return message.text, results[::-1]
        if isinstance(message, ToolResultMessage):
            results.append(message)
    return "", results[::-1]


def _small_talk(tools: Sequence[ToolSpec]) -> str:
    if not tools:
        return "I am an offline extractive engine: I answer with what tools find, and this agent has no tools."
    return f"I can only answer with what my tools find: {', '.join(spoken(tool.name) for tool in tools)}."


def _why_no_tool(ranked: Sequence[RankedTool]) -> tuple[str, ...]:
    """What a person who expected a tool call wants to know."""
    if not ranked:
        return ()
    closeness, tool = ranked[0]
    return (
        f"no tool was close enough to the message: the closest, {tool.name}, has a cosine of {closeness:.2f}, and "
        f"{LEAST_CLOSENESS} is needed; describe the tool in the words of its users, or give it `examples:`",
    )


def _calls_so_far(messages: Sequence[Message]) -> int:
    return sum(len(message.tool_calls) for message in messages if isinstance(message, AssistantMessage))


def _text_of_message(message: Message) -> str:
    calls = message.tool_calls if isinstance(message, AssistantMessage) else []
    return " ".join([message.text, *(f"{call.name} {json.dumps(call.arguments)}" for call in calls)])


def _text_of_tool(tool: ToolSpec) -> str:
    return f"{tool.name} {tool.description} {json.dumps(tool.parameters)}"


def _stream(block: AssistantBlock, place: int, on_notice: NoticeSink) -> None:
    if isinstance(block, TextContent):
        for word in _words(block.text):
            on_notice(TextDelta(word))
    elif isinstance(block, ToolCall):
        on_notice(ToolCallDelta(place, block.name, block.arguments_text or "{}"))


def _words(text: str) -> list[str]:
    """The text in pieces of one word with the white space after it."""
    return re.findall(r"\s*\S+\s*", text)
