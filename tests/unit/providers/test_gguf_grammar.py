"""What the model may write when tools or a shape are asked for: checked on what a real model then writes."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema_rs
import pytest
from tests.support.small_model import MODEL_FILE

from seatrial.core.model import ToolSpec
from seatrial.formats.text_calls import MARKERS
from seatrial.providers.gguf_engine import EngineSettings, shared_engine
from seatrial.providers.gguf_grammar import Thinking, grammar_of

SCHEMAS: dict[str, dict[str, Any]] = {
    "no arguments": {"type": "object", "properties": {}},
    "pattern and bounds": {
        "type": "object",
        "properties": {
            "id": {"type": "string", "pattern": "^[A-Z]-[0-9]{4}$"},
            "count": {"type": "integer", "minimum": 2, "maximum": 40},
        },
        "required": ["id", "count"],
    },
    "definitions": {
        "type": "object",
        "properties": {"where": {"$ref": "#/$defs/Place"}, "when": {"type": "string", "format": "date"}},
        "required": ["where", "when"],
        "$defs": {
            "Place": {
                "type": "object",
                "properties": {"city": {"enum": ["Paris", "Rome"]}, "is_abroad": {"type": "boolean"}},
                "required": ["city", "is_abroad"],
            }
        },
    },
    "list of choices": {
        "type": "object",
        "properties": {
            "colours": {"type": "array", "items": {"enum": ["red", "green"]}, "minItems": 1, "maxItems": 3},
            "note": {"type": ["string", "null"], "maxLength": 12},
        },
        "required": ["colours", "note"],
    },
    "look-around": {
        "type": "object",
        "properties": {"word": {"type": "string", "pattern": "^(?=a)a+$", "maxLength": 5}},
        "required": ["word"],
    },
    "a keyword that no grammar holds": {
        "type": "object",
        "properties": {"size": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["size"],
        "not": {"required": ["colour"]},
    },
}
QUESTION = "Take two red tents of order A-1001 to Paris."


class Heard:
    """Everything that the engine says."""

    is_over = False

    def __init__(self) -> None:
        self.text = ""
        self.ending = ""

    def take(self, chunk: bytes) -> None:
        said = json.loads(chunk)
        assert "error" not in said, said
        for choice in said["choices"]:
            self.text += choice["delta"].get("content") or ""
            self.ending = choice["finish_reason"] or self.ending


def write(grammar: str | None, *, seed: int = 1, max_tokens: int = 150) -> Heard:
    heard = Heard()
    body = {
        "messages": [{"role": "user", "content": QUESTION}],
        "grammar": grammar,
        "temperature": 1.0,
        "seed": seed,
        "max_tokens": max_tokens,
        "stream": True,
    }
    engine = shared_engine(MODEL_FILE, EngineSettings(n_ctx=4096))
    engine.generate(json.dumps(body).encode(), heard)
    return heard


def must_call(grammar: str | None) -> str:
    assert grammar is not None
    return grammar.replace("( call | ANSWER )", "call")


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("shape", SCHEMAS)
def test_a_call_names_an_offered_tool_and_its_arguments_fit_the_schema(shape: str, seed: int) -> None:
    tools = [ToolSpec("ship_order", "Ships.", SCHEMAS[shape]), ToolSpec("pack-order", "Packs.", SCHEMAS[shape])]
    heard = write(must_call(grammar_of(tools)), seed=seed)
    assert heard.ending == "stop"
    call = json.loads(heard.text.removeprefix("<tool_call>\n").removesuffix("\n</tool_call>"))
    assert call["name"] in ("ship_order", "pack-order")
    held = {key: value for key, value in SCHEMAS[shape].items() if shape != "look-around"}
    assert jsonschema_rs.is_valid(held, call["arguments"])
    assert call["arguments"].keys() <= SCHEMAS[shape]["properties"].keys()


def test_a_shape_for_the_answer_is_held_without_tools() -> None:
    schema = SCHEMAS["pattern and bounds"]
    heard = write(grammar_of((), schema))
    assert jsonschema_rs.is_valid(schema, json.loads(heard.text))


def test_with_tools_the_answer_may_be_a_call_or_json_of_the_shape() -> None:
    grammar = grammar_of([ToolSpec("ship_order", "Ships.", SCHEMAS["no arguments"])], SCHEMAS["pattern and bounds"])
    assert grammar is not None
    answer = json.loads(write(grammar.replace("( call | answer )", "answer")).text)
    assert jsonschema_rs.is_valid(SCHEMAS["pattern and bounds"], answer)
    assert write(grammar.replace("( call | answer )", "call")).text.startswith("<tool_call>")


def test_a_plain_answer_holds_no_marks_of_calls() -> None:
    tool = ToolSpec("ship_order", "Ships.", SCHEMAS["no arguments"])
    grammar = grammar_of([tool])
    assert grammar is not None
    heard = write(grammar.replace("( call | ANSWER )", "ANSWER"), max_tokens=40)
    assert heard.text
    assert "<tool" not in heard.text


@pytest.mark.parametrize("mark", MARKERS)
def test_a_plain_answer_cannot_be_taken_for_a_call_in_any_dialect(mark: str) -> None:
    grammar = grammar_of([ToolSpec("ship_order", "Ships.", SCHEMAS["no arguments"])])
    (answer,) = re.findall(r"^ANSWER: .*?~/(.*?)/ & ", grammar or "", re.MULTILINE)
    assert re.fullmatch(answer.replace("(?s:.*)", r"[\s\S]*"), f"Let me see.\n{mark} and so on")


@pytest.mark.parametrize(("thinking", "opening"), [("marked", "<think>"), ("begun", "")])
def test_reasoning_may_come_before_a_call_where_the_model_reasons(thinking: Thinking, opening: str) -> None:
    tool = ToolSpec("ship_order", "Ships.", SCHEMAS["no arguments"])
    grammar = must_call(grammar_of([tool], thinking=thinking)).replace("THOUGHT?", "THOUGHT")
    short = grammar.replace("(/(?s:.*)/ &", "(/[a-z ]{1,20}/ &", 1)
    assert short != grammar
    thought, mark, call = write(short).text.partition("</think>")
    assert 1 <= len(thought.strip().removeprefix(opening)) <= 20
    assert mark
    assert call.strip() == '<tool_call>\n{"name": "ship_order", "arguments": {}}\n</tool_call>'


def test_prose_is_no_reasoning_where_reasoning_stands_between_marks() -> None:
    heard = write(grammar_of((), SCHEMAS["pattern and bounds"], thinking="marked"))
    assert heard.text.lstrip()[:1] in ("{", "<")


def test_without_tools_and_shape_anything_may_be_written() -> None:
    assert grammar_of(()) is None
    assert grammar_of((), thinking="marked") is None
