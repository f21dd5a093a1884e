"""The official MCP conformance suite judges our connection, scenario by scenario; its servers are its own."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.real_servers import node_package

HERE = Path(__file__).parent
# Named in baseline.yml: without anybody to ask, elicitation is refused.
REFUSED = {"elicitation-sep1034-client-defaults", "sep-2322-client-request-state"}
SCENARIOS = [
    ("2025-11-25", "initialize"),
    ("2025-11-25", "tools_call"),
    ("2025-11-25", "sse-retry"),
    ("2025-11-25", "elicitation-sep1034-client-defaults"),
    ("2025-11-25", "json-schema-2020-12-preservation"),
    ("2026-07-28", "tools_call"),
    ("2026-07-28", "request-metadata"),
    ("2026-07-28", "http-standard-headers"),
    ("2026-07-28", "http-custom-headers"),
    ("2026-07-28", "http-invalid-tool-headers"),
    ("2026-07-28", "json-schema-ref-no-deref"),
    ("2026-07-28", "json-schema-2020-12-preservation"),
    ("2026-07-28", "sep-2322-client-request-state"),
]


@pytest.mark.parametrize(("revision", "scenario"), SCENARIOS, ids=lambda value: value)
def test_a_scenario_of_the_conformance_suite_passes(revision: str, scenario: str, tmp_path: Path) -> None:
    client = " ".join(shlex.quote(str(part)) for part in (sys.executable, HERE / "client.py"))
    judged = subprocess.run(
        node_package(
            "conformance", "client", "--command", client, "--scenario", scenario, "--spec-version", revision,
            "--expected-failures", str(HERE / "baseline.yml"), "--timeout", "60000", "--output-dir", str(tmp_path),
        ),
        capture_output=True, text=True, encoding="utf-8", timeout=100, check=False,
    )  # fmt: skip
    assert judged.returncode == 0, judged.stdout + judged.stderr
    # The suite is content with a scenario that it skips: something must have been checked.
    (written,) = tmp_path.rglob("checks.json")
    verdicts = {check["status"] for check in json.loads(written.read_text(encoding="utf-8"))}
    assert verdicts & {"SUCCESS", "FAILURE"}
    assert ("FAILURE" in verdicts) == (scenario in REFUSED)
