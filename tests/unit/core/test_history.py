"""A history made fit to send."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.simple_tools import tool

from seatrial.core.agent import Agent
from seatrial.core.content import ReasoningContent, TextContent, ToolCall
from seatrial.core.conversation import Conversation
from seatrial.core.history import CANCELLED, repair_history
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.toolbox import Toolbox
from seatrial.providers.scripted import says, scripted

WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def asks(*ids: str, **fields: object) -> AssistantMessage:
    return AssistantMessage(tuple(ToolCall(call_id, "t") for call_id in ids), timestamp=WHEN, **fields)


def gave(call_id: str, text: str = "real") -> ToolResultMessage:
    return ToolResultMessage(call_id, "t", (TextContent(text),), timestamp=WHEN)


def user(text: str = "hi") -> UserMessage:
    return UserMessage(text, timestamp=WHEN)


def said(text: str = "hello") -> AssistantMessage:
    return AssistantMessage((TextContent(text),), timestamp=WHEN)


def test_p005_a_right_history_comes_out_as_the_same_objects() -> None:
    history = [user(), asks("1", "2"), gave("1"), gave("2"), said(), user("more")]
    repaired = repair_history(history)
    assert all(new is old for new, old in zip(repaired, history, strict=True))


def test_edge_104_an_unanswered_call_gets_one_result_right_behind_it_always_the_same() -> None:
    history = [user(), asks("1", "2"), gave("1"), user("never mind")]
    before = list(history)
    repaired = repair_history(history)
    assert [message.role for message in repaired] == ["user", "assistant", "tool", "tool", "user"]
    made = repaired[3]
    assert isinstance(made, ToolResultMessage)
    assert (made.tool_call_id, made.text, made.is_error, made.timestamp) == ("2", CANCELLED, True, WHEN)
    assert repair_history(history) == repaired
    assert history == before


def test_edge_107_messages_between_a_call_and_its_result_go_behind_the_results() -> None:
    repaired = repair_history([user(), asks("1", "2"), gave("2"), user("quick"), gave("1"), said()])
    assert [message.role for message in repaired] == ["user", "assistant", "tool", "tool", "user", "assistant"]
    assert [message.tool_call_id for message in repaired if isinstance(message, ToolResultMessage)] == ["1", "2"]


def test_p005_results_without_a_call_and_second_results_are_left_out() -> None:
    repaired = repair_history([gave("0"), user(), asks("1"), gave("1", "first"), gave("1", "second"), gave("9")])
    assert [message.text for message in repaired if isinstance(message, ToolResultMessage)] == ["first"]


def test_a_result_before_its_call_is_none() -> None:
    repaired = repair_history([user(), gave("1"), asks("1")])
    assert [message.text for message in repaired if isinstance(message, ToolResultMessage)] == [CANCELLED]


@pytest.mark.parametrize("reason", ["error", "aborted", "incomplete", "content_filter"])
def test_a_failed_reply_is_not_sent_again_nor_are_its_results(reason: str) -> None:
    assert repair_history([user(), asks("1", stop_reason=reason), gave("1"), user("again")]) == (user(), user("again"))


def test_edge_045_messages_that_say_nothing_are_left_out() -> None:
    empty = [user(" "), AssistantMessage((ReasoningContent("hm"),)), AssistantMessage((TextContent("\n"),))]
    assert repair_history([*empty, user("x")]) == (user("x"),)


def test_edge_016_ids_that_occur_twice_are_made_unique_with_their_results() -> None:
    repaired = repair_history([user(), asks("x", "x"), gave("x", "a"), gave("x", "b"), asks("x"), gave("x", "c")])
    ids = [call.id for message in repaired if isinstance(message, AssistantMessage) for call in message.tool_calls]
    results = [(item.tool_call_id, item.text) for item in repaired if isinstance(item, ToolResultMessage)]
    assert len(set(ids)) == 3
    assert results == list(zip(ids, "abc", strict=True))


def test_edge_050_an_empty_result_is_sent_as_no_output() -> None:
    repaired = repair_history([user(), asks("1"), ToolResultMessage("1", "t")])
    assert repaired[2].text == "(no output)"


def test_what_comes_later_does_not_change_what_was_sent_before() -> None:
    history = [user(), asks("x", "x"), gave("x"), gave("x"), asks(""), gave(""), said(), user("more")]
    for end in (4, 6, 7):
        assert repair_history(history)[:end] == repair_history(history[:end])


def test_p009_tools_are_named_as_the_model_knows_them() -> None:
    toolbox = Toolbox([tool("a.b/c")])
    history = [user(), AssistantMessage((ToolCall("1", "a.b/c"), ToolCall("2", "x.y"))), gave("1"), gave("2")]
    sent = Conversation(history, toolbox).sent()
    assert [call.name for call in sent[1].tool_calls] == ["a_b_c", "x_y"]


ids = st.sampled_from(["", "1", "2", "1_2"])
calls = st.builds(ToolCall, ids, st.sampled_from(["t", "u.v"]))
texts = st.sampled_from(["", " ", "word"])
messages = st.one_of(
    st.builds(UserMessage, texts, st.just(WHEN), st.sampled_from([None, None, None, 0, 1, 2])),
    st.builds(
        AssistantMessage,
        st.lists(calls | st.builds(TextContent, texts) | st.builds(ReasoningContent, texts), max_size=3).map(tuple),
        stop_reason=st.sampled_from(["stop", "tool_calls", "length", "aborted", "error"]),
        timestamp=st.just(WHEN),
    ),
    st.builds(
        ToolResultMessage,
        ids,
        st.just("t"),
        st.lists(st.builds(TextContent, texts), max_size=2).map(tuple),
        timestamp=st.just(WHEN),
    ),
)
histories = st.lists(messages, max_size=9)


@given(histories)
def test_p005_every_call_has_exactly_one_result_directly_behind(history: list[Message]) -> None:
    sent = list(repair_history(history))
    seen: Counter[str] = Counter()
    while sent:
        message = sent.pop(0)
        assert not isinstance(message, ToolResultMessage)
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                seen[call.id] += 1
                result = sent.pop(0)
                assert isinstance(result, ToolResultMessage)
                assert result.tool_call_id == call.id != ""
                assert result.text.strip()
    assert max(seen.values(), default=1) == 1


@given(histories)
def test_edge_106_repairing_twice_is_repairing_once_byte_for_byte(history: list[Message]) -> None:
    once = repair_history(history)
    assert msgspec.json.encode(repair_history(once)) == msgspec.json.encode(once)


@given(histories)
def test_repair_changes_neither_the_history_nor_any_text(history: list[Message]) -> None:
    before = list(history)
    sent = repair_history(history)
    assert history == before
    known = {message.text for message in history} | {CANCELLED, "(no output)"}
    assert {message.text for message in sent} <= known


@given(histories)
async def test_p005_whatever_the_history_the_next_turn_works(history: list[Message]) -> None:
    model = scripted(says("ok"))
    result = await Agent(model).run("go", history=history)
    sent = model.requests[0].messages
    assert result.text == "ok"
    assert repair_history(sent) == sent
    assert result.transcript.messages[: len(history)] == tuple(history)


@given(histories, histories)
def test_adding_one_by_one_sends_what_repairing_at_once_sends(start: list[Message], later: list[Message]) -> None:
    conversation = Conversation(start, Toolbox())
    for message in (message for message in later if isinstance(message, UserMessage)):
        conversation.add(message)
    assert conversation.sent() == Conversation(conversation.record, Toolbox()).sent()
