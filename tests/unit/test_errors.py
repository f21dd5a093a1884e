"""What errors tell people to do."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from seatrial.errors import MissingExtraError


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
    assert MissingExtraError("mcp", "a tool").hint == hint


def test_in_the_clone_itself_the_path_is_a_dot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "seatrial-1.0.dist-info").mkdir()
    note = {"url": tmp_path.as_uri(), "dir_info": {}}
    (tmp_path / "seatrial-1.0.dist-info" / "direct_url.json").write_text(json.dumps(note), encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.chdir(tmp_path)
    assert MissingExtraError("mcp", "a tool").hint == "pip install '.[mcp]'"
