"""A page of the documentation followed as a reader does: files written and changed, commands run, output compared."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

_BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`([\w./-]+)`:$")
_EXIT_CODE = re.compile(r"# exit code (\d+)")
_VARIES = (
    (re.compile(r"\d{8}-\d{6}-\w{4}"), "RUN"),
    (re.compile(r"\d+\.\d\d s( +[\d,]+$)?", re.MULTILINE), "TIME"),
    (re.compile(r" +"), " "),
)


@dataclass
class Walk:
    """Where the reader stands, what the last commands said, and which commands were run."""

    folder: Path
    environ: Mapping[str, str] = field(default_factory=dict)
    said: str = ""
    done: list[list[str]] = field(default_factory=list)
    compared: list[str] = field(default_factory=list)

    def follow(self, page: str) -> None:
        """Does all that the page says, in its order; a text block is compared with what the commands before it said."""
        for language, told, text in _blocks(page):
            if language == "sh":
                self.said = "".join(map(self.run, text.splitlines()))
            elif language == "text":
                self.compare(text)
            else:
                name = _FILE.search(told)
                assert name is not None, f"the words before the block do not end with a file's name:\n{text}"
                self._write(self.folder / name[1], text, told, is_change=language == "diff")

    def run(self, line: str) -> str:
        """Runs one command, which must end as the line says; gives what it said."""
        words = shlex.split(line, comments=True)
        if words[0] == "cd":
            self.folder /= words[1]
            return ""
        promised = _EXIT_CODE.search(line)
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=100,
            env=_environ(self.environ),
        )
        said = done.stdout + done.stderr
        assert done.returncode == (int(promised[1]) if promised else 0), f"{line}\n{said}"
        self.done.append(words)
        return said

    def compare(self, shown: str) -> None:
        """Each line of the page was said, in this order; times, tokens and names of runs are others each time."""
        said = iter(_steady(self.said).splitlines())
        for line in _steady(shown).splitlines():
            if line.strip() not in ("", "..."):
                assert any(line.rstrip() == other.rstrip() for other in said), f"not said: {line}\n{self.said}"
                self.compared.append(line)

    def _write(self, path: Path, text: str, told: str, *, is_change: bool) -> None:
        if is_change:
            path.write_text(_changed(path.read_text(encoding="utf-8"), text), encoding="utf-8")
        elif re.search(r"\bAdd to `", told):
            with path.open("a", encoding="utf-8") as file:
                file.write(text)
        else:
            assert not path.exists(), f"{path.name} is there already"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _blocks(page: str) -> Iterator[tuple[str, str, str]]:
    """The language, the paragraph before, and the text of each block."""
    for match in _BLOCK.finditer(page):
        before = page[: match.start()].rstrip().rpartition("\n\n")[2]
        yield match[2], before, dedent(match[3])


def _changed(text: str, diff: str) -> str:
    old = "".join(f"{line[1:]}\n" for line in diff.splitlines() if not line.startswith("+"))
    new = "".join(f"{line[1:]}\n" for line in diff.splitlines() if not line.startswith("-"))
    assert text.count(old) == 1, f"the lines to change are not there once:\n{old}"
    return text.replace(old, new)


def _steady(text: str) -> str:
    for pattern, word in _VARIES:
        text = pattern.sub(word, text)
    return text


def _environ(more: Mapping[str, str]) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_") and name != "COLUMNS"}
    return {**own, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", **more}
