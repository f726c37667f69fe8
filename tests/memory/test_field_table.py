"""The fields of pages: learned from eight pages on, named once, cheap where nothing is learned, and kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from lab.sites.table_sites import generate_table_site
from templcrawl import CrawlMemory, Page
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory import field_table
from templcrawl.memory.field_table import (
    LEAST_PAGES,
    MOST_PAGES,
    FieldTable,
    Learned,
    at_the_end,
    learn_types,
)
from templcrawl.memory.page_types import LeafCounts
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import Column, Snapshot
from tests.memory.stores import store_in

HOST = "http://h.example"


def book(number: int) -> Page:
    return Page.from_html(
        f"<nav><a href=/>Home</a> <a href=/all>All books</a></nav><h1>Book {number} of the sea</h1>"
        f"<dl><dt>Price</dt><dd>{number}.50 €</dd><dt>Pages</dt><dd>{100 + number}</dd></dl><p>Imprint",
        f"{HOST}/books/{number}",
    )


def table_of(memory: CrawlMemory) -> FieldTable:
    table = memory.fields("h.example")
    assert table is not None
    return table


def test_a_page_has_fields_from_the_eighth_of_its_type_on() -> None:
    memory = CrawlMemory(fields=True, sample_salt=0)
    seen = [memory.observe(book(number)) for number in range(10)]
    assert [one.fields for one in seen[: LEAST_PAGES - 1]] == [{}] * (LEAST_PAGES - 1)
    assert seen[9].fields == {"title": "Book 9 of the sea", "Price": "9.50 €", "Pages": "109"}
    assert memory.reclassify(seen[0]).fields == {
        "title": "Book 0 of the sea", "Price": "0.50 €", "Pages": "100"
    }  # fmt: skip
    assert CrawlMemory(sample_salt=0).observe(book(1)).fields is None


def test_a_forum_has_the_values_of_its_threads_and_their_posts() -> None:
    memory = CrawlMemory(fields=True, sample_salt=0)
    site = generate_table_site("forum", "table", "missing")
    seen = {page.path: memory.observe(Page(page.html, HOST + page.path)) for page in site}
    again = {path: memory.reclassify(observation).fields for path, observation in seen.items()}
    records = [page for page in site if page.kind == "record"]
    names = {name for page in records for name in page.values if name != "title"}
    right = [again[page.path].get(name) == page.values.get(name) for page in records for name in names]  # type: ignore[union-attr]
    assert sum(right) > 0.98 * len(right)
    for page in records:
        tables = [value for value in (again[page.path] or {}).values() if isinstance(value[0], dict)]
        assert any(
            len(rows) == len(page.rows)
            and all({*post.values()} <= {*row.values()} for post, row in zip(page.rows, rows))
            for rows in tables
        )


def test_a_type_is_settled_and_its_pages_are_forgotten() -> None:
    memory = CrawlMemory(fields=True, sample_salt=0)
    for number in range(4 * MOST_PAGES):
        memory.observe(book(number))
    table = table_of(memory)
    assert table.columns_of(memory.site("h.example")._leaves.place(book(3), learn=False)).columns
    assert (table._sample, table._bytes) == ({}, 0)
    assert {one.pages for one in table._types.values()} == {MOST_PAGES}


def test_the_sample_takes_no_more_room_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field_table, "MOST_BYTES", 700)
    memory = CrawlMemory(fields=True, sample_salt=0)
    kept: list[int] = []
    for number in range(7):
        memory.observe(book(number))
        table = table_of(memory)
        assert (
            table._bytes == sum(len(cells) for pages in table._sample.values() for _, cells in pages) <= 700
        )
        kept = sorted(key for pages in table._sample.values() for key, _ in pages)
    assert 1 < len(kept) < 7
    assert kept == sorted(book(number).key for number in range(7))[: len(kept)]


def test_pages_go_on_while_another_thread_learns() -> None:
    waiting: list[tuple[Callable[[], Learned], Future[Learned | None]]] = []

    def later(work: Callable[[], Learned]) -> Future[Learned | None]:
        waiting.append((work, Future()))
        return waiting[-1][1]

    memory = CrawlMemory(fields=True, sample_salt=0, run=later)
    seen = [memory.observe(book(number)) for number in range(20)]
    assert [one.fields for one in seen] == [{}] * 20
    assert len(waiting) == 1  # one piece of work at a time
    work, future = waiting.pop()
    future.set_result(work())
    assert memory.observe(book(20)).fields == memory.reclassify(seen[0]).fields | {  # type: ignore[operator]
        "title": "Book 20 of the sea", "Price": "20.50 €", "Pages": "120"
    }  # fmt: skip
    memory.observe(book(21))
    waiting.pop()[1].set_result(None)  # it has failed
    assert memory.observe(book(22)).fields
    for number in range(23, 60):
        memory.observe(book(number))
    waiting.pop()[1].cancel()  # the crawl ends
    assert memory.reclassify(seen[0]).fields


def test_fields_come_back_with_the_site(tmp_path: Any) -> None:
    memory = CrawlMemory(fields=True, sample_salt=0, store=store_in(tmp_path / "job"))
    for number in range(12):
        memory.observe(book(number))
    expected = memory.observe(book(12)).fields
    memory.save()
    back = CrawlMemory(fields=True, sample_salt=0, store=store_in(tmp_path / "job"))
    assert back.observe(book(12)).fields == expected != {}
    forgets = CrawlMemory(sample_salt=0, store=store_in(tmp_path / "job"))
    assert forgets.observe(book(12)).fields is None


@pytest.mark.parametrize("share", ["x", None, [], -1, 1.5, float("nan")])
def test_stored_columns_with_a_wrong_share_are_refused(share: object) -> None:
    memory = CrawlMemory(fields=True, sample_salt=0)
    for number in range(12):
        memory.observe(book(number))
    snapshot = memory.site("h.example").snapshot()
    plain, given = json.loads(snapshot["fields/columns"].data)
    plain["columns"][0]["share"] = share
    packed = json.dumps([plain, given]).encode()
    wrong = {
        "fields/columns": Column("u1", packed),
        "fields/columns.sizes": Column("u4", len(packed).to_bytes(4, "little")),
    }
    with pytest.raises(InvalidSnapshot):
        SiteMemory.from_snapshot(Snapshot(snapshot | wrong), memory.options)


def test_leaves_that_merge_bring_the_names_of_the_largest() -> None:
    memory = CrawlMemory(fields=True, sample_salt=0, run=at_the_end)
    for number in range(8):
        memory.observe(book(number))
    sample = {1: [page for pages in table_of(memory)._sample.values() for page in pages]}
    counts = LeafCounts((1,), np.array([8.0]), {1: 1, 2: 1}, (), (0, 0), ((),))
    with patch.object(LeafCounts, "groups", lambda counts: [[0]]):
        first = learn_types(counts, sample, {})[1]
        renamed = [replace(one, name=f"{one.name} of old") for one in first.columns.columns]
        old = replace(first, pages=4, columns=replace(first.columns, columns=tuple(renamed)))
        now = learn_types(counts, sample, {2: old, 1: replace(first, pages=3)})[1]
    assert {one.name for one in now.columns.columns} == {"title of old", "Price of old", "Pages of old"}
