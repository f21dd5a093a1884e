"""The computed metrics give the numbers of the reference libraries."""

import pytest

from seatrial.metrics.score_text import score_text

SAME = ("The cat sat on the mat.", "The cat sat on the mat.")
SHIPPED = (
    "Your order 4711 was shipped on 3 May and should arrive within two days.",
    "Order 4711 shipped on 3 May; it arrives in two days.",
)
PLURALS = (
    "The boxes were shipped to the customers and the refunds are being processed.",
    "The box was shipped to the customer and the refund is processing.",
)
SHORT = ("Paris", "The capital of France is Paris.")
REFUSAL = (
    "I am sorry, but I cannot help with that.",
    "Reset the password in Settings > Security, then sign in again.",
)
EMPTY = ("", "The answer is 42.")
REPEATED = ("yes yes yes yes", "yes it is")
PAIRS = (SAME, SHIPPED, PLURALS, SHORT, REFUSAL)

TABLE = {
    "f1_score": (1.0, 0.64, 0.315789, 0.333333, 0.0),
    "exact": (1.0, 0.0, 0.0, 0.0, 0.0),
    "bleu": (1.0, 0.24601373, 0.14458925, 0.00247875, 0.03715939),
    "bleu_nltk": (1.0, 0.246014, 0.123241, 0.002479, 0.021932),
    "gleu": (1.0, 0.314815, 0.22, 0.045455, 0.043478),
    "chrf": (1.0, 0.64176716, 0.68375016, 0.14792020, 0.11170585),
    "ter": (0.0, 0.63636364, 0.58333333, 1.0, 1.0),
    "rouge1": (1.0, 0.64, 0.48, 0.285714, 0.0),
    "rouge2": (1.0, 0.434783, 0.26087, 0.0, 0.0),
    "rougeL": (1.0, 0.64, 0.48, 0.285714, 0.0),
    "rouge": (1.0, 0.64, 0.48, 0.285714, 0.0),
    "meteor": (0.998542, 0.733333, 0.831178, 0.078125, 0.077519),
    "levenshtein": (0.0, 25.0, 18.0, 26.0, 45.0),
    "levenshtein_similarity": (1.0, 0.647887, 0.763158, 0.16129, 0.274194),
    "wer": (0.0, 0.727273, 0.583333, 1.0, 1.0),
}
STEMMED = {
    "rouge1": (1.0, 0.72, 0.8, 0.285714, 0.0),
    "rouge2": (1.0, 0.434783, 0.608696, 0.0, 0.0),
    "rougeL": (1.0, 0.72, 0.8, 0.285714, 0.0),
}


@pytest.mark.parametrize(
    ("metric", "pair", "value"),
    [(metric, pair, value) for metric, row in TABLE.items() for pair, value in zip(PAIRS, row, strict=True)],
)
def test_h012_computed_metrics_give_the_reference_values(metric: str, pair: tuple[str, str], value: float) -> None:
    assert score_text(metric, *pair) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    ("metric", "pair", "value"),
    [(metric, pair, value) for metric, row in STEMMED.items() for pair, value in zip(PAIRS, row, strict=True)],
)
def test_rouge_with_stems_gives_the_reference_values(metric: str, pair: tuple[str, str], value: float) -> None:
    assert score_text(metric, *pair, stem=True) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("metric", ["f1_score", "exact", "bleu", "bleu_nltk", "gleu", "chrf", "rouge1", "meteor"])
def test_p021_an_empty_answer_has_no_similarity(metric: str) -> None:
    assert score_text(metric, *EMPTY) == 0.0


def test_an_empty_answer_has_every_error_to_make() -> None:
    assert score_text("ter", *EMPTY) == 1.0
    assert score_text("wer", *EMPTY) == 1.0
    assert score_text("levenshtein", *EMPTY) == 17.0


@pytest.mark.parametrize(
    ("metric", "value"), [("f1_score", 0.285714), ("bleu", 0.15973578), ("meteor", 0.16129), ("chrf", 0.15884194)]
)
def test_repeated_words_are_not_counted_twice(metric: str, value: float) -> None:
    assert score_text(metric, *REPEATED) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    ("metric", "value"), [("bleu", 24.601373), ("chrf", 64.176716), ("ter", 63.636364), ("bleu_nltk", 24.6013733)]
)
def test_h011_scale_100_reports_hundredths(metric: str, value: float) -> None:
    assert score_text(metric, *SHIPPED, scale=100) == pytest.approx(value, abs=1e-5)
