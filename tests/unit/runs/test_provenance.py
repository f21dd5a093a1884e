from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from seatrial.runs.provenance import git_state, installed_versions, is_under_way, new_run_id, this_process
from seatrial.runs.records import ProcessMark, RunRecord


def test_a_run_id_says_when_and_no_two_are_alike() -> None:
    now = datetime(2026, 5, 3, 12, 0, 1, tzinfo=UTC)
    ids = {new_run_id(now) for _ in range(100)}
    assert len(ids) > 95
    assert all(run_id.startswith("20260503-120001-") for run_id in ids)


def test_the_versions_name_python_and_seatrial() -> None:
    assert installed_versions()["python"].startswith("3.")
    assert "seatrial" in installed_versions()


def test_the_commit_is_found_and_a_change_is_seen(tmp_path: Path) -> None:
    assert git_state(tmp_path) is None

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    assert git_state(tmp_path) is None
    (tmp_path / "agent.yaml").write_text("a")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    clean = git_state(tmp_path)
    assert clean is not None
    assert len(clean.commit) == 40
    assert not clean.is_dirty
    (tmp_path / "agent.yaml").write_text("b")
    changed = git_state(tmp_path)
    assert changed is not None
    assert changed.is_dirty


def test_a_run_whose_writer_died_is_not_under_way(a_run: Callable[..., RunRecord]) -> None:
    assert is_under_way(a_run(process=this_process()))
    done = subprocess.Popen(["true"])
    done.wait()
    assert not is_under_way(a_run(process=ProcessMark(socket.gethostname(), done.pid)))
    assert not is_under_way(a_run(process=this_process(), status="finished"))
    assert os.getpid() == this_process().pid
