"""The five wires from the provider's side: how each says a text, calls, thoughts, a refusal, a cut answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from tests.support.fake_server import Answer, json_answer, stream_answer

from seatrial.core.model import Model, ModelInfo
from seatrial.providers.base import ProviderOptions
from seatrial.providers.catalog import PROVIDERS

KEY = "sk-canary-0123456789"
USAGE = (120, 80, 30)  # input, of which cached, output
LABELS = {"id": "chatcmpl-1", "created": 1_767_225_600, "model": "served-name"}

Call = tuple[str, str, str]  # id, name, arguments


class Spoken(Protocol):
    """One wire. ``events`` are those of a stream, in order, each a piece of bytes."""

    provider: str
    options: Mapping[str, Any]

    def whole(self, said: Said) -> Any: ...

    def events(self, said: Said) -> list[bytes]: ...


class Said:
    """What the provider says, apart from any wire."""

    def __init__(
        self, text: str = "", calls: tuple[Call, ...] = (), thought: str = "", refusal: str = "", is_cut: bool = False
    ) -> None:
        self.text = text
        self.calls = calls
        self.thought = thought
        self.refusal = refusal
        self.is_cut = is_cut

    @property
    def pieces(self) -> list[str]:
        """The text in pieces of three characters."""
        return [self.text[at : at + 3] for at in range(0, len(self.text), 3)]


class Chat:
    """Chat completions."""

    def __init__(self, provider: str, **options: Any) -> None:
        self.provider = provider
        self.options = options

    def whole(self, said: Said) -> Any:
        message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
        if said.thought:
            message["reasoning_content"] = said.thought
        if said.refusal:
            message["refusal"] = said.refusal
        if said.calls:
            message["tool_calls"] = [self._call(call) for call in said.calls]
        choice = {"index": 0, "message": message, "finish_reason": self._finish(said)}
        return {**LABELS, "object": "chat.completion", "choices": [choice], "usage": self._usage()}

    def events(self, said: Said) -> list[bytes]:
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"reasoning_content": said.thought}] if said.thought else []
        deltas += [{"content": piece} for piece in said.pieces]
        deltas += [{"refusal": said.refusal}] if said.refusal else []
        for index, (call_id, name, arguments) in enumerate(said.calls):
            half = len(arguments) // 2
            first = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
            deltas.append({"tool_calls": [first]})
            for piece in (arguments[:half], arguments[half:]):
                deltas.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        choices = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
        choices.append([{"index": 0, "delta": {}, "finish_reason": self._finish(said)}])
        labels = {**LABELS, "object": "chat.completion.chunk"}
        chunks: list[dict[str, Any]] = [{**labels, "choices": choice} for choice in choices]
        chunks.append({**labels, "choices": [], "usage": self._usage()})
        return [*map(_event, chunks), b"data: [DONE]\n\n"]

    def _call(self, call: Call) -> dict[str, Any]:
        return {"id": call[0], "type": "function", "function": {"name": call[1], "arguments": call[2]}}

    def _finish(self, said: Said) -> str:
        return "length" if said.is_cut else "tool_calls" if said.calls else "stop"

    def _usage(self) -> dict[str, Any]:
        tokens_in, cached, tokens_out = USAGE
        return {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "prompt_tokens_details": {"cached_tokens": cached},
        }


class Responses:
    """OpenAI's responses."""

    provider = "openai"

    def __init__(self) -> None:
        self.options: Mapping[str, Any] = {"compat": {"api": "responses"}}

    def whole(self, said: Said) -> Any:
        return self._response(said, self._items(said))

    def events(self, said: Said) -> list[bytes]:
        told: list[dict[str, Any]] = [
            {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}
        ]
        for index, item in enumerate(self._items(said)):
            at = {"output_index": index, "item_id": item["id"]}
            bare = {
                key: value for key, value in item.items() if key not in ("content", "arguments", "encrypted_content")
            }
            told.append({"type": "response.output_item.added", **at, "item": bare})
            told += [{**at, **delta} for delta in self._deltas(item, said)]
            told.append({"type": "response.output_item.done", **at, "item": item})
        ending = "response.incomplete" if said.is_cut else "response.completed"
        told.append({"type": ending, "response": self._response(said, self._items(said))})
        return [f"event: {event['type']}\n".encode() + _event(event) for event in told]

    def _deltas(self, item: dict[str, Any], said: Said) -> list[dict[str, Any]]:
        match item["type"]:
            case "reasoning":
                return [{"type": "response.reasoning_summary_text.delta", "delta": said.thought}]
            case "function_call":
                return [
                    {"type": "response.function_call_arguments.delta", "delta": piece} for piece in item["arguments"]
                ]
            case _ if said.refusal:
                return [{"type": "response.refusal.delta", "delta": said.refusal}]
            case _:
                return [{"type": "response.output_text.delta", "delta": piece} for piece in said.pieces]

    def _items(self, said: Said) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        if said.thought:
            summary = [{"type": "summary_text", "text": said.thought}]
            items.append({"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": "c2VhbGVk"})
        if said.text or said.refusal:
            part = {"type": "output_text", "text": said.text, "annotations": []}
            if said.refusal:
                part = {"type": "refusal", "refusal": said.refusal}
            items.append({"id": "msg_1", "type": "message", "role": "assistant", "content": [part]})
        for number, (call_id, name, arguments) in enumerate(said.calls):
            item = {"id": f"fc_{number}", "type": "function_call", "call_id": call_id, "name": name}
            items.append({**item, "arguments": arguments})
        return items

    def _response(self, said: Said, items: list[dict[str, Any]]) -> dict[str, Any]:
        tokens_in, cached, tokens_out = USAGE
        return {
            "id": "resp_1",
            "object": "response",
            "model": "served-name",
            "status": "incomplete" if said.is_cut else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if said.is_cut else None,
            "error": None,
            "output": items,
            "usage": {
                "input_tokens": tokens_in,
                "input_tokens_details": {"cached_tokens": cached},
                "output_tokens": tokens_out,
            },
        }


