"""The table of documents that can be written of a run."""

from __future__ import annotations

from seatrial.plugins import Registry
from seatrial.reporters.base import DocumentWriter

DOCUMENTS: Registry[DocumentWriter] = Registry(
    "report",
    "seatrial.reporters",
    {
        "json": "seatrial.reporters.json_file:write_json",
        "jsonl": "seatrial.reporters.json_file:write_jsonl",
        "csv": "seatrial.reporters.csv_file:write_csv",
        "junit": "seatrial.reporters.junit:write_junit",
        "markdown": "seatrial.reporters.markdown:write_markdown",
        "html": "seatrial.reporters.html:write_html",
    },
)
