"""Printing, error messages and exit codes: the one place that talks to the terminal."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

from seatrial.cli.streams import beside
from seatrial.errors import AbortedError, ConfigError, SeatrialError
from seatrial.reporters.plain import visible

if TYPE_CHECKING:
    from seatrial.config.diagnostics import Diagnostic

INTERRUPTED = 130
_OUTSIDE_FAILED = 3
_STDOUT, _STDERR = 1, 2
_FINDINGS_SHOWN = 100
_end_process = os._exit  # as it is before any code of the user's is loaded


class Session:
    """What the command line said to all commands alike."""

    def __init__(self) -> None:
        self.is_debug = False


def say(text: str = "") -> None:
    """A line on stdout: what the user asked for."""
    print(visible(text))


def tell(text: str = "") -> None:
    """A line on stderr: what the user should know besides."""
    print(visible(text), file=sys.stderr)


def prompt(text: str) -> None:
    """The beginning of a line that the user goes on with, on stderr."""
    print(text, end="", flush=True, file=sys.stderr)


def refuse_two_documents(form: str, *, is_json: bool) -> None:
    """Raises a usage error when ``--json`` and ``--format`` ask for two documents on one stdout."""
    if is_json and form not in ("text", "json"):
        raise click.UsageError(f"--json and --format {form} both write to stdout: leave one of them out")


def say_json(document: bytes) -> None:
    """One JSON document on stdout, exactly these bytes: UTF-8 whatever the locale."""
    say_bytes(document.rstrip(b"\n") + b"\n")


def say_bytes(document: bytes) -> None:
    """A document on stdout as it is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(document)
    sys.stdout.buffer.flush()


@contextmanager
def stdout_for_us_alone(is_wanted: bool = True) -> Iterator[TextIO]:
    """Meanwhile whatever is written to the process's stdout, also by its children, comes out on stderr.

    For commands of which stdout is one document; it is written afterwards, or piece by piece to the stream given.
    """
    if not is_wanted or not _is_open(sys.stdout, _STDOUT):
        yield sys.stdout
        return
    sys.stdout.flush()
    kept = os.dup(_STDOUT)
    _lead_to_stderr(_STDOUT)
    try:
        yield beside(sys.stdout, kept)
    finally:
        with suppress(OSError):
            sys.stdout.flush()
        os.dup2(kept, _STDOUT)
        os.close(kept)


def _is_open(stream: TextIO | None, descriptor: int) -> bool:
    """Whether the stream is the process's own and open; of a closed one the number soon belongs to another file."""
    try:
        return stream is not None and stream.fileno() == descriptor
    except (OSError, ValueError):
        return False


def _lead_to_stderr(descriptor: int) -> None:
    if _is_open(sys.stderr, _STDERR):
        os.dup2(_STDERR, descriptor)
        return
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, descriptor)
    os.close(devnull)


