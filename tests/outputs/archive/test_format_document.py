"""The format of an archive in docs/finished-crawls.md is what the code writes."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest

from templcrawl.outputs.archive.archive_parts import Archive, ArchiveReader
from templcrawl.outputs.archive.location import MANIFEST_FORMAT
from templcrawl.outputs.archive.tables import CRAWL_TABLES, FORMAT, FORMAT_KEY, NULLABLE, TABLES
from templcrawl.outputs.arrow import arrow_schema
from tests.outputs.archive.tables import some_rows, write_archive
from tests.tools.commands.running import run
from tests.tools.detection.archived_sites import site_pages, write_site_archive

PAGE = Path(__file__).parents[3] / "docs" / "finished-crawls.md"
TEXT = PAGE.read_text(encoding="utf-8").partition("\n## The format of an archive\n")[2]


def described() -> dict[str, dict[str, str]]:
    """Return table -> column -> type, of the document."""
    found = {}
    for part in TEXT.split("\n### ")[1:]:
        rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", part.split("\n## ")[0], re.MULTILINE)
        found[part.partition("\n")[0]] = {column: kind.strip() for column, kind in rows}
    return found


def test_the_tables_of_an_archive_are_those_of_the_code() -> None:
    document = described()
    for table, columns in {**TABLES, **CRAWL_TABLES}.items():
        expected = {
            column: f"{kind}, null" if (table, column) in NULLABLE else kind
            for column, kind in columns.items()
        }
        assert document[table] == expected
        assert list(document[table]) == list(expected)


@pytest.mark.parametrize("method", ["local", "global", "dom", "text", "mdl"])
def test_the_tables_that_detect_writes_are_those_of_the_document(
    method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = write_site_archive(tmp_path / "crawl", site_pages())
    assert run(capsys, "detect", archive, "--method", method, "-o", tmp_path / "out").code == 0
    tables = {path.name for path in (tmp_path / "out").iterdir() if path.is_dir()}
    document = described()
    assert {table for table in document if f"`{method}`" in of_methods(table)} | {"host_shares"} == tables
    for table in tables:
        written = pyarrow.parquet.read_table(tmp_path / "out" / table).schema
        assert dict(zip(written.names, written.types)) == {
            field.name: field.type for field in arrow_schema(document[table])
        }


def of_methods(table: str) -> str:
    """Return the line that says by which methods a table is written."""
    return TEXT.split(f"\n### {table}\n\n")[1].partition(". ")[0]


def test_the_numbers_are_those_of_the_code() -> None:
    assert f"The format of an archive is **{FORMAT}**" in TEXT
    assert f"that of the manifest's own format, {MANIFEST_FORMAT}." in TEXT
    assert f"`{FORMAT_KEY.decode()}`" in TEXT


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Return an archive whose last part has no file of pages."""
    folder = write_archive(tmp_path / "crawl", some_rows(6), bodies=True)
    max((folder / "pages").iterdir()).unlink()
    return folder


def test_the_view_of_the_document_counts_what_counts(killed: Path) -> None:
    view = re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL)[0].replace("crawl/", f"{killed}/")
    expected = Archive(str(killed)).read("links", ["source"]).num_rows
    with duckdb.connect() as connection:
        connection.execute(view)
        assert connection.execute("SELECT count(*) FROM links").fetchall() == [(expected,)]
        plain = f"SELECT count(*) FROM read_parquet('{killed}/links/*.parquet')"
        assert connection.execute(plain).fetchall()[0][0] > expected


def test_the_recipe_of_the_document_makes_an_archive_of_large_parts(killed: Path, tmp_path: Path) -> None:
    before = Archive(str(killed))
    recipe = re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL)[1]
    with duckdb.connect() as connection:
        for table in ("bodies", "links", "pagelets", "pages"):
            (tmp_path / "large" / table).mkdir(parents=True)
            sql = recipe.replace("links", table).replace("crawl/", f"{killed}/")
            connection.execute(sql.replace("large/", f"{tmp_path}/large/"))
    large = Archive(str(tmp_path / "large"))
    assert (len(before.parts), len(large.parts), large.unreadable) == (2, 1, [])
    for table, key in (("pages", "page"), ("links", "source"), ("pagelets", "page")):
        columns = [column for column in TABLES[table] if table != "pages" or column != "sketch"]
        rows = [archive.read(table, columns).sort_by(key).to_pylist() for archive in (before, large)]
        assert sorted(rows[0], key=str) == sorted(rows[1], key=str)
    pages = [
        sorted((one.url, one.page().text) for one in ArchiveReader(str(archive)))
        for archive in (killed, tmp_path / "large")
    ]
    assert pages[0] == pages[1] != []
