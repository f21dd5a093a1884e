"""Makes the environments in which the tests try the built package as its users will have it.

``oldest`` and ``newest`` hold the package with the extra ``[local]``, with the oldest and the newest dependencies that
it allows; ``base`` holds it without extras. `fetch` needs a registry and does nothing when all is there; `put_in`
builds wheel and sdist from the tree and puts the wheel in, without the network, where one of the three has another.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = Path(sys.prefix) / "share" / "seatrial" / "packages"
BUILT = FOLDER / "dist"
STAMP = FOLDER / ".fetched"
ENVIRONMENTS = {
    "base": [],
    "oldest": ["--extra", "local", "--resolution", "lowest-direct"],
    "newest": ["--extra", "local"],
}
_PACKED = ("src", "pyproject.toml", "README.md", "LICENSE")


def program(environment: str) -> Path:
    """The program ``seatrial`` of one environment."""
    return FOLDER / environment / "bin" / "seatrial"


def fetch() -> None:
    """Brings the dependencies to what pyproject.toml says."""
    wanted = _digest([ROOT / "pyproject.toml", Path(__file__)])
    if STAMP.is_file() and STAMP.read_text(encoding="utf-8") == wanted:
        STAMP.touch()
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for environment, options in ENVIRONMENTS.items():
        pins = FOLDER / f"{environment}.txt"
        _uv("pip", "compile", ROOT / "pyproject.toml", *options, "--python", sys.executable, "--output-file", pins)
        _uv("venv", "--python", sys.executable, FOLDER / environment)
        # An empty value lets the packages be compiled once, here.
        _install(environment, "--compile-bytecode", "--requirement", pins)
    STAMP.write_text(wanted, encoding="utf-8")


def put_in() -> None:
    """Brings the package in the environments to what the tree holds; may be called by many processes at once."""
    with (FOLDER / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = _digest(sorted(_packed_files()))
        stamp = FOLDER / ".built"
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
            return
        shutil.rmtree(BUILT, ignore_errors=True)
        _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", BUILT, ROOT)
        (wheel,) = BUILT.glob("*.whl")
        for environment in ENVIRONMENTS:
            _install(environment, "--compile-bytecode", "--offline", "--no-deps", "--reinstall", wheel)
        stamp.write_text(wanted, encoding="utf-8")


def _packed_files() -> list[Path]:
    paths = [ROOT / name for name in _PACKED]
    files = [path for path in paths if path.is_file()]
    files += [file for path in paths for file in path.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    return files


def _digest(files: list[Path]) -> str:
    digest = sha256(sys.version.encode())
    for file in files:
        digest.update(f"{file.relative_to(ROOT)}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _install(environment: str, *arguments: str | Path) -> None:
    _uv("pip", "install", "--python", FOLDER / environment / "bin" / "python", *arguments)


def _uv(*arguments: str | Path) -> None:
    beside = Path(sys.executable).with_name("uv")
    _run(beside if beside.is_file() else shutil.which("uv") or "uv", *arguments)


def _run(*command: str | Path) -> None:
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    fetch()
    put_in()
