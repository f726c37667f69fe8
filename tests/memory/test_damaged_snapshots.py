"""Whatever is wrong in a snapshot: it is refused by our own error, or what it makes learns and is saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from templcrawl.algorithms.crawl_order.focus import TopicRecord
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.change_table import PageRecords
from templcrawl.memory.clusters import ALL_SITES
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.detectors import ARRIVING
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import Frozen, Snapshot, StoredColumn, written
from templcrawl.memory.states import pack, unpack
from templcrawl.memory.store import SqliteStore
from templcrawl.memory.topic_links import TopicLinks
from templcrawl.page.page import Page
from tests.memory.damage import damaged
from tests.memory.invariants import check
from tests.memory.pages import article, listing, prose
from tests.memory.stores import Unreadable, plain, put_state, store_in
from tests.parts import long_but

HOST = "example.org"
OUTSIDERS = [
    Page(f"<h1>{n}</h1><table><tr><td>{prose(('o', n))}<td><i>{n}</i></table>", f"https://{HOST}/o/{n}")
    for n in range(6)
]
PAGES = [*map(article, range(24)), *map(listing, range(12)), *OUTSIDERS]
LATER = [*map(article, (20, 27)), listing(99), OUTSIDERS[0]]


def relevance(page: Page) -> float:
    return 0.75 if "/articles/" in page.url else 0.25


class Kept(dict[str, Snapshot], SqliteStore):
    """A store in memory."""

    def load(self, host: str) -> Snapshot | None:
        return self.get(host)

    def save(self, host: str, frozen: Frozen) -> None:
        self[host] = written(frozen)

    def rows(self, owner: str, limit: int) -> Any:
        """Return records in memory: no state has them."""
        return PageRecords(limit)

    def commit(self) -> None:
        """Nothing is lost here."""


def options_of(detector: str) -> MemoryOptions:
    of_links = (
        {"hubs": {"names": lambda words: "Item 11" in words}} if detector == "vote" else {"targets": {}}
    )
    sections: dict[str, dict[str, Any]] = {"kinds": {}, "changes": {"limit": 100}, **of_links}
    return MemoryOptions(detector=detector, sections=sections, sample_salt=7)


@cache
def saved(detector: str) -> dict[str, Snapshot]:
    """What a focused crawl with a detector and a target has stored."""
    kept = Kept()
    memory = CrawlMemory(options_of(detector), store=kept, judges={"relevance": relevance})
    for number, page in enumerate(PAGES):
        observation = memory.observe(page)
        if not number:
            memory.open(HOST).add_example(observation)
    check(memory)
    memory.save()
    return dict(kept)


def is_refused(snapshot: Snapshot, options: MemoryOptions) -> bool:
    """Say whether a snapshot is refused; what it makes must learn, answer, and be saved."""
    try:
        memory = SiteMemory.from_snapshot(snapshot, options, host=HOST)
    except InvalidSnapshot:
        return True
    for page in LATER:
        memory.reclassify(memory.observe(page, {"relevance": relevance(page)}))
    memory.page_types()
    for url in LATER[2].links.urls[:9]:
        link = memory.links.classes(url)
        memory.links.value(link)
        topic = memory.get(TopicLinks)
        if topic is not None:
            record = TopicRecord(0.5, topic.directory(url))
            topic.promise(memory.links, link.target, record)
    SiteMemory.from_snapshot(unpack(HOST, pack(memory.snapshot())), options)
    return False


def of_detector(detector: str) -> Iterator[tuple[str, Snapshot]]:
    """Yield each damage; of another detector than the first only that of what it knows itself."""
    for what, snapshot in damaged(saved(detector)[HOST]):
        if detector == "vote" or what.startswith(("detector/", "targets/")):
            yield what, snapshot


@pytest.mark.parametrize("detector", sorted(ARRIVING))
def test_what_was_saved_comes_back_as_it_was(detector: str) -> None:
    stored = saved(detector)
    snapshot = Snapshot({**stored[HOST], **stored.get(f"{HOST}\n", {})})
    assert SiteMemory.from_snapshot(snapshot, options_of(detector), host=HOST).snapshot() == snapshot


def check_damages(detector: str, damages: Iterator[tuple[str, Snapshot]]) -> Counter[bool]:
    came: Counter[bool] = Counter()
    for what, snapshot in damages:
        try:
            came[is_refused(snapshot, options_of(detector))] += 1
        except Exception as error:
            pytest.fail(f"{what}: {type(error).__name__}: {error}")
    return came


def test_some_wrong_values_are_refused_or_make_a_memory_that_works() -> None:
    came = check_damages("vote", islice(of_detector("vote"), 0, None, 83))
    assert min(came.values()) > 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("step", long_but([17], [1, 17]))
@pytest.mark.parametrize("detector", sorted(ARRIVING))
def test_one_wrong_value_anywhere_is_refused_or_makes_a_memory_that_works(detector: str, step: int) -> None:
    """Of the many wrong values each, in ``make fuzz``; else one of every few."""
    came = check_damages(detector, islice(of_detector(detector), 0, None, step))
    assert min(came.values()) > (1_000 if detector == "vote" else 30) // step, came


def test_wrong_values_in_what_is_known_across_sites_are_refused_or_make_what_they_say() -> None:
    refused = 0
    for what, snapshot in damaged(saved("vote")[ALL_SITES]):
        unreadable, kept = Unreadable(), Kept()
        kept[ALL_SITES] = snapshot
        memory = CrawlMemory(store=kept, listener=unreadable)
        check(memory)
        memory._saved_all_sites = None
        memory.save()
        if not unreadable.errors and "fingerprints" not in what:
            assert kept[ALL_SITES] == snapshot
        refused += len(unreadable.errors)
    assert refused > 40


@pytest.mark.parametrize(
    "damage",
    [
        lambda right: Snapshot({**right, "host": StoredColumn("u1", b"other.org")}),
        lambda right: Snapshot({name: right[name] for name in right if not name.startswith("leaves/")}),
        lambda right: Snapshot({**right, "pages": StoredColumn("f8", bytes(8))}),
        lambda right: plain(pages=1),
    ],
)
def test_a_damaged_site_is_said_and_learned_anew(
    damage: Callable[[Snapshot], Snapshot], tmp_path: Path
) -> None:
    store, unreadable = store_in(tmp_path), Unreadable()
    put_state(tmp_path, HOST, pack(damage(saved("vote")[HOST])))
    memory = CrawlMemory(store=store, listener=unreadable)
    memory.observe(article(1))
    memory.save()
    assert len(unreadable.errors) == memory.open(HOST).pages == 1
    assert SiteMemory.from_snapshot(store.load(HOST) or Snapshot(), host=HOST).pages == 1
