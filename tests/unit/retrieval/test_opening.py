from __future__ import annotations

import subprocess
import sys

from seatrial.installed import install_command

_HEAVY = ("numpy", "onnxruntime", "semantic_text_splitter", "lxml", "PIL", "openpyxl", "docx", "pptx", "pypdfium2")


def in_fresh_process(code: str) -> subprocess.CompletedProcess[str]:
    blocked = f"import sys\nfor name in {_HEAVY!r}: sys.modules[name] = None\n"
    return subprocess.run([sys.executable, "-c", blocked + code], capture_output=True, text=True, check=False)


def test_an_agent_without_documents_needs_none_of_their_libraries() -> None:
    done = in_fresh_process("import seatrial.assembly.live, seatrial.assembly.check, seatrial.tools.vectorstore")
    assert done.stderr == ""


def test_a_missing_extra_is_told_with_the_line_to_paste() -> None:
    code = """
from seatrial.errors import MissingExtraError
from seatrial.retrieval.opening import index_class
from seatrial.documents.catalog import READERS
readers = ("pdf", "word", "excel", "powerpoint", "html")
for load in (index_class, *(lambda name=name: READERS.load(name) for name in readers)):
    try:
        load()
    except MissingExtraError as error:
        print(error.hint)
"""
    assert in_fresh_process(code).stdout.splitlines() == [
        install_command("local"),
        *[install_command("files")] * 5,
    ]
