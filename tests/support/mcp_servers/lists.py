"""Servers whose list of tools is the difficulty."""

from __future__ import annotations

from typing import Any

from wire import NOTHING, Message, Modern, RefusedError, Server, main, text, tool

WORDY: Message = {
    "type": "object",
    "properties": {f"key_{n}": {"type": "string", "description": "A value. " * 8} for n in range(8)},
    "required": ["key_0"],
}
POINT: Message = {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}}
NODE: Message = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
    "required": ["name"],
}


def deep(levels: int) -> Message:
    schema: Message = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"in": schema}}
    return schema


class Paged(Server):
    """Three pages of two tools; a cursor it never gave is refused."""

    pages = (["one", "two"], ["three", "four"], ["five", "six"])

    def list_tools(self, cursor: str | None) -> Message:
        if cursor not in (None, "page-1", "page-2"):
            raise RefusedError(-32602, f"Invalid cursor: {cursor!r}")
        at = 0 if cursor is None else int(cursor[-1])
        more = {"nextCursor": f"page-{at + 1}"} if at < 2 else {}
        return {"tools": [tool(name) for name in self.pages[at]], **more}


class RepeatedCursor(Server):
    """Always the same page, always the same cursor."""

    tools = tuple(tool(f"tool_{n}") for n in range(8))

    def list_tools(self, _cursor: str | None) -> Message:
        return {"tools": self.tools, "nextCursor": "again"}


class CirclingCursor(Server):
    """Two pages that name each other."""

    def list_tools(self, cursor: str | None) -> Message:
        name, following = ("a", "to-b") if cursor in (None, "to-a") else ("b", "to-a")
        return {"tools": [tool(name)], "nextCursor": following}


class EmptyCursor(Server):
    """Ends its only page with an empty cursor; asked for that it starts again."""

    tools = (tool("only"), tool("other"))

    def list_tools(self, _cursor: str | None) -> Message:
        return {"tools": self.tools, "nextCursor": ""}


class EmptyCursorAsValue(Modern):
    """A second page stands under the empty cursor, as 2026-07-28 allows."""

    def list_tools(self, cursor: str | None) -> Message:
        return {"tools": [tool("second")]} if cursor == "" else {"tools": [tool("first")], "nextCursor": ""}


class StaleCursor(Server):
    """The list changes while it is read: the first time, the second page is refused."""

    was_stale = False

    def list_tools(self, cursor: str | None) -> Message:
        if cursor is None:
            return {"tools": [tool("new" if self.was_stale else "old")], "nextCursor": "next"}
        if not self.was_stale:
            self.was_stale = True
            raise RefusedError(-32602, "Invalid cursor")
        return {"tools": [tool("last")]}


class AlwaysStaleCursor(Server):
    """Refuses the cursor that it gave, every time."""

    def list_tools(self, cursor: str | None) -> Message:
        if cursor is not None:
            raise RefusedError(-32602, "Invalid cursor")
        return {"tools": [tool("first")], "nextCursor": "next"}


class DeepSchema(Server):
    """A schema that is nested 400 levels deep, beside one that is not."""

    tools = (tool("deep", deep(400)), tool("flat"))


class Endless(Server):
    """Every page has one more tool and one more page after it."""

    def list_tools(self, cursor: str | None) -> Message:
        at = int(cursor or 0)
        return {"tools": [tool(f"tool_{at}")], "nextCursor": str(at + 1)}


class Many(Server):
    """500 tools on ten pages."""

    def list_tools(self, cursor: str | None) -> Message:
        at = int(cursor or 0)
        page = [tool(f"tool_{n}", WORDY) for n in range(at, at + 50)]
        return {"tools": page, **({"nextCursor": str(at + 50)} if at < 450 else {})}


class Refuses(Server):
    """Has no tools/list."""

    def list_tools(self, _cursor: str | None) -> Message:
        raise RefusedError(-32601, "Method not found: tools/list", {"secret": "not for the model"})