def use_colour(stream: TextIO) -> bool:
    """Whether to colour: a terminal, unless ``NO_COLOR`` or ``TERM=dumb`` says otherwise."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def show_error(error: SeatrialError) -> None:
    """What went wrong and what to do, on stderr; every diagnostic with its place."""
    diagnostics = error.diagnostics if isinstance(error, ConfigError) else ()
    show_diagnostics(diagnostics)
    _print_error(error.message)
    if error.hint:
        tell(f"  {error.hint}")


def show_diagnostics(diagnostics: Sequence[Diagnostic], stream: TextIO | None = None) -> None:
    """Each finding with file, line, column, the offending line and what to write instead; on stderr, unless told.

    Of very many the first hundred are shown.
    """
    stream = stream or sys.stderr
    colour = use_colour(stream)
    for diagnostic in diagnostics[:_FINDINGS_SHOWN]:
        text = visible(diagnostic.as_text())
        print(_coloured(text, diagnostic) if colour else text, file=stream)
        print(file=stream)
    if len(diagnostics) > _FINDINGS_SHOWN:
        left = len(diagnostics) - _FINDINGS_SHOWN
        print(f"and {left:,} more; seatrial validate --json tells them all\n", file=stream)


def guard(command: Callable[[], object], session: Session) -> int:
    """Runs a command and gives its exit code; every failure is told in words, never as a traceback."""
    try:
        result = command()
    except (click.Abort, KeyboardInterrupt):
        tell("interrupted")
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        tell(error.format_message())
        return error.exit_code
    except click.UsageError as error:
        return _show_usage_error(error)
    except click.ClickException as error:
        _print_error(error.format_message())
        return error.exit_code
    except AbortedError as error:
        tell(error.message)
        return INTERRUPTED
    except SeatrialError as error:
        show_error(error)
        return error.exit_code
    except PermissionError as error:
        return _show_closed_door(error)
    except Exception as error:  # noqa: BLE001 - the door of the command line
        _show_bug(error, session)
        return 1
    except BaseException as error:  # noqa: BLE001 - user code may raise what is no Exception; its text may be secret
        _print_error(f"{type(error).__name__} was raised by code of a tool, a hook or a check, and ended the program")
        return 1
    return result if isinstance(result, int) else 0


def leave(code: int, lost: OSError | None = None) -> NoReturn:
    """Ends the process; ``lost`` is why output could not be written, a failure unless the command has one to tell.

    After an interrupt it ends at once: Python would wait for threads that never heard of it.
    """
    if lost is not None:
        code = code or _OUTSIDE_FAILED
        _print_error(f"the output cannot be written: {lost.strerror}")
    if code == INTERRUPTED:
        sys.stderr.flush()
        _end_process(code)
    sys.exit(code)


@contextmanager
def interruptible(stop: Callable[[], None]) -> Iterator[None]:
    """The first Ctrl-C (or SIGTERM) calls ``stop``; the second ends the process at once.

    After the first the operating system's own handling is back in force, so that the second works even while
    foreign code does not let Python run.
    """

    def on_signal(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        stop()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def ends_told() -> Iterator[None]:
    """While code of the user's runs, ``os._exit`` in this process says that it ended it, and never ends it with 0.

    Children that such code forks end as they ever did.
    """
    own = os.getpid()

    def end(status: int) -> NoReturn:
        if os.getpid() != own:
            _end_process(status)
        message = f"error: code of a tool, a hook or a check ended the process with os._exit({status})\n"
        hint = "  what was stored until then is kept; let that code raise an exception instead\n"
        with suppress(OSError):
            os.write(2, f"{message}{hint}".encode())  # ``sys.stderr`` may be what a tool prints to
        _end_process(status or 1)

    vars(os)["_exit"] = end
    try:
        yield
    finally:
        vars(os)["_exit"] = _end_process


def _print_error(message: str) -> None:
    label = click.style("error:", fg="red", bold=True) if use_colour(sys.stderr) else "error:"
    print(f"{label} {visible(message)}", file=sys.stderr)


def _coloured(text: str, diagnostic: Diagnostic) -> str:
    first, *rest = text.split("\n")
    location = visible(diagnostic.location)
    colour = "red" if diagnostic.severity == "error" else "yellow"
    lines = [click.style(location, bold=True) + click.style(first.removeprefix(location), fg=colour)]
    for line in rest:
        is_caret = line.rstrip().endswith("^") and not line.strip("|^ \t")
        is_hint = line.startswith("  = ")
        lines.append(click.style(line, fg=colour if is_caret else "cyan" if is_hint else None))
    return "\n".join(lines)


def _show_bug(error: Exception, session: Session) -> None:
    bug_report = import_module("seatrial.cli.bug_report")  # it loads much that no good day needs
    _print_error(bug_report.in_one_line(error))
    if session.is_debug:
        tell(f"  this is a bug in seatrial; the traceback is in {bug_report.write_traceback(error)}")
    else:
        tell("  this is a bug in seatrial; `seatrial --debug ...` writes the traceback to a file to report it with")


def _show_usage_error(error: click.UsageError) -> int:
    usage_errors = import_module("seatrial.cli.usage_errors")
    _print_error(usage_errors.in_words(error))
    tell(f"  {usage_errors.where_to_look(error)}")
    return error.exit_code


def _show_closed_door(error: PermissionError) -> int:
    """A file that this user may not read or write: named, with what to do."""
    where = f": {error.filename}" if error.filename else ""
    _print_error(f"permission denied{where}")
    tell("  give your user the right to it, or run seatrial as the user that it belongs to")
    return 2
