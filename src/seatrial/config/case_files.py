"""``test_cases_file:``: the cases of other files, put behind those of the agent file."""

from __future__ import annotations

from seatrial.config.case_rows import read_rows
from seatrial.config.diagnostics import Place
from seatrial.config.located import Block, Listing, locate
from seatrial.config.patterns import files_of
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
    paths, problems = files_of(pattern, trip.folder, place)
    trip.findings += problems
    for path in paths:
        source = trip.read(path)
        if source is None:
            continue
        rows, problems, has_variables = read_rows(source)
        trip.findings += problems
        if has_variables:
            trip.fill(rows, source)
        merged.join(rows)
