from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from seatrial.cli.veil import Veil
from seatrial.config.secrets import mask

SECRETS = ("sk-abcabcd", "abcabcabc")


@given(st.lists(st.sampled_from(["a", "b", "c", "d", "sk-", "abc", " "])).map("".join), st.integers(1, 5))
def test_a_text_in_pieces_is_masked_and_none_of_it_is_lost(text: str, size: int) -> None:
    veil = Veil(SECRETS)
    shown = "".join(veil.feed(text[at : at + size]) for at in range(0, len(text), size)) + veil.finish()
    assert all(secret not in shown for secret in SECRETS)
    if mask(text, SECRETS) == text:
        assert shown == text


def test_the_beginning_of_a_secret_waits_until_it_is_none() -> None:
    veil = Veil(SECRETS)
    assert veil.feed("key sk-abc") == "key "
    assert veil.feed("x") == "sk-abcx"
    assert veil.finish() == ""
    assert Veil(()).feed("sk-") == "sk-"
