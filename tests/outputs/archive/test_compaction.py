"""Small parts become large ones: no page is lost or counted twice, whenever it is looked at."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pyarrow.fs
import pyarrow.parquet
import pytest

from templcrawl.errors import InvalidOption
from templcrawl.files import FileLock
from templcrawl.outputs.archive.compaction import commit_manifest, compact, leftovers
from templcrawl.outputs.archive.location import Location, locate, read_manifest, replacing_tables
from templcrawl.outputs.archive.parts import Archive
from templcrawl.outputs.archive.tables import TABLES
from templcrawl.outputs.archive.writer import ArchiveWriter
from tests.outputs.archive.dying import Dying, Killed
from tests.outputs.archive.tables import row_groups, some_rows, unfinished, write_archive
from tests.parts import exhaustive_but

ROWS = some_rows(15)
FIRST = ROWS[:12]
PARTS = "templcrawl.outputs.archive.parts.locate"


def contents(folder: Path, *, bodies: bool = False) -> dict[str, list[object]]:
    """Return the rows of every table, in order, as who reads by this package sees them."""
    archive = Archive(str(folder))
    tables = [table for table in TABLES if bodies or table != "bodies"]
    return {table: archive.read(table, list(TABLES[table])).to_pylist() for table in tables}


def joined(done: dict[str, int]) -> tuple[int, int]:
    """Return how many parts became how many."""
    return done["joined"], done["written"]


@pytest.mark.parametrize("bodies", [False, True])
def test_parts_become_one_with_the_same_rows_in_the_same_order(bodies: bool, tmp_path: Path) -> None:
    before = contents(write_archive(tmp_path, FIRST, bodies=bodies), bodies=bodies)
    assert compact(str(tmp_path)) == {"joined": 6, "written": 1, "removed": 4 * 6 if bodies else 3 * 6}
    assert len(Archive(str(tmp_path)).parts) == 1
    assert contents(tmp_path, bodies=bodies) == before
    assert compact(str(tmp_path)) == {"joined": 0, "written": 0, "removed": 0}
    locks = {"_first.lock", "_manifest.lock", "_writers.lock"}
    assert {path.name for path in tmp_path.rglob("_*")} == locks


def test_row_groups_are_filled_and_bounded(tmp_path: Path) -> None:
    """Small parts do not leave small row groups, and of long rows few are in memory."""
    rows = some_rows(150)
    write_archive(tmp_path, rows, 10, bodies=True)
    compact(str(tmp_path))
    (name,) = Archive(str(tmp_path)).parts
    assert row_groups(tmp_path / "bodies" / name) == [128, 22]
    for table in ("pages", "links", "pagelets"):
        assert row_groups(tmp_path / table / name) == [sum(len(page[table]) for page in rows)]


def test_parts_get_no_larger_than_asked_for_and_later_ones_are_added(tmp_path: Path) -> None:
    write_archive(tmp_path, FIRST)
    assert joined(compact(str(tmp_path), part_pages=5)) == (6, 3)
    write_archive(tmp_path, ROWS[:14], 100)
    assert joined(compact(str(tmp_path), part_pages=100)) == (4, 1)
    urls = [row["url"] for row in contents(tmp_path)["pages"]]
    assert sorted(urls) == sorted(page["pages"][0][1] for page in ROWS[:14])


def test_parts_with_bodies_and_without_stay_apart(tmp_path: Path) -> None:
    write_archive(tmp_path, FIRST, bodies=True)
    write_archive(tmp_path, ROWS, 1)
    assert joined(compact(str(tmp_path))) == (9, 2)
    assert len(list((tmp_path / "bodies").iterdir())) == 1


def test_a_part_that_was_put_together_is_called_after_the_run_that_wrote_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = "20260102T030405-c1234567"
    monkeypatch.setattr("templcrawl.outputs.archive.writer.run_name", lambda: run)
    before = contents(write_archive(tmp_path, FIRST, 3))
    for part_pages in (6, 100):
        compact(str(tmp_path), part_pages=part_pages)
        assert contents(tmp_path) == before
        names = [path.name for path in (tmp_path / "pages").iterdir()]
        assert all(re.fullmatch(rf"{run}-\d{{6}}c+\.parquet", name) for name in names), names


@pytest.mark.parametrize("after", exhaustive_but([2, 6, 11], range(14)))
def test_a_kill_at_any_step_neither_loses_a_page_nor_counts_it_twice(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(write_archive(tmp_path, FIRST, 5))
    dying = Dying(after)
    with monkeypatch.context() as patched:
        patched.setattr(PARTS, lambda uri: Location(dying, uri))
        with suppress(Killed):
            compact(str(tmp_path))
    assert dying.steps >= min(after, 13)
    assert contents(tmp_path) == before
    assert not Archive(str(tmp_path)).unreadable
    compact(str(tmp_path))
    assert contents(tmp_path) == before
    assert not leftovers(Archive(str(tmp_path)))


def test_what_a_killed_writer_left_does_not_count_and_is_removed(tmp_path: Path) -> None:
    counted = contents(write_archive(tmp_path, FIRST))
    for path in sorted((tmp_path / "pages").iterdir())[:2]:
        path.unlink()
    (tmp_path / "links" / "_20260102T030405-c1234567-000000.parquet.part").touch()
    found = contents(tmp_path)
    assert len(found["links"]) < len(counted["links"])
    assert pyarrow.parquet.read_table(tmp_path / "links").num_rows == len(counted["links"])
    assert compact(str(tmp_path))["removed"] == 2 * 2 + 3 * 4
    assert contents(tmp_path) == found
    assert pyarrow.parquet.read_table(tmp_path / "links").num_rows == len(found["links"])
    assert not unfinished(tmp_path)


def test_an_archive_that_a_crawl_writes_into_is_refused(tmp_path: Path) -> None:
    write_archive(tmp_path, FIRST)
    first, writer = ArchiveWriter(str(tmp_path)), ArchiveWriter(str(tmp_path))
    first.close()
    path = tmp_path / "links" / f"{writer._run}-000000.parquet"
    path.write_bytes(min((tmp_path / "links").iterdir()).read_bytes())
    with pytest.raises(InvalidOption, match="no crawl writes into"):
        compact(str(tmp_path))
    assert path.exists()
    writer.close()
    compact(str(tmp_path))
    assert not path.exists()


def test_a_crawl_does_not_begin_while_its_archive_is_compacted(tmp_path: Path) -> None:
    lock = FileLock(write_archive(tmp_path, FIRST) / "_writers.lock")
    with pytest.raises(InvalidOption, match="not compacted meanwhile"):
        ArchiveWriter(str(tmp_path))
    lock.release()
    ArchiveWriter(str(tmp_path)).close()


def test_a_damaged_part_is_left_alone(tmp_path: Path) -> None:
    damaged = sorted((write_archive(tmp_path, FIRST) / "pages").iterdir())[2]
    damaged.write_bytes(damaged.read_bytes()[:-9])
    assert compact(str(tmp_path))["joined"] == 5
    assert [name for name, _ in Archive(str(tmp_path)).unreadable] == [f"pages/{damaged.name}"]
    assert (tmp_path / "links" / damaged.name).exists()


def test_a_part_whose_rows_cannot_be_read_is_named_and_all_stays(tmp_path: Path) -> None:
    before = contents(write_archive(tmp_path, FIRST, 4))
    path = sorted((tmp_path / "pagelets").iterdir())[1]
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + bytes(200) + whole[300:])
    with pytest.raises(OSError, match=path.name):
        compact(str(tmp_path))
    assert not unfinished(tmp_path)
    path.write_bytes(whole)
    assert contents(tmp_path) == before


class Undeletable(pyarrow.fs.LocalFileSystem):
    """The local file system, where nothing can be deleted."""

    def delete_file(self, path: str) -> None:
        raise PermissionError(f"Permission denied: {path}")


def test_what_cannot_be_removed_does_not_count_and_is_not_put_together_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(write_archive(tmp_path, FIRST))
    with monkeypatch.context() as patched:
        patched.setattr(PARTS, lambda uri: Location(Undeletable(), uri))
        for files in (6 + 3, 6 + 3):
            with pytest.raises(PermissionError):
                compact(str(tmp_path), part_pages=5)
            assert len(list((tmp_path / "pages").iterdir())) == files
            assert contents(tmp_path) == before
    (tmp_path / "links" / Archive(str(tmp_path)).replaced[0]).unlink()
    assert not Archive(str(tmp_path)).unreadable
    compact(str(tmp_path))
    assert contents(tmp_path) == before


@pytest.mark.parametrize("after", exhaustive_but([5], range(3, 9)))
def test_a_kill_after_an_earlier_kill_counts_no_page_twice(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first has put together is put together again, and all that it replaced is still there."""
    before = contents(write_archive(tmp_path, FIRST))
    for filesystem, part_pages in ((Undeletable(), 5), (Dying(after), 100)):
        with monkeypatch.context() as patched:
            patched.setattr(PARTS, lambda uri, fs=filesystem: Location(fs, uri))
            with suppress(PermissionError, Killed):
                compact(str(tmp_path), part_pages=part_pages)
        assert contents(tmp_path) == before


