"""What the computed metrics do beyond the reference pairs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.meteor_score import single_meteor_score

from seatrial.errors import MetricError
from seatrial.metrics import catalog
from seatrial.metrics.base import Evidence
from seatrial.metrics.score_text import score_text
from seatrial.metrics.text.words import treebank_words

VOCABULARY = ("the", "a", "cat", "cats", "sat", "sitting", "mat", "on", "run", "runs", "running", ",", ".")
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=12)
TEXT = st.text(max_size=40)
SIMILARITIES = ["f1_score", "exact", "bleu", "bleu_nltk", "gleu", "chrf", "rouge", "meteor", "levenshtein_similarity"]


class NoSynonyms:
    def synsets(self, word: str) -> list[Any]:
        del word
        return []


@given(answer=WORDS, truth=WORDS)
def test_meteor_equals_nltk_without_synonyms(answer: list[str], truth: list[str]) -> None:
    given_text, wanted_text = " ".join(answer), " ".join(truth)
    expected = single_meteor_score(treebank_words(wanted_text), treebank_words(given_text), wordnet=NoSynonyms())
    assert score_text("meteor", given_text, wanted_text) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", SIMILARITIES)
@given(answer=TEXT, truth=TEXT)
def test_every_similarity_stays_on_its_scale(metric: str, answer: str, truth: str) -> None:
    try:
        value = score_text(metric, answer, truth)
    except MetricError:
        return
    assert -1e-9 <= value <= 1 + 1e-9


@given(answer=TEXT, truth=TEXT)
def test_edit_distances_are_symmetric_and_zero_only_for_the_same_text(answer: str, truth: str) -> None:
    distance = score_text("levenshtein", answer, truth)
    assert distance == score_text("levenshtein", truth, answer)
    assert (distance == 0) is (score_text("equality", answer, truth) == 1.0)


@pytest.mark.parametrize("metric", ["f1_score", "exact"])
def test_p021_a_ground_truth_in_which_no_word_counts_is_an_error(metric: str) -> None:
    with pytest.raises(MetricError, match="no word in the ground truth"):
        score_text(metric, "", "The ...")


def test_rouge_says_when_its_tokenizer_would_drop_everything() -> None:
    with pytest.raises(MetricError) as caught:
        score_text("rouge", "กรุงเทพ", "กรุงเทพ")
    assert caught.value.hint == "set `tokenizer: unicode` for texts in other scripts"
    assert score_text("rouge", "Москва столица", "столица Москва", tokenizer="unicode", variant="rouge1") == 1.0
    assert score_text("rouge", "東京です", "東京都です", tokenizer="unicode") == pytest.approx(8 / 9)


def test_accents_written_in_two_ways_are_the_same() -> None:
    composed, decomposed = "Zürich", "Zu\u0308rich"
    for metric in ("exact", "f1_score", "equality", "levenshtein_similarity"):
        assert score_text(metric, decomposed, composed) == 1.0


@pytest.mark.parametrize(
    ("answer", "options", "value"),
    [
        ("Paris", {}, 1.0),
        ("paris", {}, 0.0),
        ("paris", {"case_insensitive": True}, 1.0),
        (" Paris\n", {}, 0.0),
        (" Paris\n", {"strip_whitespace": True}, 1.0),
        ("Paris!", {"strip_punctuation": True}, 1.0),
    ],
)
def test_equality_forgives_only_what_it_is_told_to(answer: str, options: dict[str, Any], value: float) -> None:
    assert score_text("equality", answer, "Paris", **options) == value


async def test_equality_says_where_the_texts_part() -> None:
    metric = catalog.build("equality")
    found = await metric.measure(Evidence("hi", "Order 4712", ground_truth="Order 4711"))
    assert found.reason == "differs at character 10: 'Order 4712' instead of 'Order 4711'"


@pytest.mark.parametrize(
    ("answer", "truth", "options", "value"),
    [
        ("42", "42.0", {}, 1.0),
        ("The answer is 42.", "42", {}, 1.0),
        ("42 (yes, 42)", "42", {}, 1.0),
        ("between 41 and 42", "42", {}, 0.0),
        ("between 41 and 42", "42", {"pick": "last"}, 1.0),
        ("no idea", "42", {}, 0.0),
        ("", "0", {}, 0.0),
        ("3.14", "3.14159", {"absolute_tolerance": 0.01}, 1.0),
        ("101", "100", {"relative_tolerance": 0.01}, 1.0),
        ("102", "100", {"relative_tolerance": 0.01}, 0.0),
        ("12 %", "0.12", {"accept_percent": True}, 1.0),
        ("12 %", "12", {}, 1.0),
        ("1,234.5", "1234.5", {"accept_thousands_separators": True}, 1.0),
        ("1,234.5", "1234.5", {}, 0.0),
        ("−5", "-5", {}, 1.0),
        ("1e3", "1000", {}, 1.0),
        ("order A47", "47", {}, 0.0),
    ],
)
def test_numeric_compares_the_one_number_of_the_answer(
    answer: str, truth: str, options: dict[str, Any], value: float
) -> None:
    assert score_text("numeric", answer, truth, **options) == value


@pytest.mark.parametrize("truth", ["none", "1 or 2", ""])
def test_numeric_needs_one_number_as_ground_truth(truth: str) -> None:
    with pytest.raises(MetricError):
        score_text("numeric", "1", truth)


async def test_long_texts_are_compared_beside_the_event_loop() -> None:
    long = "one two three four five six seven eight " * 60
    found = await catalog.build("rouge").measure(Evidence("hi", long, ground_truth=long))
    assert found.value == pytest.approx(1.0)


def test_score_text_refuses_metrics_that_need_more_than_two_texts() -> None:
    with pytest.raises(MetricError, match="needs more than an answer"):
        score_text("contains", "x", "y", value="x")


@pytest.mark.parametrize(("answer", "truth"), [("???", "!!!"), (" ?", "! "), ("!!!", ""), ("...", " ")])
def test_p021_two_texts_of_which_nothing_is_left_are_an_error_not_the_same(answer: str, truth: str) -> None:
    with pytest.raises(MetricError, match="nothing is left to compare"):
        score_text("equality", answer, truth, strip_punctuation=True, strip_whitespace=True)
    assert score_text("equality", "???", "???", strip_punctuation=True) == 1.0
