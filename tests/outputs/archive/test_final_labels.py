"""What the crawls of an archive say of their labels, and whose word counts."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest
from templcrawl.outputs.archive.final_labels import FinalLabels
from templcrawl.outputs.archive.final_labels import write_final_labels

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.observation import Observation
from templcrawl.outputs.archive.compaction import archive_manifest, compact
from templcrawl.outputs.archive.location import locate
from templcrawl.outputs.archive.parts import Archive
from templcrawl.outputs.archive.rows import page_rows
from templcrawl.outputs.archive.schema import CRAWL_TABLES
from templcrawl.outputs.archive.schema import FORMAT
from templcrawl.outputs.archive.schema import FORMAT_KEY
from templcrawl.outputs.archive.schema import LABELS
from templcrawl.outputs.archive.schema import PAGES
from templcrawl.outputs.archive.writer import ArchiveWriter
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.tools.readers.sources import ArchiveReader
from tests.outputs.archive.tables import NOW, some_rows
from tests.outputs.archive.test_format_document import TEXT

EARLY = {"a.example#01": "a.example#02", "a.example#03": "a.example#02", "b.example#01": "b.example#01"}
LATE = {"a.example#01": "a.example#04"}


def leaves_of(archive: Path) -> list[str]:
    leaves: list[str] = Archive(str(archive)).read(PAGES, ["leaf"])["leaf"].to_pylist()
    return leaves


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of six pages of three leaves, in three parts, without a last word."""
    folder = tmp_path / "crawl"
    writer = ArchiveWriter(str(folder), part_pages=2, bodies=True)
    for page in some_rows(6):
        writer.add(page)
    writer.close()
    assert not (folder / LABELS).exists()
    return folder


def say(archive: Path, words: dict[str, str], run: str = "20260102T030405-0123abcd", days: int = 0) -> None:
    write_final_labels(locate(str(archive)), run, words, NOW + timedelta(days=days))


def test_of_each_site_the_crawl_counts_that_ended_last(archive: Path) -> None:
    say(archive, LATE, "20260101T030405-00000000", 1)
    say(archive, EARLY)
    expected = {**LATE, "b.example#01": "b.example#01"}
    assert FinalLabels(Archive(str(archive))).labels == expected


@pytest.mark.parametrize(("known", "counts"), [(2, False), (3, True), (6, True)])
def test_they_name_pages_where_they_know_half_of_the_site(known: int, counts: bool, tmp_path: Path) -> None:
    leaves = [f"tea.example#{number:012x}" for number in range(6)]
    writer = ArchiveWriter(str(tmp_path), part_pages=2)
    for leaf in leaves:
        separation = Separation(Page("<p>x", f"http://tea.example/{leaf[-1]}"), [])
        writer.add(page_rows(Observation(separation, leaf_id=leaf), NOW))
    words = dict.fromkeys(leaves[:known], "tea.example#00")
    writer.close({**words, **EARLY})
    assert FinalLabels(Archive(str(tmp_path))).page_labels() == (words if counts else {})


def test_the_crawl_that_ended_last_names_pages_also_where_another_site_is_unknown(archive: Path) -> None:
    writer = ArchiveWriter(str(archive))
    separation = Separation(Page("<p>x", "http://other.example/"), [])
    writer.add(page_rows(Observation(separation, leaf_id="other.example#01"), NOW))
    writer.close()
    leaves = [leaf for leaf in leaves_of(archive) if leaf.startswith("tea.example")]
    for run, days in (("20260101T030405-00000000", 1), ("20260102T030405-00000000", 0)):
        say(archive, dict.fromkeys(leaves, f"tea.example#{days}"), run, days)
    assert FinalLabels(Archive(str(archive))).page_labels() == dict.fromkeys(leaves, "tea.example#1")


