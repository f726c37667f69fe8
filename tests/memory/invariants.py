"""What is true of the structures of a memory at any time."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from templcrawl.memory.change_table import ChangeTable, PageRecords
from templcrawl.memory.clusters import FingerprintClusters
from templcrawl.memory.content_index import ContentIndex, _buckets
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.detectors.page_sample import MAX_RUNS, PageSample
from templcrawl.memory.detectors.sibling_sandwich import DirectoryPages, SiblingPages, _bytes_of
from templcrawl.memory.detectors.stored_pages import StoredPages
from templcrawl.memory.key_tables import (
    MAX_LISTED,
    CountTable,
    ListTable,
    LruDict,
    PairTable,
    SeenTexts,
    slots_of,
)
from templcrawl.memory.leaves import MAX_ADDRESSES, Leaves, _next_refit
from templcrawl.memory.link_tables import PayTable
from templcrawl.memory.profile_table import MAX_ROWS, ProfileTable
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import Section
from templcrawl.page.arrays import dot


def check(part: Any) -> None:
    """Check a part of a memory, and all that is in it."""
    for kind in reversed(type(part).__mro__):
        if kind in _checked.registry and kind is not object:
            _checked.registry[kind](part)


@singledispatch
def _checked(part: Any) -> None:
    """Check what is true of a class of parts."""


@_checked.register
def _(part: Section) -> None:
    part.columns()  # what is counted late is counted now
    for name in part.sections:
        check(part.part(name))


@_checked.register
def _(entries: LruDict) -> None:  # type: ignore[type-arg]
    assert entries._young.keys().isdisjoint(entries._old)
    assert len(entries) <= entries.limit


@_checked.register
def _(counts: CountTable) -> None:
    assert all(count >= 1 for count in counts.values())


@_checked.register
def _(pairs: PairTable) -> None:
    assert all(pages >= 1 and 0 <= total <= pages * pairs._most for pages, total in pairs.values())


@_checked.register
def _(table: ListTable) -> None:
    for lists in table.values():
        assert len(lists) == len(table.empty)
        assert all(len(set(listed)) == len(listed) <= MAX_LISTED for listed in lists)


@_checked.register
def _(table: PayTable) -> None:
    pages, words = table._site
    for name in set(table.sections) - {"_leading"}:
        assert all(of_class <= pages and paid <= words for of_class, paid in getattr(table, name).values())


@_checked.register
def _(index: ContentIndex) -> None:
    buckets = {key: _buckets(record) for key, record in index.items()}
    for bucket, owners in index._index.items():
        assert 1 <= len(set(owners)) == len(owners) <= 8
        assert all(bucket in buckets[owner] for owner in owners)
    assert all(bucket in index._index for of_key in buckets.values() for bucket in of_key)


@_checked.register
def _(table: ChangeTable) -> None:
    records = table._records
    assert isinstance(records, PageRecords)
    assert records.bytes == sum(map(len, records.values()))
    assert records.bytes <= records.most or len(table) == 1


@_checked.register
def _(seen: SeenTexts) -> None:
    taken = np.flatnonzero(seen._slots)
    assert len(seen) == len(taken)
    assert len(seen._slots) <= seen.limit
    assert (slots_of(seen._slots[taken], len(seen._slots)) == taken).all()


@_checked.register
def _(table: ProfileTable) -> None:
    counts, pages, width = table.counts, table.pages, table.width
    assert len(table) <= MAX_ROWS
    assert np.array_equal(table._ascending, np.unique(table.features))
    assert np.array_equal(table.features[table._column_of], table._ascending)
    assert width <= table.most_columns
    assert (pages >= 1).all()
    assert (counts <= pages[:, None]).all()
    expected = dot(counts, table._weights[:width]) / pages
    assert np.allclose(table._totals[: len(table)], expected, rtol=1e-6, atol=1e-6)


@_checked.register
def _(leaves: Leaves) -> None:
    alive = set(leaves.ids)
    assert sorted([*leaves.ids, *leaves._into]) == list(range(len(leaves.keys)))
    assert all(into < merged for merged, into in leaves._into.items())
    assert leaves._next_refit <= _next_refit(leaves.pages)
    assert all(len(table) == len(alive) for table in leaves.tables)
    assert all(table.pages.sum() == leaves.pages < leaves._next_refit for table in leaves.tables)
    assert alive >= leaves.addresses.keys() | {*map(leaves.current, leaves._seen.values())}
    assert max(map(len, leaves.addresses.values()), default=0) <= MAX_ADDRESSES
    assert max(leaves.shown) <= leaves.pages
    check(leaves._seen)


@_checked.register
def _(sample: PageSample) -> None:
    slots = sorted(sample._slots.values())
    assert slots == list(range(len(slots)))
    assert len(slots) <= sample.size + 1
    assert len(sample._keys) == len(sample._masks)
    assert np.all(sample._keys[1:] > sample._keys[:-1])
    assert np.all(sample._masks > 0)
    assert not np.any(sample._masks >> np.uint32(len(slots)))


@_checked.register
def _(stored: StoredPages) -> None:
    check(stored.sample)
    assert len(stored) <= 256
    assert all(0 < len(page.keys) <= MAX_RUNS for page in stored._pages.values())
    pages, of_leaf = stored._pages, stored._of_leaf
    assert {key: leaf for leaf, drawn in of_leaf.items() for _, key in drawn} == {
        key: page.leaf for key, page in pages.items()
    }
    assert all(drawn == sorted(drawn) and drawn for drawn in of_leaf.values())
    assert {key: draw for drawn in of_leaf.values() for draw, key in drawn} == {
        key: page.draw for key, page in pages.items()
    }
    assert stored._stale == {key for key, page in pages.items() if page.is_stale}


@_checked.register
def _(pages: SiblingPages) -> None:
    check(pages._pages)
    alike = [(page.directory, page.leaf) for page in pages._pages.values()]
    assert all(alike.count(one) <= 2 for one in alike)


@_checked.register
def _(pages: DirectoryPages) -> None:
    check(pages._pages)
    assert pages.size == sum(map(_bytes_of, pages._pages.values()))
    inside: dict[str, list[int]] = {}
    for key, page in pages._pages.items():
        inside.setdefault(page.directory, []).append(key)
    assert {name: list(keys) for name, keys in pages._inside.items()} == inside
    assert all(0 < len(keys) <= 2 for keys in inside.values())
    assert all(keys and set(keys) <= set(pages._pages) for keys in pages._below.values())


@_checked.register
def _(clusters: FingerprintClusters) -> None:
    assert len(clusters._fingerprints) <= len(clusters) <= clusters.limit


@_checked.register
def _(site: SiteMemory) -> None:
    assert site.pages >= len(site._seen)


@_checked.register
def _(memory: CrawlMemory) -> None:
    check(memory._sites)
    check(memory._clusters)
    for site in memory:
        check(site)
