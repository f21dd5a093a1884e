"""A command line that does not fit is told like any other mistake: what, and where to look."""

from __future__ import annotations

import pytest

from seatrial.cli import main as cli_main
from seatrial.cli import terminal


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["tset"], "there is no command 'tset'; did you mean 'test'?"),
        (["test", "--tga", "x"], "there is no option --tga; did you mean --tag?"),
        (["test", "--repeat", "two"], "--repeat: must be a whole number of at least 1, not 'two'"),
        (["test", "--limit", "0"], "--limit: must be a whole number of at least 1, not '0'"),
        (["test", "--max-time", "soon"], "--max-time: must be a number above 0, not 'soon'"),
        (["test", "--max-cost", "nan"], "--max-cost: must be a number above 0, not 'nan'"),
        (["index", "search", "x", "--min-score", "3"], "--min-score: must be a number between 0 and 1, not '3'"),
        (["test", "one", "two"], "two is one argument too many"),
        (["test", "--limit"], "option '--limit' requires an argument"),
        (["runs", "delete"], "RUN... is missing"),
        (["runs", "gc"], "--keep is missing"),
        (["run", "hello", "--file", "nowhere.txt"], "--file: file 'nowhere.txt' does not exist"),
    ],
)
def test_a_usage_error_is_one_plain_line_and_the_way_to_the_help(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli_main.main(arguments)
    first, second = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2
    assert first == f"error: {told}"
    assert second.startswith("  seatrial ")
    assert "--help" in second


@pytest.mark.parametrize("command", ["test", "index", "runs list", "index search"])
def test_the_help_speaks_of_numbers_without_formulas(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli_main.main([*command.split(), "--help"])
    assert ">=" not in capsys.readouterr().out


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_has_a_short_option(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli_main.main([option])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("seatrial ")


def test_a_file_that_may_not_be_read_is_named_and_is_no_bug(capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> None:
        raise PermissionError(13, "Permission denied", "/home/ann/.config/seatrial/config.yaml")

    assert terminal.guard(command, terminal.Session()) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: permission denied: /home/ann/.config/seatrial/config.yaml\n")
    assert "bug" not in told
