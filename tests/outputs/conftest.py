"""A PostgreSQL server for the tests of databases, and URLs of databases that are empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outputs.postgresql_server import PostgresqlServer, binaries


@pytest.fixture(scope="session")
def one_server() -> Iterator[PostgresqlServer]:
    pytest.importorskip("psycopg")
    programs = binaries()
    if programs is None:
        pytest.skip("without PostgreSQL's programs (Debian: apt install postgresql)")
    server = PostgresqlServer(programs)
    yield server
    server.remove()


@pytest.fixture
def server(one_server: PostgresqlServer) -> Iterator[PostgresqlServer]:
    """Return a server without tables."""
    one_server.query("DROP TABLE IF EXISTS items, page_types")
    yield one_server
    one_server.start_again()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of each kind of database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'pages.sqlite'}"
    server: PostgresqlServer = request.getfixturevalue("server")
    return server.url
