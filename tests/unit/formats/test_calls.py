"""Streamed calls, whatever the labels: written as the lists of tool-call deltas that servers send."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.core.messages import AssistantMessage
from seatrial.formats.openai_chat_stream import chat_stream
from seatrial.formats.reading import Reading
from seatrial.formats.wire_json import encode

OFFERED = Reading(tool_names=("add", "mul", "get_weather", "ping"))


def piece(arguments: Any = None, *, name: Any = None, **labels: Any) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {**labels, "function": function}


def assemble(*deltas: list[dict[str, Any]], finish: str = "tool_calls", reading: Reading = OFFERED) -> AssistantMessage:
    stream = chat_stream(reading)
    for delta in deltas:
        stream.feed(b"data: " + encode({"choices": [{"index": 0, "delta": {"tool_calls": delta}}]}) + b"\n\n")
    ending = {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    stream.feed(b"data: " + encode(ending) + b"\n\ndata: [DONE]\n\n")
    return stream.end()


def calls(*deltas: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    message = assemble(*deltas)
    assert all(call.arguments_error is None for call in message.tool_calls)
    assert all(call.id for call in message.tool_calls)
    assert len({call.id for call in message.tool_calls}) == len(message.tool_calls)
    return [(call.name, call.arguments) for call in message.tool_calls]


ONE = [("add", {"a": 1, "b": 2})]
TWO = [("add", {"a": 1}), ("mul", {"b": 2})]
TWINS = [("add", {"a": 1}), ("add", {"a": 2})]


def test_case_51_labels_come_only_once() -> None:
    assert (
        calls([piece("", index=0, id="c1", name="add")], [piece('{"a":1,', index=0)], [piece('"b":2}', index=0)]) == ONE
    )


def test_case_52_two_ids_without_an_index_are_two_calls() -> None:
    assert calls([piece('{"a":1}', id="c1", name="add")], [piece('{"b":2}', id="c2", name="mul")]) == TWO


def test_two_ids_without_an_index_in_pieces() -> None:
    assert (
        calls(
            [piece('{"a"', id="c1", name="add")], [piece(":1}")], [piece('{"b"', id="c2", name="mul")], [piece(":2}")]
        )
        == TWO
    )


def test_case_54_the_first_call_may_stand_at_index_one() -> None:
    assert calls([piece('{"a":1,', index=1, id="c1", name="add")], [piece('"b":2}', index=1)]) == ONE


def test_case_55_empty_labels_go_on_with_the_open_call() -> None:
    assert (
        calls(
            [piece('{"a":1,', index=0, id="c1", name="add")],
            [piece('"b"', index=0, id="", name="")],
            [piece(":2}", id="", name="")],
        )
        == ONE
    )


def test_case_56_labels_that_repeat_do_not_double_the_name() -> None:
    labels: dict[str, Any] = {"index": 0, "id": "c1", "name": "add"}
    assert calls(*[[piece(text, **labels)] for text in ("", '{"a":1,', '"b"', ":2}")]) == ONE


def test_the_name_alone_repeats_without_an_id() -> None:
    assert calls(*[[piece(text, index=0, name="add")] for text in ('{"a":1,', '"b"', ":2}")]) == ONE


def test_case_57_name_and_id_may_come_late() -> None:
    assert (
        calls(
            [piece(index=0, id="c1")],
            [piece('{"a":1,', index=0)],
            [piece(index=0, name="add")],
            [piece('"b":2}', index=0)],
        )
        == ONE
    )
    message = assemble([piece('{"a":1,', index=0, name="add")], [piece('"b":2}', index=0, id="c7")])
    assert [(call.id, call.name, call.arguments) for call in message.tool_calls] == [("c7", *ONE[0])]


def test_case_58_interleaved_pieces_go_to_their_calls() -> None:
    assert (
        calls(
            [piece('{"a"', index=0, id="c1", name="add"), piece('{"b"', index=1, id="c2", name="mul")],
            [piece(":2}", index=1), piece(":1}", index=0)],
        )
        == TWO
    )


def test_pieces_that_carry_only_the_id_go_to_their_calls() -> None:
    assert (
        calls(
            [piece('{"a"', id="c1", name="add")],
            [piece('{"b"', id="c2", name="mul")],
            [piece(":1}", id="c1")],
            [piece(":2}", id="c2")],
        )
        == TWO
    )


def test_case_59_arguments_may_be_an_object() -> None:
    assert calls([piece({"a": 1, "b": 2}, index=0, id="c1", name="add")]) == ONE


def test_every_index_zero_with_ids_of_their_own() -> None:
    assert (
        calls(
            [piece('{"a":', index=0, id="c1", name="add")],
            [piece("1}", index=0)],
            [piece('{"b":', index=0, id="c2", name="mul")],
            [piece("2}", index=0)],
        )
        == TWO
    )


def test_every_index_zero_and_no_ids() -> None:
    assert calls([piece('{"a":1}', index=0, name="add")], [piece('{"b":2}', index=0, name="mul")]) == TWO
    assert calls([piece('{"a":1}', index=0, name="add")], [piece('{"a":2}', index=0, name="add")]) == TWINS
    assert calls([piece('{"a":1}', index=0, name="add"), piece('{"a":2}', index=0, name="add")]) == TWINS


def test_one_id_for_two_calls() -> None:
    assert (
        calls([piece('{"a":1}', index=0, id="x", name="add")], [piece('{"a":2}', index=1, id="x", name="add")]) == TWINS
    )
    assert calls([piece('{"a":1}', id="x", name="add")], [piece('{"a":2}', id="x", name="add")]) == TWINS


def test_no_labels_at_all() -> None:
    assert calls([piece('{"a":', name="add")], [piece("1}")], [piece('{"b":', name="mul")], [piece("2}")]) == TWO
    assert calls([piece('{"a":1}', name="add"), piece('{"a":2}', name="add")]) == TWINS


def test_calls_without_arguments_stay_apart() -> None:
    assert calls([piece(index=0, id="c1", name="ping"), piece(index=1, id="c2", name="ping")]) == [("ping", {})] * 2
    assert calls([piece(name="ping"), piece(name="ping")]) == [("ping", {})] * 2
    assert calls([piece("", id="c1", name="ping")], [piece("", id="c2", name="ping")]) == [("ping", {})] * 2


def test_a_new_id_in_every_piece_is_still_one_call() -> None:
    assert calls([piece('{"a":1,', index=0, id="r1", name="add")], [piece('"b":2}', index=0, id="r2")]) == ONE


def test_a_name_in_two_pieces_is_joined_where_a_tool_confirms_it() -> None:
    assert calls([piece(index=0, id="c1", name="get_")], [piece(index=0, name="weather")], [piece("{}", index=0)]) == [
        ("get_weather", {})
    ]


def test_the_namespace_before_a_name_is_dropped_where_a_tool_confirms_it() -> None:
    assert calls([piece("{}", index=0, id="functions.ping:0", name="functions.ping")]) == [("ping", {})]


def test_case_16_a_made_up_id_is_the_same_each_time_and_differs_between_turns() -> None:
    first = assemble([piece("{}", name="ping")])
    again = assemble([piece("{}", name="ping")])
    later = assemble([piece("{}", name="ping")], reading=Reading(tool_names=("ping",), seed="3"))
    assert first.tool_calls[0].id == again.tool_calls[0].id != later.tool_calls[0].id


def test_legacy_function_calls_are_assembled_too() -> None:
    stream = chat_stream(OFFERED)
    for delta in ({"name": "add", "arguments": ""}, {"arguments": '{"a":1,'}, {"arguments": '"b":2}'}):
        stream.feed(b"data: " + encode({"choices": [{"delta": {"function_call": delta}}]}) + b"\n\n")
    stream.feed(b'data: {"choices":[{"delta":{},"finish_reason":"function_call"}]}\n\n')
    message = stream.end()
    assert [(call.name, call.arguments) for call in message.tool_calls] == ONE
    assert message.stop_reason == "tool_calls"


def test_a_call_without_a_name_is_never_run() -> None:
    message = assemble([piece('{"a":1}', index=0, id="c1")])
    assert message.tool_calls[0].name
    assert message.tool_calls[0].arguments_error == "the call does not name a tool"


def test_junk_among_the_pieces_is_a_warning() -> None:
    stream = chat_stream(OFFERED)
    stream.feed(
        b'data: {"choices":[{"delta":{"tool_calls":[null, 5, "x", {"id":"c1","function":{"name":"ping"}}]}}]}\n\n'
    )
    stream.feed(b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n')
    message = stream.end()
    assert [call.name for call in message.tool_calls] == ["ping"]
    assert message.warnings


ARGUMENTS = st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=6), max_size=3)
LABELLED = st.sampled_from(["index", "id", "both", "id_repeated", "both_repeated"])


@pytest.mark.parametrize("as_first_only", [True, False])
@given(
    wanted=st.lists(st.tuples(st.sampled_from(["add", "mul", "ping"]), ARGUMENTS), min_size=1, max_size=4),
    style=LABELLED,
    size=st.integers(1, 9),
)
def test_p002_calls_come_whole_under_every_labelling(
    as_first_only: bool, wanted: list[tuple[str, dict[str, Any]]], style: str, size: int
) -> None:
    deltas = []
    for index, (name, arguments) in enumerate(wanted):
        text = json.dumps(arguments)
        for at in range(0, len(text), size):
            labels: dict[str, Any] = {}
            if style in ("index", "both", "both_repeated"):
                labels["index"] = index
            if style != "index" and (at == 0 or style.endswith("repeated")):
                labels["id"] = f"c{index}"
            if at == 0 or not as_first_only:
                labels["name"] = name
            deltas.append([piece(text[at : at + size], **labels)])
    assert calls(*deltas) == wanted
