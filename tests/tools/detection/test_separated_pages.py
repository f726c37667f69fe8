"""The detectors of a whole site over an archive, by DuckDB; how much of a page is template."""

from __future__ import annotations

from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.detectors import WHOLE_SITE
from templcrawl.memory.observation import Observation
from templcrawl.outputs.archive.archive_parts import Archive
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.tools.detection.separated_pages import (
    COLUMNS,
    SEPARATED_PAGES,
    SITE_TABLES,
    TEMPLATE_PATHS,
    Amounts,
    page_row,
    separate_archive,
    template_amounts,
)
from templcrawl.tools.engines import Groups
from templcrawl.tools.engines.duckdb import DuckDBEngine
from templcrawl.tools.whole_site.two_pass_dom import TwoPassDom
from tests.strategies import mask_of, noises, soups, spans_of
from tests.tools.detection.archived_sites import SITES, expected_tables, site_pages, write_site_archive

MOST = 2**24


def separated(archive: Archive, method: str, *, max_bytes: int = MOST) -> dict[str, list[Any]]:
    with DuckDBEngine() as engine:
        separate_archive(engine, archive, method, max_bytes=max_bytes)
        return {table: sorted(engine.rows(f"SELECT * FROM {table}")) for table in SITE_TABLES[method]}


def test_there_are_tables_for_every_detector() -> None:
    assert tuple(SITE_TABLES) == tuple(WHOLE_SITE)
    assert set(COLUMNS) == {table for tables in SITE_TABLES.values() for table in tables}


def test_a_row_by_hand() -> None:
    page = Page("<p>Tea and milk<p><a href=/b>B</a>", "http://a.example/x")
    row = page_row(Observation(Separation(page, [(0, 2)]), leaf_id="3"), max_bytes=MOST)
    one = dict(zip(COLUMNS[SEPARATED_PAGES], row))
    assert (one["url"], one["host"], one["template"]) == ("http://a.example/x", "a.example", "3")
    assert (one["bytes"], one["template_bytes"]) == (34, len("<p><a href=/b>B</a>"))
    assert (one["words"], one["template_words"]) == (4, 1)
    assert (one["links"], one["template_links"]) == (1, 1)
    assert one["truncated"] is False
    assert -(2**63) <= one["page"] < 2**63
    assert page_row(Observation(Separation(page, [(0, 2)])), max_bytes=34)[-1] is True


@pytest.mark.parametrize("method", SITE_TABLES)
def test_the_rows_are_those_of_one_detector_a_site(method: str, tmp_path: Path) -> None:
    pages = site_pages()
    archive = Archive(str(write_site_archive(tmp_path, pages)))
    found = separated(archive, method)
    assert found == expected_tables(pages, method, max_bytes=MOST)
    assert len(found[SEPARATED_PAGES]) == sum(SITES.values())
    assert archive.unreadable == []


@pytest.mark.parametrize("method", SITE_TABLES)
def test_the_order_of_the_pages_makes_no_difference(method: str, tmp_path: Path) -> None:
    pages = site_pages()
    one = write_site_archive(tmp_path / "one", pages)
    other = write_site_archive(tmp_path / "other", sorted(pages, key=lambda page: page.url), part_pages=100)
    assert separated(Archive(str(one)), method) == separated(Archive(str(other)), method)


def test_beyond_what_is_counted_exactly_pages_are_read_as_they_were_observed(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(TwoPassDom, "__init__", partialmethod(TwoPassDom.__init__, limit=50))
    monkeypatch.setattr("templcrawl.tools.whole_site.two_pass_dom._MIN_PENDING", 1)
    pages = site_pages()
    expected = [expected_tables(in_order, "dom", max_bytes=MOST) for in_order in (pages, pages[::-1])]
    assert expected[0] != expected[1]
    for step, found in zip((1, -1), expected):
        archive = write_site_archive(tmp_path / str(step), pages, step=step)
        assert separated(Archive(str(archive)), "dom") == found


def test_every_template_of_a_page_has_its_paths(tmp_path: Path) -> None:
    found = separated(Archive(str(write_site_archive(tmp_path, site_pages()))), "mdl")
    of_pages = {(row[2], row[3]) for row in found[SEPARATED_PAGES] if row[5]}
    assert of_pages
    assert of_pages <= {row[:2] for row in found[TEMPLATE_PATHS]}


def test_a_page_that_is_too_large_is_read_in_part(tmp_path: Path) -> None:
    archive = Archive(str(write_site_archive(tmp_path, site_pages())))
    rows = separated(archive, "text", max_bytes=200)[SEPARATED_PAGES]
    assert {(row[4], row[-1]) for row in rows} == {(200, True)}


def test_a_part_whose_bodies_are_damaged_or_missing_is_left_out_and_named(tmp_path: Path) -> None:
    pages = site_pages()
    folder = write_site_archive(tmp_path, pages)
    one, other, *_ = sorted((folder / "bodies").iterdir())
    one.write_bytes(one.read_bytes()[:-7])
    other.unlink()
    archive = Archive(str(folder))
    assert separated(archive, "dom") == expected_tables(pages[14:], "dom", max_bytes=MOST)
    assert [name for name, _ in archive.unreadable] == [f"bodies/{one.name}", f"bodies/{other.name}"]


def test_without_any_bodies_that_can_be_read_it_is_said_why(tmp_path: Path) -> None:
    folder = write_site_archive(tmp_path, site_pages()[:3])
    (damaged,) = (folder / "bodies").iterdir()
    damaged.write_bytes(b"")
    with pytest.raises(InvalidSnapshot, match=f"none of its parts can be read .bodies/{damaged.name}: "):
        separated(Archive(str(folder)), "dom")


def test_few_pages_are_in_memory_at_once(tmp_path: Path) -> None:
    asked: list[int] = []

    class Watched(DuckDBEngine):
        def apply(self, name: str, groups: Groups, *others: Any) -> None:
            asked.append(groups.batch_rows)
            super().apply(name, groups, *others)

    archive = Archive(str(write_site_archive(tmp_path, site_pages())))
    with Watched() as engine:
        separate_archive(engine, archive, "dom", max_bytes=MOST)
    assert asked == [32]


def test_amounts_are_those_of_the_template_spans() -> None:
    page = Page("<ul><li><a href=/é>Tea</a></ul><p>Two words <a href=/b>more</a>", "http://a.example/")
    template, whole = template_amounts(Separation(page, [(6, len(page.tokens))]))
    assert template == Amounts(len("<ul><li><a href=/é>Tea</a></ul>".encode()), 1, 1)
    assert whole == Amounts(len(page.text.encode()), 4, 2)


@settings(deadline=None)
@given(soups, noises)
def test_template_and_content_add_up(html, noise) -> None:
    page = Page(html, "http://a.example/")
    mask = mask_of(noise, len(page.tokens))
    one, whole = template_amounts(Separation(page, spans_of(mask)))
    other, again = template_amounts(Separation(page, spans_of(bytes(1 - value for value in mask))))
    assert tuple(a + b for a, b in zip(one, other)) == whole == again
    assert whole.html == len(html.encode("utf-8", "replace"))
