"""The support example does what its README says it does."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "support"


def test_the_readme_tells_how_many_cases_pass_and_which_fail(tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLE, tmp_path / "support", ignore=shutil.ignore_patterns(".seatrial"))
    command = [sys.executable, "-m", "seatrial", "test", str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=100, check=False)
    assert ended.returncode == 1, ended.stderr
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    said = re.search(r"of (\d+) cases (\d+) pass and (\d+) fail", readme)
    assert said is not None
    total, passed, failed = said.groups()
    assert f"{passed} of {total} passed" in ended.stdout
    assert f"{failed} failed" in ended.stdout
    explained = set(re.findall(r"^\| (\w[\w ]+) \|", readme, flags=re.M)) - {"case"}
    assert explained == set(re.findall(r"^✗ (\w[\w ]+?)  ", ended.stdout, flags=re.M))
