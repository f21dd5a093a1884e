"""The embedded embedder and its tokenizer."""

import json
import sys
import threading
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.errors import MissingExtraError, RetrievalError
from seatrial.installed import install_command
from seatrial.providers.minilm import MiniLM, shared_minilm
from seatrial.providers.wordpiece import WordPiece

WITNESS = json.loads((Path(__file__).parent / "wordpiece_witness.json").read_text(encoding="utf-8"))["texts"]
TOKENIZER = WordPiece.bert_uncased()


@pytest.mark.parametrize("entry", WITNESS, ids=lambda entry: ascii(entry["text"][:20]))
def test_the_token_ids_are_those_of_the_reference_tokenizer(entry: dict[str, object]) -> None:
    assert TOKENIZER.encode(str(entry["text"]), 10_000) == entry["ids"]


def test_control_words_in_a_text_are_text() -> None:
    assert 102 not in TOKENIZER.pieces("one [SEP] two")


@given(st.text(max_size=400), st.integers(min_value=2, max_value=64))
def test_any_text_is_encoded_within_the_limit(text: str, limit: int) -> None:
    ids = TOKENIZER.encode(text, limit)
    assert len(ids) <= limit
    assert (ids[0], ids[-1]) == (101, 102)


def test_texts_of_like_meaning_are_closer_than_others() -> None:
    vectors = MiniLM().embed(["Where is my parcel?", "Has my delivery arrived?", "A recipe for apple pie"])
    close = vectors @ vectors.T
    assert close[0, 1] > close[0, 2] + 0.2


def test_vectors_have_length_one_and_come_in_the_order_of_the_texts() -> None:
    model = shared_minilm()
    texts = ["a much longer text about tents and boots and the weather in the hills " * 6, "short", "", "tents " * 400]
    vectors = model.embed(texts)
    assert vectors.shape == (4, model.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    alone = np.vstack([model.embed([text]) for text in texts])
    assert np.abs(vectors - alone).max() < 1e-5


def test_no_text_gives_no_vector() -> None:
    assert shared_minilm().embed([]).shape == (0, 384)


def test_tokens_are_counted_beyond_the_limit() -> None:
    assert shared_minilm().count_tokens("tent " * 400) == 402


def test_a_process_has_one_shared_model_that_many_threads_use() -> None:
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(shared_minilm().embed(["tent"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shared_minilm() is shared_minilm()
    assert all((vectors == found[0]).all() for vectors in found)


def test_a_damaged_model_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"not a model")
    with pytest.raises(RetrievalError, match="is damaged"):
        MiniLM(file).embed(["tent"])
    with pytest.raises(RetrievalError, match="is missing"):
        MiniLM(tmp_path / "nowhere.onnx").embed(["tent"])


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.delitem(sys.modules, "seatrial.providers.minilm")
    with pytest.raises(MissingExtraError) as caught:
        import_module("seatrial.providers.minilm")
    assert caught.value.hint == install_command("local")
