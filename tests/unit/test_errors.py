"""What errors tell people to do."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from seatrial.errors import MissingExtraError


def activate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the folder of this Python, with its pip, first on the path."""
    monkeypatch.setattr("seatrial.installed.find_spec", lambda _name: True)
    monkeypatch.setattr("seatrial.installed.os.get_exec_path", lambda: [str(Path(sys.executable).parent)])
    monkeypatch.setattr(Path, "is_file", lambda path: path.name == "pip" or path.exists())


@pytest.mark.parametrize(
    ("origin", "hint"),
    [
        (None, "pip install 'seatrial[mcp]'"),
        ({"url": "file:///home/me/sea%20trial", "dir_info": {}}, "pip install '/home/me/sea trial[mcp]'"),
        ({"url": "file:///home/me/st", "dir_info": {"editable": True}}, "pip install -e '/home/me/st[mcp]'"),
        (
            {"url": "https://x.org/st.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "pip install 'seatrial[mcp] @ git+https://x.org/st.git'",
        ),
        (
            {"url": "https://x.org/st.git", "vcs_info": {"vcs": "git", "requested_revision": "v1", "commit_id": "abc"}},
            "pip install 'seatrial[mcp] @ git+https://x.org/st.git@v1'",
        ),
        (
            {"url": "file:///tmp/seatrial-1.0-py3-none-any.whl", "archive_info": {}},
            "pip install 'seatrial[mcp] @ file:///tmp/seatrial-1.0-py3-none-any.whl'",
        ),
    ],
)
def test_a_missing_extra_is_told_with_the_command_that_fits_the_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None, hint: str
) -> None:
    (tmp_path / "seatrial-1.0.dist-info").mkdir()
    if origin is not None:
        (tmp_path / "seatrial-1.0.dist-info" / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    activate(monkeypatch)
    assert MissingExtraError("mcp", "a tool").hint == hint


def test_in_the_clone_itself_the_path_is_a_dot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "seatrial-1.0.dist-info").mkdir()
    note = {"url": tmp_path.as_uri(), "dir_info": {}}
    (tmp_path / "seatrial-1.0.dist-info" / "direct_url.json").write_text(json.dumps(note), encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.chdir(tmp_path)
    activate(monkeypatch)
    assert MissingExtraError("mcp", "a tool").hint == "pip install '.[mcp]'"


def test_the_pip_of_another_python_is_not_what_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pip").write_text("")
    monkeypatch.setattr("seatrial.installed.find_spec", lambda _name: True)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert f"{sys.executable} -m pip install " in str(MissingExtraError("mcp", "a tool").hint)
    monkeypatch.setattr("seatrial.installed.find_spec", lambda _name: None)
    assert f"uv pip install --python {sys.executable} " in str(MissingExtraError("mcp", "a tool").hint)
