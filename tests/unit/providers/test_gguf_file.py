"""What the head of a GGUF file tells, and what is said of files that cannot be used."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.small_model import MODEL_FILE

from seatrial.errors import ConfigError
from seatrial.providers.gguf_file import read_head

FACTS: dict[str, Any] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "general.alignment": 64,
    "llama.context_length": 2048,
    "llama.rope.freq_base": 10000.0,
    "tokenizer.ggml.tokens": ["<s>", "</s>", "ship"],
    "tokenizer.ggml.token_type": [3, 3, 1],
    "tokenizer.ggml.add_bos_token": True,
    "tokenizer.chat_template": "{{ messages }}",
}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def typed(value: Any) -> bytes:
    match value:
        case bool():
            return struct.pack("<I?", 7, value)
        case int():
            return struct.pack("<II", 4, value)
        case float():
            return struct.pack("<If", 6, value)
        case str():
            return struct.pack("<I", 8) + text(value)
        case _:
            items = [typed(item) for item in value]
            return struct.pack("<I", 9) + items[0][:4] + struct.pack("<Q", len(items)) + b"".join(i[4:] for i in items)


def gguf(facts: dict[str, Any] = FACTS, *, version: int = 3, n_tensors: int = 2) -> bytes:
    head = b"GGUF" + struct.pack("<IQQ", version, n_tensors, len(facts))
    head += b"".join(text(key) + typed(value) for key, value in facts.items())
    for place in range(n_tensors):
        head += text(f"weight.{place}") + struct.pack("<IQIQ", 1, 16, 0, 64 * place)
    return head + b"\0" * (-len(head) % 64) + b"\1" * 64 * n_tensors


def problem_with(file: Path, content: bytes | None = None) -> str:
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_head(file)
    return f"{caught.value.message}. {caught.value.hint}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


def test_the_head_tells_architecture_name_window_and_template(file: Path) -> None:
    file.write_bytes(gguf())
    head = read_head(file)
    assert (head.architecture, head.name, head.context_length) == ("llama", "Tiny", 2048)
    assert head.chat_template == "{{ messages }}"


def test_what_the_file_does_not_say_is_unknown(file: Path) -> None:
    file.write_bytes(gguf({"general.architecture": "llama"}))
    head = read_head(file)
    assert (head.name, head.context_length, head.chat_template) == (None, None, None)


def test_a_real_file_is_read() -> None:
    head = read_head(MODEL_FILE)
    assert (head.architecture, head.context_length) == ("llama", 8192)
    assert "<|im_start|>" in (head.chat_template or "")


def test_a_missing_file_is_told_with_its_path(file: Path) -> None:
    problem = problem_with(file)
    assert f"{file} cannot be read: No such file" in problem
    assert "relative to the agent file" in problem


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert "Is a directory" in problem_with(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b"PK\3\4 and more", r"is not a GGUF file: it begins with b'PK\x03\x04'"),
        (b"tjgg\3\0\0\0", "is a GGML file, which is older than GGUF"),
        (b"version https://git-lfs.github.com/spec/v1\n", "run `git lfs pull`"),
        (gguf(version=1), "of version 1, which is too old"),
        (gguf(version=4), "of version 4, newer than seatrial knows"),
        (gguf(version=3 << 24), "is a big-endian GGUF file"),
        (gguf(n_tensors=0), "holds no weights"),
        (gguf(FACTS | {"general.type": "adapter"}), "holds a LoRA adapter, not a language model"),
        (gguf(FACTS | {"general.type": "mmproj"}), "holds an image projector, not a language model"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1, 1) + text("key") + struct.pack("<I", 99), "cut off or damaged"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_apart(file: Path, content: bytes, said: str) -> None:
    assert said in problem_with(file, content)


@given(st.integers(min_value=4, max_value=len(gguf()) - 65))
def test_a_file_that_breaks_off_anywhere_before_its_last_weights_is_damaged(
    tmp_path_factory: pytest.TempPathFactory, length: int
) -> None:
    file = tmp_path_factory.mktemp("cut") / "model.gguf"
    assert "cut off or damaged" in problem_with(file, gguf()[:length])


@given(st.binary(max_size=200))
def test_random_bytes_give_a_head_or_a_finding(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    file = tmp_path_factory.mktemp("noise") / "model.gguf"
    file.write_bytes(gguf()[:24] + noise)
    with pytest.raises(ConfigError):
        read_head(file)
