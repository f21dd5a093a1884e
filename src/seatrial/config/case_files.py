"""``test_cases_file:``: the cases of other files, put behind those of the agent file."""

from __future__ import annotations

from pathlib import Path

from seatrial.config.case_rows import read_rows
from seatrial.config.diagnostics import Place
from seatrial.config.located import Block, Listing, locate
from seatrial.config.paths import from_folder, is_pattern, kind_of, matching_files, name_of_kind, near_path
from seatrial.config.trip import Trip


def add_case_files(data: Block, trip: Trip) -> None:
    """Reads the files that ``test_cases_file`` names and adds their rows to ``test_cases``."""
    named = data.get("test_cases_file")
    own = data.get("test_cases")
    if named is None or not (own is None or isinstance(own, Listing)):
        return
    patterns = list(enumerate(named)) if isinstance(named, Listing) else [(None, named)]
    merged = Listing(trip.path, data.place_of_key("test_cases_file").line) if own is None else own
    for index, pattern in patterns:
        if isinstance(pattern, str):
            path = ("test_cases_file",) if index is None else ("test_cases_file", index)
            _add(pattern, locate(data, path) or Place(trip.path, 1), merged, trip)
    data["test_cases"] = merged


def _add(pattern: str, place: Place, merged: Listing, trip: Trip) -> None:
    for path in _files(pattern, place, trip):
        source = trip.read(path)
        if source is None:
            continue
        rows, problems, has_variables = read_rows(source)
        trip.findings += problems
        if has_variables:
            trip.fill(rows, source)
        merged.join(rows)


def _files(pattern: str, place: Place, trip: Trip) -> list[Path]:
    """The files that are meant; a finding when there is none."""
    path = from_folder(trip.folder, pattern)
    kind = kind_of(path)
    if kind == "file":
        return [path]
    if kind == "folder":
        hint = f"write {Path(pattern).as_posix()}/*.yaml to take all files in it"
        trip.error("ST302", f"{pattern} is a folder, and a file is needed", place, hint)
    elif is_pattern(pattern):
        found = matching_files(trip.folder, pattern)
        if found is None:
            trip.error("ST302", f"{pattern} would look through too many files", place, "name a smaller folder")
        elif not found:
            trip.error("ST301", f"no file matches {pattern}", place, f"looked in {trip.folder.absolute()}")
        return found or []
    elif kind == "other":
        trip.error("ST302", f"{pattern[:80]} is {name_of_kind(path)}, and a file is needed", place)
    elif kind == "unusable":
        trip.error("ST302", f"{pattern[:80]} is no usable path", place)
    else:
        near = near_path(path, pattern)
        trip.error(
            "ST301", f"{pattern} does not exist", place, f"did you mean {near}?" if near else f"looked for {path}"
        )
    return []
