"""Servers that break off, hang, shout or stay."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import Any

from wire import Message, RefusedError, Server, main, text, tool


class Dies(Server):
    """Dies in the middle of a call, with a word on standard error; or in the middle of its answer."""

    tools = (tool("quick"), tool("dies"), tool("half_a_line"))

    def call(self, name: str, _arguments: Message, request_id: Any, _params: Message) -> Message:
        if name == "dies":
            print("fatal: the disk is on fire", file=sys.stderr, flush=True)
            os._exit(9)
        if name == "half_a_line":
            self.write(b'{"jsonrpc": "2.0", "id": %d, "result": {"content": [' % request_id)
            os._exit(0)
        return text("quick answer")


class DiesAtStart(Server):
    """Never says a word of the protocol."""

    def run(self) -> None:
        sys.exit("ImportError: cannot import name 'Server'")


class Garbage(Server):
    """Prints around its answers, ends lines with CRLF, answers what nobody asked and repeats itself."""

    def send(self, message: Message) -> None:
        self.write(b"\x1b[32mINFO\x1b[0m starting up\n\n{not json}\n[]\n7\nnull\n")
        self.write(b'{"jsonrpc": "2.0", "id": 987654, "result": {}}\n')
        self.write(b'{"jsonrpc": "2.0", "method": "notifications/unheard/of", "params": {"a": 1}}\n')
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\r\n"
        self.write(raw + raw)


class BadBytes(Server):
    """Writes bytes that are no UTF-8, between its answers and inside them."""

    def send(self, message: Message) -> None:
        self.write(b"caf\xe9 \xff\xfe\n")
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(raw.replace(b"LATIN", b"caf\xe9") + b"\n")

    def call(self, _name: str, _arguments: Message, _request_id: Any, _params: Message) -> Message:
        return text("a LATIN in the answer")


class HangsAtStart(Server):
    """Reads and never answers."""

    def answer(self, _message: Message) -> None:
        """Says nothing."""


class ExitsOnProbe(Server):
    """Knows no request but the handshake as its first one."""

    def discover(self) -> Message:
        sys.exit("expected initialize request")


class IgnoresProbe(Server):
    """Has nothing to say to a request that it does not know."""

    def discover(self) -> None:
        """Says nothing."""


class EmptyProbe(Server):
    """Answers every unknown request with an empty result."""

    def discover(self) -> Message:
        return {}


class NeedsVariable(Server):
    """Wants TOKEN in its environment and says on standard error that it is missing."""

    tools = (tool("token"), tool("environment"))

    def run(self) -> None:
        if "TOKEN" not in os.environ:
            sys.exit("Error: the TOKEN environment variable is required")
        super().run()

    def call(self, name: str, _arguments: Message, _request_id: Any, _params: Message) -> Message:
        return text(os.environ["TOKEN"] if name == "token" else json.dumps(dict(os.environ)))


class Talkative(Server):
    """Writes 20,000 lines to standard error at its start, and 20,000 more in each call."""

    def run(self) -> None:
        self.talk()
        super().run()

    def call(self, _name: str, _arguments: Message, _request_id: Any, _params: Message) -> Message:
        self.talk()
        return text("said it")

    def talk(self) -> None:
        for number in range(20_000):
            sys.stderr.write(f"log line {number}: nothing happened, and that at length\n")
        sys.stderr.flush()


class Stubborn(Server):
    """Stays when its input ends and when it is asked to stop."""

    def run(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        super().run()
        while True:
            signal.pause()


class Parent(Server):
    """Starts a helper process that outlives it; ``helper`` gives its process id, ``dies`` leaves it alone."""

    tools = (tool("helper"), tool("dies"))

    def run(self) -> None:
        self.helper = os.fork()
        if self.helper == 0:
            for stream in (0, 1, 2):
                os.close(stream)
            while True:
                signal.pause()
        super().run()

    def call(self, name: str, _arguments: Message, _request_id: Any, _params: Message) -> Message:
        if name == "dies":
            os._exit(3)
        return text(str(self.helper))


class Silent(Server):
    """``never`` gets no answer; ``cancelled`` tells what was called off and ``quick`` answers."""

    tools = (tool("never"), tool("quick"), tool("cancelled"))

    def __init__(self) -> None:
        self.waiting: list[Any] = []
        self.cancelled: list[Any] = []

    def call(self, name: str, _arguments: Message, request_id: Any, _params: Message) -> Message | None:
        if name == "never":
            self.waiting.append(request_id)
            return None
        return text("quick answer" if name == "quick" else json.dumps([self.waiting, self.cancelled]))

    def noted(self, message: Message) -> None:
        if message["method"] == "notifications/cancelled":
            self.cancelled.append(message["params"]["requestId"])


class Late(Server):
    """Answers two calls in the order opposite to theirs, so only calls made side by side are answered."""

    tools = (tool("first"), tool("second"))

    def __init__(self) -> None:
        self.held: list[Any] = []

    def call(self, name: str, _arguments: Message, request_id: Any, _params: Message) -> Message | None:
        self.held.append((request_id, name))
        if len(self.held) == 2:
            for held_id, held_name in reversed(self.held):
                self.send({"id": held_id, "result": text(f"answer of {held_name}")})
            self.held.clear()


class WrongVersion(Server):
    """Speaks a revision that nobody has heard of."""

    protocol = "1999-12-31"


class RefusesHandshake(Server):
    """Answers the handshake with an error."""

    def initialize(self) -> Message:
        raise RefusedError(-32000, "licence expired")


class SparseHandshake(Server):
    """Says of itself no more than the revision, and that beside what is not as it should be."""

    def initialize(self) -> Message:
        return {
            "protocolVersion": self.protocol,
            "capabilities": {"tools": True},
            "serverInfo": None,
            "instructions": 7,
        }


class Tardy(Server):
    """Answers ``never`` once it is called off, and tells of a progress that nobody asked for."""

    tools = (tool("never"), tool("quick"))

    def call(self, name: str, _arguments: Message, request_id: Any, _params: Message) -> Message | None:
        self.pending = request_id
        return None if name == "never" else text("quick answer")

    def noted(self, message: Message) -> None:
        if message["method"] == "notifications/cancelled":
            self.send({"id": self.pending, "result": text("too late")})
            told = {"progressToken": "nobody's", "progress": "much"}
            self.send({"method": "notifications/progress", "params": told})


class SlowStart(Server):
    """Takes a while before it reads; the seconds stand in SECONDS."""

    def run(self) -> None:
        threading.Event().wait(float(os.environ["SECONDS"]))
        super().run()


SERVERS = {
    "dies": Dies,
    "dies_at_start": DiesAtStart,
    "garbage": Garbage,
    "bad_bytes": BadBytes,
    "hangs_at_start": HangsAtStart,
    "exits_on_probe": ExitsOnProbe,
    "ignores_probe": IgnoresProbe,
    "empty_probe": EmptyProbe,
    "needs_variable": NeedsVariable,
    "talkative": Talkative,
    "stubborn": Stubborn,
    "parent": Parent,
    "silent": Silent,
    "late": Late,
    "wrong_version": WrongVersion,
    "refuses_handshake": RefusesHandshake,
    "sparse_handshake": SparseHandshake,
    "tardy": Tardy,
    "slow_start": SlowStart,
}

if __name__ == "__main__":
    main(SERVERS)
