from __future__ import annotations

import pytest

from seatrial.errors import ProviderError
from seatrial.formats.reply import Reading, failed_reply


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        (None, "no connection"),
        ("is the server running?", "no connection. Is the server running?"),
        ("check the key", "no connection. Check the key."),
    ],
)
def test_a_failure_and_what_to_do_are_whole_sentences(hint: str | None, told: str) -> None:
    reply = failed_reply(ProviderError("no connection", hint=hint), Reading("chat", "openai", "gpt-x"))
    assert reply.error_message == told