class Anthropic:
    """Anthropic's messages."""

    provider = "anthropic"
    options: Mapping[str, Any] = {}

    def whole(self, said: Said) -> Any:
        return {**self._head(), "content": self._blocks(said), "stop_reason": self._stop(said), "usage": self._usage()}

    def events(self, said: Said) -> list[bytes]:
        start = {**self._head(), "content": [], "stop_reason": None, "usage": {**self._usage(), "output_tokens": 1}}
        told: list[dict[str, Any]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
        for index, block in enumerate(self._blocks(said)):
            told += [{"index": index, **event} for event in self._block_events(block)]
        told.append(
            {"type": "message_delta", "delta": {"stop_reason": self._stop(said)}, "usage": {"output_tokens": 30}}
        )
        told.append({"type": "message_stop"})
        return [f"event: {event['type']}\n".encode() + _event(event) for event in told]

    def _block_events(self, block: dict[str, Any]) -> list[dict[str, Any]]:
        empty: dict[str, Any]
        match block["type"]:
            case "thinking":
                empty = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [
                    {"type": "thinking_delta", "thinking": block["thinking"]},
                    {"type": "signature_delta", "signature": block["signature"]},
                ]
            case "text":
                empty = {"type": "text", "text": ""}
                deltas = [{"type": "text_delta", "text": char} for char in block["text"]]
            case _:
                empty = {**block, "input": {}}
                text = json.dumps(block["input"])
                deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", text[:5], text[5:])]
        begin = {"type": "content_block_start", "content_block": empty}
        return [begin, *({"type": "content_block_delta", "delta": d} for d in deltas), {"type": "content_block_stop"}]

    def _head(self) -> dict[str, Any]:
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": "served-name"}

    def _blocks(self, said: Said) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = []
        if said.thought:
            blocks.append({"type": "thinking", "thinking": said.thought, "signature": "c2VhbGVk"})
        if said.text or said.refusal:
            blocks.append({"type": "text", "text": said.text or said.refusal})
        for call_id, name, arguments in said.calls:
            blocks.append({"type": "tool_use", "id": call_id, "name": name, "input": json.loads(arguments)})
        return blocks

    def _stop(self, said: Said) -> str:
        if said.refusal:
            return "refusal"
        return "max_tokens" if said.is_cut else "tool_use" if said.calls else "end_turn"

    def _usage(self) -> dict[str, Any]:
        tokens_in, cached, tokens_out = USAGE
        return {
            "input_tokens": tokens_in - cached,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": tokens_out,
        }


class Ollama:
    """Ollama's chat; it has no refusals, no cached tokens and no call ids."""

    provider = "ollama"
    options: Mapping[str, Any] = {}

    def whole(self, said: Said) -> Any:
        return {**self._end(said), "message": self._message(said)}

    def events(self, said: Said) -> list[bytes]:
        told: list[dict[str, Any]] = []
        if said.thought:
            told.append({"message": {"role": "assistant", "content": "", "thinking": said.thought}, "done": False})
        told += [{"message": {"role": "assistant", "content": piece}, "done": False} for piece in said.pieces]
        if said.calls:
            told.append({"message": {**self._message(said), "content": "", "thinking": ""}, "done": False})
        told.append({**self._end(said), "message": {"role": "assistant", "content": ""}})
        return [json.dumps(event).encode() + b"\n" for event in told]

    def _message(self, said: Said) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": said.text}
        if said.thought:
            message["thinking"] = said.thought
        if said.calls:
            message["tool_calls"] = [
                {"function": {"name": name, "arguments": json.loads(arguments)}} for _, name, arguments in said.calls
            ]
        return message

    def _end(self, said: Said) -> dict[str, Any]:
        reason = "length" if said.is_cut else "stop"
        counts = {"prompt_eval_count": USAGE[0], "eval_count": USAGE[2]}
        return {"model": "served-name", "done": True, "done_reason": reason, **counts}


WIRES: dict[str, Spoken] = {
    "openai": Chat("openai"),
    "openai-responses": Responses(),
    "azure_openai": Chat("azure_openai", deployment_name="my-deployment"),
    "openai_compatible": Chat("openai_compatible"),
    "anthropic": Anthropic(),
    "ollama": Ollama(),
}


def model_at(wire: Spoken, url: str, *, info: ModelInfo | None = None, **compat: Any) -> Model:
    """A model that asks the server at ``url``; failed tries are repeated without a wait."""
    told = {**wire.options}
    settings = {"backoff_s": 0, **told.pop("compat", {}), **compat}
    endpoint = f"{url}/v1" if wire.provider in ("openai", "openai_compatible") else url
    options = ProviderOptions(
        name="some-model", endpoint=endpoint, api_key=KEY, compat=settings, info=info, environ={}, **told
    )
    return PROVIDERS.load(wire.provider)(options)


def answer(wire: Spoken, said: Said, *, is_streamed: bool) -> Answer:
    """The wire's answer, as a stream or whole."""
    if not is_streamed:
        return json_answer(wire.whole(said))
    kind = "application/x-ndjson" if wire.provider == "ollama" else "text/event-stream"
    return stream_answer(wire.events(said), kind)


def _event(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"
