"""What detection costs grows no faster than the archive, however pages, hosts and pagelets are distributed.

Counted are the rows that DuckDB's operators hand on, and what is held in memory; nothing is timed but the
detectors of a whole site, whose CPU time may grow twice as fast as their pages.
"""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import pytest

from lab.sites.skewed_archives import SHAPES, write_skewed
from templcrawl.outputs.archive.archive_parts import Archive
from templcrawl.tools.detection import template_tables
from templcrawl.tools.detection.separated_pages import SITE_TABLES, separate_archive
from templcrawl.tools.detection.template_tables import detect_templates
from templcrawl.tools.engines import Columns
from templcrawl.tools.engines.duckdb import DuckDBEngine
from tests.outputs.archive.tables import Written, write_tables
from tests.parts import long_but

PAGES = 4_000
MOST = 8.0
TRIES = 3


class CountingEngine(DuckDBEngine):
    """Counts the rows that operators hand on."""

    handed_on = 0

    def define(self, name: str, select: str, *, as_written: bool = False) -> None:
        self._connection.execute("PRAGMA enable_profiling = 'no_output'")
        super().define(name, select, as_written=as_written)
        self.handed_on += handed_on(json.loads(self._connection.get_profiling_information(format="json")))


def handed_on(profile: Any) -> int:
    """Return the rows of all operators of a profile; DuckDB 1 and 2 name them differently."""
    if isinstance(profile, list):
        return sum(map(handed_on, profile))
    if not isinstance(profile, dict):
        return 0
    own = profile.get("intermediate_rows", profile.get("operator_cardinality", 0))
    return int(own) + sum(map(handed_on, profile.values()))


def rows_of(folder: Path, method: str, shape: str, pages: int) -> tuple[int, int]:
    """Return how many rows were handed on, and how many template pagelets were found."""
    archive = Archive(str(write_skewed(folder / str(pages), shape, pages)))
    with CountingEngine(folder=str(folder), most="200MB") as engine:
        detect_templates(engine, archive, method)
        return engine.handed_on, engine.rows("SELECT count(*) FROM template_pagelets")[0][0]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("method", "shape"), [("local", "even"), *(("global", shape) for shape in SHAPES)])
def test_rows_grow_as_the_archive_does(method: str, shape: str, tmp_path: Path) -> None:
    small, few = rows_of(tmp_path, method, shape, PAGES)
    large, many = rows_of(tmp_path, method, shape, 4 * PAGES)
    assert small > PAGES
    assert many > few > 0
    assert large < 5 * small


def test_an_entry_of_all_sketches_is_joined_with_few_pages_each(tmp_path: Path) -> None:
    """All pages share three entries of 16, and none repeats another."""
    pages = [
        Written(page, [1], sketch=[1, 2, 3, *range(100 * page, 100 * page + 13)]) for page in range(1, 2_001)
    ]
    with CountingEngine(folder=str(tmp_path), most="200MB") as engine:
        detect_templates(engine, Archive(str(write_tables(tmp_path / "crawl", pages))), "local")
        assert engine.rows("SELECT count(*) FROM duplicates") == [(0,)]
        assert engine.handed_on < 3_000 * len(pages)


def test_one_shingle_on_all_pages_is_joined_link_by_link(tmp_path: Path) -> None:
    links = 20
    archive = Archive(str(write_skewed(tmp_path / "crawl", "lone", PAGES, links=links)))
    with CountingEngine(folder=str(tmp_path), most="200MB") as engine:
        detect_templates(engine, archive, "global")
        assert engine.rows("SELECT count(*) FROM template_links")[0][0] > 0.9 * links * PAGES
        assert engine.handed_on < 40 * links * PAGES


def random_links(pages: int, count: int) -> Iterator[Columns]:
    """Yield so many links between pages of one group, 10,000 at a time."""
    chance = np.random.default_rng(7)
    for _ in range(count // 10_000):
        ends = chance.integers(0, pages, (2, 10_000))
        yield {"shingle": np.ones(10_000, np.int64), "a": ends[0], "b": ends[1]}


@pytest.mark.exhaustive
def test_the_links_of_a_group_are_not_gathered() -> None:
    peaks = []
    for count in (400_000, 1_600_000):
        tracemalloc.start()
        (components,) = template_tables._components(random_links(1_000, count))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert components["page"].tolist() == list(range(1_000))
        assert set(components["root"].tolist()) == {0}
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.parametrize("batch_rows", [1, 2, 1_000])
def test_links_read_a_few_at_a_time_give_the_same_components(batch_rows: int, monkeypatch) -> None:
    chance = np.random.default_rng(3)
    links = np.stack([chance.integers(0, top, 300) for top in (3, 90, 90)])
    whole = template_tables.connected_components(*links)
    monkeypatch.setattr(template_tables, "BATCH_ROWS", batch_rows)
    pieces = ({"shingle": g, "a": a, "b": b} for g, a, b in np.split(links, 30, axis=1))
    (components,) = template_tables._components(pieces)
    for name, expected in whole.items():
        assert components[name].tolist() == expected.tolist()


@pytest.mark.exhaustive
@pytest.mark.parametrize("shape", long_but(["host"], ["host", "lone"]))
@pytest.mark.parametrize("method", SITE_TABLES)
def test_the_time_of_a_whole_site_grows_as_its_pages_do(method: str, shape: str) -> None:
    def seconds(pages: int) -> float:
        with TemporaryDirectory() as folder, DuckDBEngine(folder=folder) as engine:
            archive = Archive(str(write_skewed(Path(folder, "crawl"), shape, pages, bodies=True)))
            started = process_time()
            separate_archive(engine, archive, method, max_bytes=10**6)
            spent = process_time() - started
            assert engine.rows("SELECT count(*) FROM separated_pages") == [(pages,)]
            return spent

    assert any(seconds(400) < MOST * seconds(100) for _ in range(TRIES))