def detected(folder: Path) -> dict[str, object]:
    """Write a table into an archive as ``scrapy detect -o`` does; return the manifest."""
    with replacing_tables(str(folder), ("templates",)) as output:
        Path(output.address("templates")).mkdir(parents=True)
        rows = pyarrow.table({"page": [1]})
        pyarrow.parquet.write_table(rows, Path(output.address("templates"), "a.parquet"))
    return manifest(folder)


def manifest(folder: Path) -> dict[str, object]:
    return read_manifest(locate(str(folder)))


def test_the_manifest_names_what_counts_and_keeps_the_tables_of_detect(tmp_path: Path) -> None:
    before = detected(write_archive(tmp_path, FIRST, bodies=True))
    assert set(before) == {"templates"}
    for part_pages in (4, 100):
        compact(str(tmp_path), part_pages=part_pages)
        found = read_manifest(locate(str(tmp_path)))
        assert set(found) == {"templates", "pages", "links", "pagelets", "bodies"}
        assert found.pop("templates") == before["templates"]
        for table, about in found.items():
            files = [pyarrow.parquet.read_metadata(tmp_path / table / name) for name in about["files"]]
            rows = sum(file.num_rows for file in files)
            assert rows == about["rows"] == sum(len(page[table]) for page in FIRST)
        before = detected(tmp_path)
        assert set(before) == {*found, "templates"}
    for path in (tmp_path / "bodies").iterdir():
        path.unlink()
    commit_manifest(str(tmp_path))
    assert set(manifest(tmp_path)) == {"templates", "pages", "links", "pagelets"}, (
        "tables that are gone leave"
    )


COMMITS = """
import sys
from contextlib import suppress
from templcrawl.outputs.archive.compaction import compact
from templcrawl.errors import InvalidOption
from tests.outputs.archive.test_compaction import detected
from pathlib import Path
for _ in range(4):
    if sys.argv[2] == "compact":
        with suppress(InvalidOption):
            compact(sys.argv[1], part_pages=4)
    else:
        detected(Path(sys.argv[1]))
"""


@pytest.mark.exhaustive
def test_two_compactions_and_a_detection_at_once(tmp_path: Path) -> None:
    before = contents(write_archive(tmp_path, FIRST, 1))
    command = [sys.executable, "-c", COMMITS, str(tmp_path)]
    others = [subprocess.Popen([*command, what]) for what in ("compact", "compact", "detect")]
    assert [other.wait() for other in others] == [0, 0, 0]
    assert contents(tmp_path) == before
    assert set(manifest(tmp_path)) == {"templates", "pages", "links", "pagelets"}
