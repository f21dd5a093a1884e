"""The page on CI and its workflow: each step is run with bash, as the service would run it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from tests.support.pages import commands_of, page, run

PAGE = page("guides/ci.md")
WORKFLOW: dict[str, Any] = yaml.safe_load((Path(__file__).parents[2] / "examples" / "ci" / "seatrial.yml").read_text())
STEPS = {step["name"]: step["run"] for step in WORKFLOW["jobs"]["suite"]["steps"] if "run" in step}
(GITLAB,) = (yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
PREPARING = commands_of(PAGE)[:2]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A project with what the page says that it needs."""
    assert run("seatrial init shop --template minimal", tmp_path).returncode == 0
    for command in PREPARING:
        done = run(command, tmp_path / "shop")
        assert done.returncode == 0, done.stdout + done.stderr
    return tmp_path / "shop"


def in_bash(script: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=100,
        env={**os.environ, "PATH": path, "CI": "true", **env},
    )


def on_github(folder: Path) -> tuple[dict[str, subprocess.CompletedProcess[str]], str]:
    """What came of each step but the first, which fills an environment, and the summary of the job."""
    summary = folder.parent / "summary.md"
    env = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    done = {name: in_bash(script, folder, **env) for name, script in STEPS.items() if name != "Install"}
    return done, summary.read_text(encoding="utf-8")


def failed_on_github(folder: Path) -> tuple[str, str]:
    """What the step that runs the suite told when it failed, and the summary of the job."""
    done, summary = on_github(folder)
    suite = done["Run the suite from its recording"]
    assert suite.returncode == 1
    return suite.stderr, summary


def break_a_case(folder: Path) -> None:
    file = folder / "agent.yaml"
    file.write_text(file.read_text().replace("09:00 to 19:00", "08:00 to 19:00"))


def test_the_workflow_passes_and_leaves_reports_and_a_summary(repository: Path) -> None:
    done, summary = on_github(repository)
    assert {name: step.returncode for name, step in done.items()} == dict.fromkeys(done, 0), str(done)
    assert "weekday" in summary
    assert "<testsuite" in (repository / "results" / "junit.xml").read_text()
    assert "<html" in (repository / "results" / "report.html").read_text()


def test_a_change_that_breaks_a_case_fails_the_job_and_is_marked_at_its_line(repository: Path) -> None:
    break_a_case(repository)
    told, summary = failed_on_github(repository)
    assert "::error file=agent.yaml,line=15,title=weekday%3A failed::contains" in told
    assert summary.startswith("## FAILED: shop")
    assert "- at agent.yaml:15" in summary


def test_a_suite_that_is_green_because_a_case_is_gone_fails_the_job_and_the_summary_says_why(repository: Path) -> None:
    file = repository / "agent.yaml"
    text = file.read_text()
    file.write_text(text[: text.index("  - name: no-such-shop")])
    told, summary = failed_on_github(repository)
    assert "::error title=compared with baseline.json::judged before and gone now: no-such-shop" in told
    assert summary.startswith("## PASSED: shop")
    assert "- gate: judged before and gone now: no-such-shop" in summary


def test_an_annotation_names_the_file_as_it_is_in_the_checkout_wherever_the_step_runs(repository: Path) -> None:
    break_a_case(repository)
    done = in_bash("seatrial test", repository, GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(repository.parent))
    assert "::error file=shop/agent.yaml,line=15," in done.stderr


def test_the_first_step_installs_what_the_page_says() -> None:
    assert STEPS["Install"] == "pip install -r requirements.txt"
    assert "`requirements.txt`" in PAGE
    (line,) = re.findall(r"^```text\n(.*)\n```", PAGE, re.MULTILINE)
    needed = Requirement(line)
    assert (needed.name, needed.extras) == ("seatrial", {"local", "metrics"})
    assert needed.url is not None


def test_the_job_for_gitlab_passes(repository: Path) -> None:
    install, *rest = GITLAB["seatrial"]["script"]
    assert install == STEPS["Install"]
    for script in rest:
        done = in_bash(script, repository)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (repository / GITLAB["seatrial"]["artifacts"]["reports"]["junit"]).is_file()


def test_the_run_for_real_passes_too(repository: Path) -> None:
    (command,) = commands_of(PAGE)[2:]
    done = run(command, repository)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_step_by_name_is_on_the_page() -> None:
    for name in STEPS.keys() - {"Install"}:
        assert f"| {name} |" in PAGE
