"""Users' files: loaded under private names, with their neighbours, leaving nothing behind."""

import asyncio
import difflib
import statistics
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from seatrial.core.content import text_of
from seatrial.core.tool import ToolContext
from seatrial.errors import ToolError
from seatrial.tools.function import FunctionTool
from seatrial.tools.user_module import load_function


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return folder


def call(file: Path, function: str, **arguments: Any) -> str:
    tool = FunctionTool.of(load_function(file, function))
    return text_of(asyncio.run(tool.run(arguments, ToolContext())).content)


def test_h007_two_files_of_one_name_do_not_mix(tmp_path: Path) -> None:
    left = write(tmp_path / "a", pricing="def value(): return 'left'")
    right = write(tmp_path / "b", pricing="def value(): return 'right'")
    assert (call(left / "pricing.py", "value"), call(right / "pricing.py", "value")) == ("left", "right")
    assert "pricing" not in sys.modules


def test_h007_a_file_imports_its_neighbours_at_the_top_and_while_it_runs(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        side="""
            import helper
            import pack.inner as inner
            from pack import inner as same

            def side():
                from late import word
                return f"{helper.word()} {inner.WORD} {same is inner} {word}"
        """,
        helper="from late import word as late_word\ndef word(): return 'helped ' + late_word",
        late="word = 'late'",
    )
    write(folder / "pack", __init__="from .inner import WORD", inner="WORD = 'inner'")
    path = list(sys.path)
    assert call(folder / "side.py", "side") == "helped late inner True late"
    assert sys.path == path
    assert not {"helper", "late", "pack", "side"} & sys.modules.keys()


def test_h007_neighbours_of_one_name_do_not_mix(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name, tool="import helper\ndef who(): return helper.NAME", helper=f"NAME = '{name}'")
    assert [call(tmp_path / name / "tool.py", "who") for name in ("a", "b")] == ["a", "b"]


def test_h007_the_standard_library_is_not_replaced(tmp_path: Path) -> None:
    folder = write(tmp_path, json="def dump(): return 'mine'", tool="import json\ndef read(): return json.loads('[1]')")
    assert call(folder / "json.py", "dump") == "mine"
    assert call(folder / "tool.py", "read") == "[1]"


def test_h007_a_file_named_like_an_installed_package_still_reaches_the_package(tmp_path: Path) -> None:
    folder = write(tmp_path, yaml="import yaml\ndef read(): return yaml.safe_load('a: 1')")
    assert call(folder / "yaml.py", "read") == '{"a": 1}'


def test_h007_a_folder_without_init_is_importable_unless_something_installed_has_its_name(tmp_path: Path) -> None:
    write(tmp_path / "shelf_of_mine", book="TITLE = 'Dune'")
    (tmp_path / "click").mkdir()
    folder = write(
        tmp_path,
        tool="""
            from shelf_of_mine.book import TITLE
            import click
            def both(): return f"{TITLE} {hasattr(click, 'command')}"
        """,
    )
    assert call(folder / "tool.py", "both") == "Dune True"


def test_a_changed_neighbour_is_read_anew_with_the_next_load(tmp_path: Path) -> None:
    folder = write(tmp_path, tool="import helper\ndef f(): return helper.X", helper="X = 'old'")
    loaded = FunctionTool.of(load_function(folder / "tool.py", "f"))
    write(tmp_path, helper="X = 'newer'")
    assert call(folder / "tool.py", "f") == "newer"
    assert loaded.function() == "old"


def test_tools_of_one_file_share_its_state(tmp_path: Path) -> None:
    folder = write(tmp_path, tool="SEEN = []\ndef add(x): SEEN.append(x)\ndef seen(): return SEEN")
    call(folder / "tool.py", "add", x=1)
    assert call(folder / "tool.py", "seen") == "[1]"


@pytest.mark.parametrize("name", ["my-tool", "01 tool", "tool.v2"])
def test_h007_a_file_whose_name_is_no_identifier_loads(tmp_path: Path, name: str) -> None:
    folder = write(tmp_path, **{name: "import helper\ndef f(): return helper.X"}, helper="X = 'ok'")
    assert call(folder / f"{name}.py", "f") == "ok"


def test_h007_types_of_the_file_are_resolved(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        tool="""
            from __future__ import annotations
            from dataclasses import dataclass
            from helper import Mood

            @dataclass
            class Spot:
                x: int

            def go(to: Spot, mood: Mood) -> str:
                return f"{to.x} {mood.name}"
        """,
        helper="import enum\nclass Mood(enum.Enum):\n    GOOD = 'good'",
    )
    assert call(folder / "tool.py", "go", to={"x": 2}, mood="good") == "2 GOOD"


def test_h019_loading_writes_nothing_into_the_users_folder(tmp_path: Path) -> None:
    folder = write(tmp_path, tool="import helper\ndef f(): return 1", helper="")
    call(folder / "tool.py", "f")
    assert sorted(path.name for path in folder.iterdir()) == ["helper.py", "tool.py"]


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("import not_a_module_anywhere", "line 1: ModuleNotFoundError: No module named 'not_a_module_anywhere'"),
        ("x = 1\ndef f(:\n", "line 2: SyntaxError"),
        ("def f(): pass\n\n1 / 0", "line 3: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)", "line 2: SystemExit: 3"),
        ("g = 1", "defines no function 'f'"),
        ("f = 1", "'f' is not a function but a value of type int"),
    ],
)
def test_a_file_that_cannot_be_used_says_where_and_why(tmp_path: Path, source: str, complaint: str) -> None:
    file = write(tmp_path, tool=source) / "tool.py"
    with pytest.raises(ToolError) as caught:
        load_function(file, "f")
    assert str(file) in str(caught.value)
    assert complaint in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"nowhere\.py does not exist"):
        load_function(tmp_path / "nowhere.py", "f")


def test_what_a_file_prints_while_it_loads_stays_off_the_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load_function(write(tmp_path, tool="print('loading')\ndef f(): pass") / "tool.py", "f")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("module", "function", "arguments", "answer"),
    [
        (statistics, "mean", {"data": [1, 2, 6]}, "3"),
        (textwrap, "shorten", {"text": "a longer line", "width": 8}, "a [...]"),
        (difflib, "get_close_matches", {"word": "appel", "possibilities": ["ape", "apple"]}, '["apple", "ape"]'),
    ],
)
def test_modules_that_were_not_written_for_this_work_unchanged(
    module: Any, function: str, arguments: dict[str, Any], answer: str
) -> None:
    assert call(Path(module.__file__), function, **arguments) == answer