def test_records_carry_the_template_of_their_leaf(archive: Path) -> None:
    assert {record.template for record in ArchiveReader(str(archive))} == {""}
    leaves = leaves_of(archive)
    words = {leaf: f"tea.example#{number:012x}" for number, leaf in enumerate(dict.fromkeys(leaves))}
    say(archive, words)
    records = list(ArchiveReader(str(archive)))
    assert [record.template for record in records] == [words[leaf] for leaf in leaves]
    assert [record.page().assigned_label for record in records] == [record.template for record in records]


def test_a_crawl_says_its_last_word_when_it_closes_the_archive(archive: Path) -> None:
    rows = some_rows(7)
    for page in (rows[0], rows[6]):  # nothing new, something new
        writer = ArchiveWriter(str(archive))
        writer.add(page)
        writer.close(LATE)
    assert FinalLabels(Archive(str(archive))).labels == LATE
    files = sorted((archive / LABELS).iterdir())
    assert len(files) == 2
    for file in files:
        schema = pyarrow.parquet.read_schema(file)
        assert schema.names == list(CRAWL_TABLES[LABELS])
        assert schema.metadata[FORMAT_KEY] == str(FORMAT).encode()
    assert not list((archive / "_aside").iterdir())


def test_where_there_are_very_many_some_are_said_before_the_crawl_ends(archive: Path) -> None:
    writer = ArchiveWriter(str(archive), max_labels=3)
    writer.add_labels(EARLY)
    writer.add_labels(LATE)
    assert len([*(archive / LABELS).iterdir()]) == 1
    assert FinalLabels(Archive(str(archive))).labels == EARLY
    writer.close({"c.example#01": "c.example#02"})
    assert len([*(archive / LABELS).iterdir()]) == 2
    expected = {**LATE, "b.example#01": "b.example#01", "c.example#01": "c.example#02"}
    assert FinalLabels(Archive(str(archive))).labels == expected


def test_nothing_is_said_of_an_archive_without_pages(tmp_path: Path) -> None:
    ArchiveWriter(str(tmp_path)).close(LATE)
    assert not list(tmp_path.glob("*/*"))


