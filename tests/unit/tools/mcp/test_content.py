"""What a model is shown of a server's result."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from seatrial.core.content import ImageContent, TextContent
from seatrial.tools.mcp.content import NO_REASON, result_blocks
from seatrial.tools.mcp.remote import RemoteResult

UNSEEN = "; not shown to the model]"
PNG = b64encode(b"\x89PNG\r\n\x1a\n0000").decode()


def blocks(*content: Any, **result: Any) -> list[Any]:
    found = result_blocks(RemoteResult.of({"content": list(content), **result}))
    return [block.text if isinstance(block, TextContent) else block for block in found]


def test_text_and_pictures_are_shown_as_they_are() -> None:
    assert blocks({"type": "text", "text": "a"}, {"type": "image", "data": PNG, "mimeType": "image/png"}) == [
        "a",
        ImageContent(PNG, "image/png"),
    ]


def test_a_picture_without_a_type_is_known_by_its_first_bytes() -> None:
    assert blocks({"type": "image", "data": PNG}) == [ImageContent(PNG, "image/png")]


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ({"type": "image", "data": "PHN2Zy8+", "mimeType": "image/svg+xml"}, f"[image image/svg+xml 6 bytes{UNSEEN}"),
        ({"type": "image", "data": "%%%", "mimeType": "image/png"}, f"[image image/png unreadable{UNSEEN}"),
        ({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}, f"[audio audio/wav 3 bytes{UNSEEN}"),
        (
            {"type": "resource", "resource": {"uri": "file:///a.bin", "blob": "AAAA", "mimeType": "application/zip"}},
            f"[resource file:///a.bin application/zip 3 bytes{UNSEEN}",
        ),
        ({"type": "resource", "resource": {"uri": "file:///a.txt", "text": "hello"}}, "[resource file:///a.txt]\nhello"),
        ({"type": "resource", "resource": None}, "[resource without content]"),
        (
            {"type": "resource_link", "uri": "file:///b", "name": "b.csv", "mimeType": "text/csv", "size": 1200},
            "[link to file:///b (b.csv, text/csv, 1,200 bytes)]",
        ),
        ({"type": "new"}, "[content of the unknown type 'new' left out: {\"type\": \"new\"}]"),
        ({"type": "text", "text": 7}, "7"),
        ("bare", "bare"),
        (12, "12"),
    ],
)  # fmt: skip
def test_what_a_model_cannot_take_is_named(block: Any, shown: str) -> None:
    assert blocks(block) == [shown]


def test_a_picture_inside_a_resource_is_a_picture() -> None:
    resource = {"uri": "file:///a.png", "blob": PNG, "mimeType": "image/png"}
    assert blocks({"type": "resource", "resource": resource}) == [
        "[resource file:///a.png]",
        ImageContent(PNG, "image/png"),
    ]


def test_structured_content_alone_is_shown_as_json() -> None:
    assert blocks(structuredContent={"a": [1, "ä"]}) == ['{"a": [1, "ä"]}']


def test_structured_content_beside_text_is_not_shown_twice() -> None:
    assert blocks({"type": "text", "text": "{}"}, structuredContent={}) == ["{}"]


def test_nothing_is_said_to_be_nothing() -> None:
    assert blocks() == ["(no output)"]
    assert blocks({"type": "text", "text": ""}) == ["(no output)"]
    assert blocks(isError=True) == [NO_REASON]


@pytest.mark.parametrize("content", [None, "text", {"type": "text", "text": "text"}])
def test_content_that_is_no_list_is_read_all_the_same(content: Any) -> None:
    shown = [
        block.text for block in result_blocks(RemoteResult.of({"content": content})) if isinstance(block, TextContent)
    ]
    assert shown == ["(no output)" if content is None else "text"]
