"""Local and global detection over an archive, by DuckDB."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from templcrawl.errors import InvalidSnapshot
from templcrawl.outputs.archive.archive_parts import Archive
from templcrawl.tools.detection import template_tables
from templcrawl.tools.detection.template_tables import METHODS, detect_templates
from templcrawl.tools.engines.duckdb import DuckDBEngine
from tests.outputs.archive.tables import Written, pagelet_key, write_tables
from tests.tools.detection.oracle import duplicates, global_pagelets, local_pagelets

Tables = dict[str, list[tuple[Any, ...]]]
MENU, FOOTER, OWN = 7, -9, 11


def detected(pages: Sequence[Written], method: str, *, min_links: int = 0) -> Tables:
    """Return the rows of every table that matters, sorted."""
    with TemporaryDirectory() as folder, DuckDBEngine(folder=folder) as engine:
        detect_templates(engine, Archive(str(write_tables(Path(folder), pages))), method, min_links=min_links)
        names = ("duplicates", "templates", "template_pagelets", "host_shares", "overall_shares")
        return {name: sorted(engine.rows(f"SELECT * FROM {name}")) for name in names}


def three_pages() -> list[Written]:
    """Return 1 and 2, linked, with a menu, and 3, which nothing links to, with the same menu."""
    return [
        Written(1, [MENU, 100], targets=[2, 99]),
        Written(2, [MENU, 200]),
        Written(3, [MENU, None], host="b.example"),
    ]


def test_local_by_hand() -> None:
    found = detected(three_pages(), "local")
    assert found["template_pagelets"] == [(MENU, 1, page, pagelet_key(page, 0)) for page in (1, 2, 3)]
    assert found["templates"] == [(MENU, 1, 3, 3, 2, pagelet_key(1, 0))]
    assert found["duplicates"] == []


def test_global_by_hand() -> None:
    found = detected(three_pages(), "global")
    assert found["template_pagelets"] == [(MENU, 1, page, pagelet_key(page, 0)) for page in (1, 2)]
    assert found["templates"] == [(MENU, 1, 2, 2, 1, pagelet_key(1, 0))]


def test_table_2_by_hand() -> None:
    found = detected(three_pages(), "global")
    assert found["host_shares"] == [
        ("a.example", 2, 2, 200, 20, 40, 4, 20, 2),
        ("b.example", 1, 0, 100, 0, 20, 0, 10, 0),
    ]
    assert found["overall_shares"] == [(2, 3, 2, 300, 20, 60, 4, 30, 2)]


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.lists(st.integers(1, 60), min_size=1, max_size=16, unique=True), max_size=20), st.randoms()
)
def test_duplicates_are_those_of_brute_force(sketches: list[list[int]], chance: random.Random) -> None:
    keys = chance.sample(range(-99, 99), len(sketches))
    pages = [Written(page, sketch=sketch) for page, sketch in zip(keys, sketches)] or [Written(1)]
    assert {page for (page,) in detected(pages, "local")["duplicates"]} == duplicates(pages)


_shingles = st.sampled_from([MENU, FOOTER, OWN, None, 1 << 62])
_pages = st.lists(
    st.builds(
        Written,
        page=st.integers(-4, 9),
        pagelets=st.lists(_shingles, max_size=4),
        targets=st.lists(st.integers(-4, 11), max_size=3),
        sketch=st.lists(st.integers(1, 12), max_size=5, unique=True),
        host=st.sampled_from(["a.example", "b.example"]),
    ),
    min_size=1,
    max_size=9,
    unique_by=lambda one: one.page,
)


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(_pages)
def test_both_are_those_of_the_oracle_and_global_refines_local(pages: list[Written]) -> None:
    local, split = detected(pages, "local"), detected(pages, "global")
    assert {page for (page,) in local["duplicates"]} == duplicates(pages)
    assert set(local["template_pagelets"]) == local_pagelets(pages)
    assert set(split["template_pagelets"]) == global_pagelets(pages)
    template_of = {pagelet: (shingle, root) for shingle, root, _, pagelet in local["template_pagelets"]}
    for template in {row[:2] for row in split["template_pagelets"]}:
        members = {row[3] for row in split["template_pagelets"] if row[:2] == template}
        assert len({template_of[pagelet] for pagelet in members}) == 1
        assert len({row[2] for row in split["template_pagelets"] if row[:2] == template}) > 1


def test_what_is_known_of_a_group_is_not_searched_anew_for_every_few_links(monkeypatch) -> None:
    searched: list[int] = []
    search = template_tables.connected_components

    def counted(groups: Any, a: Any, b: Any) -> Any:
        searched.append(len(a))
        return search(groups, a, b)

    monkeypatch.setattr(template_tables, "connected_components", counted)
    monkeypatch.setattr(template_tables, "BATCH_ROWS", 8)
    links = 4_000
    pieces = (
        {"shingle": np.zeros(8, np.int64), "a": numbers, "b": numbers + 1}
        for numbers in np.split(np.arange(links, dtype=np.int64), links // 8)
    )
    (found,) = template_tables._components(iter(pieces))
    assert (set(found["root"].tolist()), len(found["page"])) == ({0}, links + 1)
    assert sum(searched) < 5 * links


def test_an_archive_without_a_whole_part_is_refused(tmp_path: Path) -> None:
    path = write_tables(tmp_path, three_pages()) / "pages" / "part.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    with DuckDBEngine() as engine, pytest.raises(InvalidSnapshot, match="none of its parts"):
        detect_templates(engine, Archive(str(tmp_path)), "local")


def test_the_tables_are_written_as_they_are(tmp_path: Path) -> None:
    archive = Archive(str(write_tables(tmp_path / "odd [name]*", three_pages())))
    for method in METHODS:
        output = tmp_path / method
        with DuckDBEngine() as engine:
            detect_templates(engine, archive, method)
            engine.save("templates", str(output))
            expected = engine.rows("SELECT * FROM templates")
        found = pyarrow.parquet.read_table(output / "part-00000.parquet").to_pylist()
        assert [tuple(row.values()) for row in found] == expected