def test_what_cannot_be_written_leaves_nothing(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = ArchiveWriter(str(archive))

    def fail(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(pyarrow.parquet, "write_table", fail)
    with pytest.raises(OSError, match="full"):
        writer.close(LATE)
    assert not list((archive / LABELS).iterdir())
    assert not list((archive / "_aside").iterdir())


def test_a_damaged_file_is_named_and_left_out(archive: Path) -> None:
    say(archive, EARLY)
    (archive / LABELS / "20260104T030405-00000000-000000.parquet").write_bytes(b"PAR1 no more")
    words = FinalLabels(Archive(str(archive)))
    assert words.labels == EARLY
    assert [name for name, _ in words.unreadable] == ["labels/20260104T030405-00000000-000000.parquet"]
    reader = ArchiveReader(str(archive))
    assert len(list(reader)) == 6
    assert reader.unreadable.first[0][0] == "labels/20260104T030405-00000000-000000.parquet"
    assert archive_manifest(Archive(str(archive)))[LABELS] == {
        "rows": len(EARLY),
        "files": ["20260102T030405-0123abcd-000000.parquet"],
    }


def test_a_file_that_is_damaged_within_is_named_and_left_out(archive: Path) -> None:
    say(archive, dict.fromkeys(leaves_of(archive), "tea.example#01"))
    say(archive, LATE, "20260104T030405-00000000", 1)
    file = archive / LABELS / "20260104T030405-00000000-000000.parquet"
    table = pyarrow.parquet.read_table(file, partitioning=None)
    no_text = pyarrow.array([b"a.example#\xff"]).view(pyarrow.string())
    pyarrow.parquet.write_table(table.set_column(0, table.schema.field(0), no_text), file)
    words = FinalLabels(Archive(str(archive)))
    assert {*words.page_labels().values()} == {*words.labels.values()} == {"tea.example#01"}
    assert [name for name, _ in words.unreadable] == ["labels/20260104T030405-00000000-000000.parquet"]
    reader = ArchiveReader(str(archive))
    assert {record.template for record in reader} == {"tea.example#01"}
    assert len(reader.unreadable) == 1


def test_a_later_crawl_that_knows_less_takes_no_names_away(archive: Path) -> None:
    leaves = leaves_of(archive)
    say(archive, dict.fromkeys(leaves, "tea.example#01"))
    say(archive, {"tea.example#0a": "tea.example#02"}, "20260104T030405-00000000", 1)
    words = FinalLabels(Archive(str(archive)))
    assert words.page_labels() == dict.fromkeys(leaves, "tea.example#01")
    assert words.labels == {"tea.example#0a": "tea.example#02"}


@pytest.mark.parametrize("ask", [FinalLabels.page_labels, lambda words: words.labels])
def test_what_counts_no_longer_takes_no_room(
    ask: Callable[[FinalLabels], dict[str, str]], archive: Path
) -> None:
    labels = [*leaves_of(archive), *(f"tea.example#{number:012x}" for number in range(4_000))]

    def room() -> int:
        opened = Archive(str(archive))
        tracemalloc.start()
        try:
            assert set(ask(FinalLabels(opened))) == {*labels}
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    room_of = []
    for day in range(12):
        say(archive, dict.fromkeys(labels, "tea.example#00"), f"202601{day + 1:02}T030405-00000000", day)
        if day in (1, 11):
            room_of.append(room())
    assert room_of[1] < 1.5 * room_of[0]


def test_a_file_of_a_newer_version_is_refused(archive: Path) -> None:
    say(archive, EARLY)
    (file,) = (archive / LABELS).iterdir()
    table = pyarrow.parquet.read_table(file, partitioning=None)
    newer = table.replace_schema_metadata({FORMAT_KEY: str(FORMAT + 1).encode()})
    pyarrow.parquet.write_table(newer, file)
    with pytest.raises(InvalidSnapshot, match="newer templcrawl"):
        FinalLabels(Archive(str(archive)))


def test_parts_of_earlier_versions_have_no_leaves_and_are_read(archive: Path) -> None:
    say(archive, dict.fromkeys(leaves_of(archive), "tea.example#00"))
    for file in (archive / PAGES).iterdir():
        table = pyarrow.parquet.read_table(file, partitioning=None)
        pyarrow.parquet.write_table(table.drop_columns(["leaf"]), file)
    records = list(ArchiveReader(str(archive)))
    assert [record.template for record in records] == [""] * 6


def test_another_column_must_be_there(archive: Path) -> None:
    (file, *_) = (archive / PAGES).iterdir()
    table = pyarrow.parquet.read_table(file, partitioning=None)
    pyarrow.parquet.write_table(table.drop_columns(["template"]), file)
    with pytest.raises(InvalidSnapshot, match="no columns template"):
        Archive(str(archive))


def test_they_stay_when_parts_are_put_together_and_are_in_the_manifest(archive: Path) -> None:
    assert LABELS not in archive_manifest(Archive(str(archive)))
    say(archive, EARLY)
    assert compact(str(archive)).joined == 3
    assert FinalLabels(Archive(str(archive))).labels == EARLY
    assert archive_manifest(Archive(str(archive)))[LABELS] == {
        "rows": len(EARLY),
        "files": ["20260102T030405-0123abcd-000000.parquet"],
    }


def test_the_query_of_the_document_names_pages_as_the_records_are(archive: Path) -> None:
    leaves = leaves_of(archive)
    say(archive, dict.fromkeys(leaves, "tea.example#01"))
    say(archive, dict.fromkeys(leaves, "tea.example#02"), "20260103T030405-00000000", 1)
    (query,) = (
        part.split("```")[0].replace("crawl/", f"{archive}/")
        for part in TEXT.split("```sql\n")[1:]
        if "arg_max" in part
    )
    with duckdb.connect() as connection:
        found = dict(connection.execute(query).fetchall())
    assert found == {record.url: record.template for record in ArchiveReader(str(archive))}
    assert set(found.values()) == {"tea.example#02"}