class OddNames(Server):
    """Names that providers refuse; some become one name when they are cleaned, some share their first 64 letters."""

    names = (
        "files/read",
        "files.read",
        "files read",
        "grüße",
        "x" * 128,
        "y" * 70 + "_one",
        "y" * 70 + "_two",
        "1st",
        "plain",
        "plain",
    )
    tools = tuple(tool(name) for name in names)


class Titles(Server):
    """Every place where a tool's title can stand."""

    tools = (
        tool("by_title", title="The title", annotations={"title": "The annotation"}, label="The label"),
        tool("by_annotation", annotations={"title": "The annotation", "readOnlyHint": True}, label="The label"),
        tool("by_label", label="The label"),
        tool("by_name"),
        {"name": "without_description", "title": "Says it all", "inputSchema": NOTHING},
        {"name": "bare", "inputSchema": NOTHING},
        tool("wordy", annotations={}) | {"description": "Very long. " * 2000},
    )


class Schemas(Server):
    """Schemas that one provider or another refuses."""

    tools = (
        tool("with_ref", {"$defs": {"p": POINT}, "type": "object", "properties": {"at": {"$ref": "#/$defs/p"}}}),
        tool(
            "recursive", {"$defs": {"node": NODE}, "type": "object", "properties": {"root": {"$ref": "#/$defs/node"}}}
        ),
        tool("root_ref", {"$defs": {"node": NODE}, "type": "object", "$ref": "#/$defs/node"}),
        tool("root_any_of", {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        tool("external_ref", {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/schema.json"}}}),
        tool("no_properties", {"type": "object"}),
        tool("array_without_items", {"type": "object", "properties": {"rows": {"type": "array"}}}),
        tool(
            "odd_keys",
            {
                "type": "object",
                "properties": {"$filter": {"type": "string"}, "a b": {"type": "integer"}, "ok": {"type": "boolean"}},
                "required": ["$filter"],
            },
        ),
        tool("type_list", {"type": "object", "properties": {"n": {"type": ["integer", "null"]}}}),
        tool("closed", {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}),
        tool(
            "with_formats", {"type": "object", "properties": {"u": {"type": "string", "format": "uri", "minLength": 1}}}
        ),
    )


class IllegalAmongGood(Server):
    """Two tools that are whole, between others that are not."""

    tools = (
        tool("good"),
        tool("empty_schema", {}),
        tool("null_schema", None),
        tool("list_schema", []),
        tool("string_type", {"type": "string"}),
        {"name": "no_schema"},
        {"description": "no name", "inputSchema": NOTHING},
        {"name": 7, "inputSchema": NOTHING},
        "not a tool",
        tool("also_good", {"type": "object", "properties": {"a": {"type": "string"}}}),
    )


class Changing(Server):
    """``change`` adds a tool and says so 200 times before it answers; ``shrink`` takes all but two."""

    tells_changes = True
    tools = (tool("change"), tool("shrink"))
    listed = 0

    def list_tools(self, _cursor: str | None) -> Message:
        self.listed += 1
        return {"tools": self.tools}

    def call(self, name: str, _arguments: Message, _request_id: Any, _params: Message) -> Message:
        if name == "change":
            self.tools = (*self.tools, tool(f"added_{len(self.tools) - 1}"))
        elif name == "shrink":
            self.tools = self.tools[:2]
        else:
            return text(f"{name}: listed {self.listed} times")
        for _ in range(200):
            self.send({"method": "notifications/tools/list_changed"})
        return text(f"listed {self.listed} times")


SERVERS = {
    "paged": Paged,
    "repeated_cursor": RepeatedCursor,
    "circling_cursor": CirclingCursor,
    "empty_cursor": EmptyCursor,
    "empty_cursor_as_value": EmptyCursorAsValue,
    "stale_cursor": StaleCursor,
    "always_stale_cursor": AlwaysStaleCursor,
    "deep_schema": DeepSchema,
    "endless": Endless,
    "many": Many,
    "refuses": Refuses,
    "odd_names": OddNames,
    "titles": Titles,
    "schemas": Schemas,
    "illegal_among_good": IllegalAmongGood,
    "changing": Changing,
}

if __name__ == "__main__":
    main(SERVERS)
