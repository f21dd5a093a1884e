"""The page about metrics names every one of them, on its scale."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from seatrial.metrics import catalog

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")


def test_the_example_of_one_pair_holds(tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "example.py").write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", catalog.names())
def test_every_metric_is_explained(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", [name for name in catalog.names() if catalog.info(name).kind in ("computed", "judge")])
def test_the_scale_on_the_page_is_the_scale_in_the_catalogue(name: str) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| ") and f"`{name}`" in line.split(" | ")[0])
    told = row.split(" | ")[1]
    info = catalog.info(name)
    assert re.match(info.shown_scale.replace("0 to 1", "0 (to|or) 1"), told)
    assert ("lower is better" in told) is info.is_lower_better
