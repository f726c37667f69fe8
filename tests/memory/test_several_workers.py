"""What several workers have learned, united: neither order nor who saw which page matters."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.similarity.near_duplicates import Content
from templcrawl.memory.content_index import ContentIndex
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.link_tables import PayTable
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.seen_texts import SeenTexts
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import Section
from tests.memory.invariants import check
from tests.memory.pages import article, listing

HOST = "example.org"
OPTIONS = MemoryOptions(sample_salt=7)

P = TypeVar("P", bound=Section)

keys = st.integers(1, 9)
pages = st.lists(st.tuples(st.integers(0, 2), st.lists(keys, min_size=1, max_size=4)), max_size=25)
"""Pages, each with the worker that sees it and what stands on it."""


def workers_of(
    new: Callable[[], P], drawn: Sequence[tuple[int, Any]], see: Callable[[P, Any], object]
) -> tuple[P, list[P]]:
    """Return what one worker knows that sees all pages, and what three know that each see theirs."""
    alone, several = new(), [new(), new(), new()]
    for worker, page in drawn:
        see(alone, page)
        see(several[worker], page)
    return alone, several


def check_union(
    new: Callable[[], P],
    drawn: Sequence[tuple[int, Any]],
    see: Callable[[P, Any], object],
    says: Callable[[P], object],
) -> None:
    """Check that three workers know together what one knows, in every order, and each with the others."""
    alone, several = workers_of(new, drawn, see)
    snapshots = []
    for order in permutations(several):
        total: Any = new()
        total.merge(order)
        check(total)
        assert says(total) == says(alone)
        snapshots.append(total.snapshot())
    assert all(snapshot == snapshots[0] for snapshot in snapshots)
    for number, own in enumerate(several):
        others: Any = new()
        others.merge(several[:number] + several[number + 1 :])
        before = own.snapshot()
        for _ in range(2):
            own.set_remote(others)
            assert says(own) == says(alone)
        assert own.snapshot() == before


@given(pages)
def test_what_roles_led_to_is_summed(drawn: list[tuple[int, list[int]]]) -> None:
    check_union(
        lambda: PayTable(limit=20),
        drawn,
        lambda table, roles: table.credit(roles, roles[0] % 3, 10 * roles[0]),
        lambda table: [table.value([key], key % 3) for key in range(10)],
    )


@given(pages)
def test_texts_that_any_worker_has_seen_are_not_new(drawn: list[tuple[int, list[int]]]) -> None:
    check_union(
        lambda: SeenTexts(limit=4_096),
        drawn,
        lambda seen, found: seen.add(np.array(found, dtype=np.uint64), np.ones(len(found), dtype=np.intp)),
        lambda seen: seen.has(np.arange(1, 10, dtype=np.uint64)).tolist(),
    )


@given(pages)
def test_contents_that_any_worker_has_met_are_found(drawn: list[tuple[int, list[int]]]) -> None:
    def see(known: ContentIndex, found: list[int]) -> None:
        known.insert(found[0], Content(found[0] % 4, 3, None))

    def says(known: ContentIndex) -> object:
        return [known.find(1_000, Content(key, 3, None), touch=False) is None for key in range(4)]

    check_union(lambda: ContentIndex(limit=20), drawn, see, says)


def exchanged(memories: Sequence[CrawlMemory]) -> None:
    """Let each hear of the others, through their snapshots."""
    parts = [memory.site(HOST).snapshot() for memory in memories]
    for number, memory in enumerate(memories):
        others = SiteMemory(HOST, OPTIONS)
        read = [SiteMemory.from_snapshot(part, OPTIONS) for part in parts[:number] + parts[number + 1 :]]
        others.merge(read)
        memory.set_remote(HOST, others)
        check(memory)


def pages_of_two_types() -> list[Any]:
    mixed = [article(number) for number in range(24)] + [listing(number) for number in range(24)]
    random.Random(1).shuffle(mixed)
    return mixed


def test_two_workers_make_the_same_page_types_and_each_resolves_the_other_s_leaves() -> None:
    memories = [CrawlMemory(OPTIONS), CrawlMemory(OPTIONS)]
    seen = []
    for number, page in enumerate(pages_of_two_types()):
        seen.append((page, memories[number % 2].observe(page)))
        if number in (9, 20, 33):
            exchanged(memories)
    exchanged(memories)
    tables = [{row.leaf_id: row for row in memory.page_types()} for memory in memories]
    assert tables[0] == tables[1]
    assert {found.leaf_id for _, found in seen} <= tables[0].keys()
    assert {(row.page_type, row.pages) for row in tables[0].values()} == {
        ("/articles/*", 24),
        ("/list/*", 24),
    }
    for page, found in seen:
        name = "/articles/*" if "articles" in page.url else "/list/*"
        assert [memory.resolve(found.leaf_id) for memory in memories] == [name, name]


def test_a_page_of_another_worker_is_known_and_counts_once_however_often_it_is_heard_of() -> None:
    memories = [CrawlMemory(OPTIONS), CrawlMemory(OPTIONS)]
    drawn = pages_of_two_types()
    for number, page in enumerate(drawn):
        memories[number % 2].observe(page)
    for _ in range(3):
        exchanged(memories)
    assert [memory.page_count(HOST) for memory in memories] == [len(drawn)] * 2
    for page in drawn:
        assert page in memories[0].site(HOST)
        memories[0].observe(page)
    exchanged(memories)
    assert [memory.page_count(HOST) for memory in memories] == [len(drawn)] * 2


def test_the_parts_of_workers_unite_to_the_same_in_every_order_and_a_page_of_two_counts_once() -> None:
    memories = [CrawlMemory(OPTIONS) for _ in range(3)]
    drawn = pages_of_two_types()
    for number, page in enumerate(drawn):
        memories[number % 3].observe(page)
        if number < 5:
            memories[(number + 1) % 3].observe(page)
    totals = []
    for order in permutations(memories):
        total = SiteMemory(HOST, OPTIONS)
        total.merge([memory.site(HOST) for memory in order])
        totals.append(total)
        assert total.pages == len(drawn)
    assert all(total.snapshot() == totals[0].snapshot() for total in totals)


def test_a_worker_that_has_seen_nothing_judges_by_what_the_others_have_seen() -> None:
    old, new = CrawlMemory(OPTIONS), CrawlMemory(OPTIONS)
    for number in range(12):
        old.observe(article(number))
    new.site(HOST)
    exchanged([old, new])
    there, here = old.observe(article(99)), new.observe(article(99))
    assert (here.content_text, here.pages_known) == (there.content_text, 12)
    assert new.resolve(here.leaf_id) == old.resolve(there.leaf_id)
    assert here.link_pages == there.link_pages
    url = "https://example.org/team"
    assert new.link_evidence(HOST, url) == old.link_evidence(HOST, url)
    assert new.link_evidence(HOST, url).is_known


def test_what_was_heard_goes_when_the_others_are_gone() -> None:
    own, other = CrawlMemory(OPTIONS), CrawlMemory(OPTIONS)
    for number in range(6):
        own.observe(article(number))
        other.observe(listing(number))
    exchanged([own, other])
    assert own.page_count(HOST) == 12
    nobody = SiteMemory(HOST, OPTIONS)
    nobody.merge([])
    own.set_remote(HOST, nobody)
    assert own.page_count(HOST) == 6
    assert {row.page_type for row in own.page_types()} == {"/articles/*"}


@pytest.mark.parametrize("detector", ["sandwich", "sandwich-lines"])
def test_detectors_that_keep_whole_pages_share_all_but_these(detector: str) -> None:
    options = MemoryOptions(sample_salt=7, detector=detector)
    one, other = SiteMemory(HOST, options), SiteMemory(HOST, options)
    for number in range(5):
        one.observe(article(number))
    total = SiteMemory(HOST, options)
    total.merge([SiteMemory.from_snapshot(one.snapshot(), options)])
    other.set_remote(total)
    for number in (1, 2):
        assert article(number) in other
        other.observe(article(number))
    assert other.pages_known == 5
    told = other.observe(article(99))
    check(other)
    assert other.pages_known == 6
    assert detector != "sandwich" or "Made by hand" not in told.content_text
