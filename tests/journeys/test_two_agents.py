"""Several agent files in one folder share a store, and are told apart in it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
WriteAgent = Callable[..., Path]


@pytest.fixture
def two_agents(write_agent: WriteAgent, seatrial: Run) -> Path:
    """Runs of one.yaml (failed, then passed), then a failed one of two.yaml, of the same name."""
    folder = write_agent([("first", "no idea", "it was shipped")])
    (folder / "agent.yaml").rename(folder / "one.yaml")
    assert seatrial("test", "one.yaml").returncode == 1
    (folder / "script.json").write_text('["it was shipped"]', encoding="utf-8")
    assert seatrial("test", "one.yaml").returncode == 0
    text = (folder / "one.yaml").read_text(encoding="utf-8").replace("first", "second")
    (folder / "two.yaml").write_text(text, encoding="utf-8")
    (folder / "script.json").write_text('["no idea"]', encoding="utf-8")
    assert seatrial("test", "two.yaml").returncode == 1
    return folder


@pytest.mark.usefixtures("two_agents")
def test_the_last_run_is_that_of_the_agent_file_that_is_named(seatrial: Run) -> None:
    assert "shop (one.yaml)" in seatrial("runs", "show", "-a", "one.yaml").stdout
    assert "shop (two.yaml)" in seatrial("runs", "show", "-a", "two.yaml").stdout
    assert "shop (two.yaml)" in seatrial("runs", "show").stdout
    assert seatrial("runs", "show", "-a", "one.yaml", "--case", "first").returncode == 0
    assert seatrial("runs", "show", "-a", "two.yaml", "--case", "first").returncode == 2
    assert "first" in seatrial("runs", "export", "-a", "one.yaml", "--format", "csv").stdout


@pytest.mark.usefixtures("two_agents")
def test_runs_of_other_agent_files_are_neither_compared_nor_listed_nor_collected(seatrial: Run) -> None:
    compared = seatrial("compare", "-a", "one.yaml", "--json")
    assert '"first"' in compared.stdout
    assert '"second"' not in compared.stdout
    assert "there is no run last~1 of two.yaml: 1 stored" in seatrial("compare", "-a", "two.yaml").stderr
    assert len(seatrial("runs", "list", "-a", "one.yaml").stdout.splitlines()) == 3
    assert len(seatrial("runs", "list").stdout.splitlines()) == 4
    assert seatrial("runs", "gc", "--keep", "1", "-a", "one.yaml").stdout.count("deleted") == 1
    assert len(seatrial("runs", "list").stdout.splitlines()) == 3


@pytest.mark.usefixtures("two_agents")
def test_a_test_goes_on_from_runs_of_its_own_agent_file(two_agents: Path, seatrial: Run) -> None:
    assert "there is nothing to run: every case passed" in seatrial("test", "one.yaml", "--failed").stderr
    assert "second" in seatrial("test", "two.yaml", "--failed", "--dry-run").stdout
    (two_agents / "three.yaml").write_text((two_agents / "two.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    for options in (["--failed"], ["--resume"], ["--baseline", "last"]):
        assert "no run of three.yaml is stored here yet" in seatrial("test", "three.yaml", *options).stderr
    assert "no earlier run of this agent" in seatrial("test", "three.yaml", "--dry-run").stdout
    assert "probably" in seatrial("test", "two.yaml", "--dry-run").stdout
