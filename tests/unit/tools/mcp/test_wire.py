"""Lines of a server, read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.tools.mcp.mend import CALL_TOOL, LIST_TOOLS, Mender, Original
from seatrial.tools.mcp.wire import messages_in


def read(line: bytes, encoding: str = "utf-8") -> list[dict[str, Any]]:
    return list(messages_in(line, encoding))


@pytest.mark.parametrize("line", [b"", b"debug: hello", b"3", b'"text"', b"[1, 2]", b'{"cut', b"\xff\xfe\x00"])
def test_a_line_that_is_no_message_is_none(line: bytes) -> None:
    assert read(line) == []


def test_line_ends_marks_numbers_and_bytes_that_json_does_not_know_are_taken() -> None:
    assert read(b'{"id": 1}\r') == [{"id": 1}]
    assert read(b'\xef\xbb\xbf{"id": 1}') == [{"id": 1}]
    assert read(b'{"id": Infinity}') == [{"id": float("inf")}]
    assert read(b'{"id": "\xff"}') == [{"id": "\ufffd"}]
    assert read('{"id": "ü"}'.encode("latin-1"), "latin-1") == [{"id": "ü"}]


def test_a_batch_is_its_messages() -> None:
    assert read(b'[{"id": 1}, 2, {"id": 3}]') == [{"id": 1}, {"id": 3}]


@pytest.mark.parametrize("request_id", ["7", '"seven"'])
def test_what_is_nested_too_deeply_is_an_error_in_answer_to_its_request(request_id: str) -> None:
    deep = "[" * 5000 + "]" * 5000
    for line in (f'{{"id": {request_id}, "result": {deep}}}', f'{{"result": {deep}, "id": {request_id}}}'):
        (message,) = read(line.encode())
        assert str(message["id"]) == request_id.strip('"')
        assert "nested too deeply" in message["error"]["message"]


@given(st.binary(max_size=200))
def test_no_bytes_whatever_are_too_much(line: bytes) -> None:
    assert all(isinstance(message, dict) for message in read(line))


def answered(method: str, **message: Any) -> dict[str, Any]:
    mender = Mender()
    mender.sent(1, method)
    return mender.mended({"id": 1, **message})


@pytest.mark.parametrize("result", [None, 3, "text", []])
def test_a_result_that_is_no_object_is_an_error(result: Any) -> None:
    assert "not an object" in answered(CALL_TOOL, result=result)["error"]["message"]


def test_an_error_that_is_no_object_keeps_its_words() -> None:
    assert answered(CALL_TOOL, error="boom")["error"]["message"] == "boom"
    assert answered(CALL_TOOL, error={"code": "x"})["error"]["message"] == "the server names no reason"


def test_an_error_of_null_beside_a_result_is_none() -> None:
    assert "error" not in answered(CALL_TOOL, error=None, result={"content": []})


def test_an_error_without_an_id_answers_the_only_open_request() -> None:
    mender = Mender()
    mender.sent(5, CALL_TOOL)
    assert mender.mended({"id": None, "error": {"code": -32700, "message": "bad"}})["id"] == "5"


def test_one_bad_tool_costs_nothing_but_its_schema() -> None:
    tools = [{"name": "a", "inputSchema": None}, {"name": 3}, "x", {"name": "b", "inputSchema": {"type": "object"}}]
    framed = answered(LIST_TOOLS, result={"tools": tools})["result"]["tools"]
    assert [tool["name"] for tool in framed] == ["a", "b"]
    assert framed[0]["inputSchema"] == {"type": "object"}
    assert Original.within(framed[0]["_meta"]) == tools[0]
