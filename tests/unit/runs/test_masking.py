from __future__ import annotations

from collections.abc import Callable

from seatrial.config.secrets import MASK
from seatrial.core.content import TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, ToolResultMessage
from seatrial.runs.encoding import to_json
from seatrial.runs.masking import Masker
from seatrial.runs.records import TrialRecord

SECRET = 'sk-"canary"\\42'
MakeTrial = Callable[..., TrialRecord]


def test_a_record_without_a_secret_is_left_alone(a_trial: MakeTrial) -> None:
    trial = a_trial()
    assert Masker(["sk-canary-42"]).record(trial) is trial


def test_h016_a_secret_is_masked_wherever_it_stands_in_a_trial(a_trial: MakeTrial) -> None:
    trial = a_trial(
        input=f"use {SECRET}",
        output=SECRET,
        messages=(
            AssistantMessage(
                (
                    TextContent(f"it is {SECRET}"),
                    ToolCall("c1", "f", {"key": SECRET, "deep": [{"x": SECRET}]}, to_json({"key": SECRET}).decode()),
                )
            ),
            ToolResultMessage("c1", "f", (TextContent(SECRET),), details={SECRET: SECRET}),
        ),
    )
    masked = to_json(Masker([SECRET]).record(trial)).decode()
    assert "canary" not in masked
    assert masked.count(MASK) >= 8


def test_a_secret_that_is_one_of_our_own_words_does_not_break_the_record(a_trial: MakeTrial) -> None:
    trial = a_trial(outcome="passed", stop_reason="stop", output="it has passed")
    masked = Masker(["passed", "case-0", "stop it"]).record(trial)
    assert masked.outcome == "passed"
    assert masked.key == trial.key
    assert masked.output == f"it has {MASK}"


def test_the_longer_of_two_overlapping_secrets_goes_first() -> None:
    assert Masker(["abcdef", "abcdefghij"]).text("abcdefghij abcdef") == f"{MASK} {MASK}"


def test_a_value_too_short_to_be_a_secret_does_not_spoil_the_text() -> None:
    assert Masker(["1", ""]).text("11 of 12") == "11 of 12"
