"""Whatever is wrong in a snapshot: it is refused by our own error, or what it makes is sound and the same."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from xxhash import xxh3_64_hexdigest

from templcrawl.algorithms.crawl_order.focus import Judgement
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import Snapshot
from templcrawl.memory.store import ALL_SITES, FORMAT, pack
from templcrawl.page.page import Page
from tests.memory.damage import Way, at, places, with_value, wrong_values
from tests.memory.pages import article, listing, prose
from tests.memory.stores import store_in
from tests.memory.invariants import check

HOST = "example.org"
OUTSIDERS = [
    Page(f"<h1>{n}</h1><table><tr><td>{prose(('o', n))}<td><i>{n}</i></table>", f"https://{HOST}/o/{n}")
    for n in range(6)
]
PAGES = [*map(article, range(24)), *map(listing, range(12)), *OUTSIDERS]
LATER = [*map(article, range(20, 28)), listing(99)]


def relevance(page: Page) -> Judgement:
    return Judgement(0.75 if "/articles/" in page.url else 0.25, lambda words: "Item 11" in words)


class Kept(dict[str, Snapshot]):
    """A store in memory."""

    def load(self, host: str) -> Snapshot | None:
        return self.get(host)

    def save(self, host: str, snapshot: Callable[[], Snapshot]) -> None:
        self[host] = json.loads(json.dumps(snapshot()))

    def commit(self) -> None:
        """Nothing is lost here."""


@cache
def saved(detector: str) -> dict[str, Snapshot]:
    """What a focused crawl with a detector has stored."""

    kept = Kept()
    memory = CrawlMemory(detector=detector, store=kept, topic=relevance, distill_pages=10)
    for page in PAGES:
        memory.observe(page)
    check(memory)
    memory.save()
    return dict(kept)


def outcome(damaged: Snapshot, right: Snapshot, options: MemoryOptions) -> str:
    """Return what comes of a damaged snapshot; what it makes must be sound, learn, and be saved."""
    try:
        site = SiteMemory.from_snapshot(damaged, options, host=HOST)
    except InvalidSnapshot:
        return "refused"
    check(site)
    made = site.snapshot()
    for page in LATER:
        site.observe(page)
    check(site)
    SiteMemory.from_snapshot(site.snapshot(), options)
    return "the same" if made == right else "as told" if made == damaged else "another"


def makes_another(way: Way) -> bool:
    """Say whether another value in this place makes another memory on purpose: another draw or detector."""
    return way == ("detector",) or way[-1] == "salt"


@pytest.mark.exhaustive
@pytest.mark.parametrize("detector", ["vote", "sandwich-lines", "etdm"])
def test_one_wrong_value_anywhere_is_refused_or_makes_the_memory_that_it_says(detector: str) -> None:
    options, right = MemoryOptions(detector=detector, distill_pages=10), saved(detector)[HOST]
    assert outcome(right, right, options) == "the same"
    came: Counter[str] = Counter()
    for way in places(right):
        if detector != "vote" and way[0] != "detection":
            continue
        for value in wrong_values(at(right, way)):
            try:
                found = outcome(with_value(right, way, value), right, options)
            except Exception as error:
                pytest.fail(f"{way}: {value!r:.80}: {type(error).__name__}: {error}")
            assert found != "another" or makes_another(way), (way, value)
            came[found] += 1
    assert came["refused"] > (1_000 if detector == "vote" else 500) > 200 > came["as told"], came


def test_wrong_values_in_what_is_known_across_sites_are_refused_or_make_what_they_say() -> None:
    right = saved("vote")[ALL_SITES]
    refused = 0
    for way in places(right):
        for value in wrong_values(at(right, way)):
            damaged, told, kept = with_value(right, way, value), list[InvalidSnapshot](), Kept()
            kept[ALL_SITES] = damaged
            memory = CrawlMemory(store=kept, on_unreadable=told.append)
            check(memory)
            memory._saved_all_sites = None
            memory.save()
            empty = {"fingerprints": [], "judged": 0, "relevance": 0.0, "salt": 0}
            assert kept[ALL_SITES] == (empty if told else damaged)
            refused += len(told)
    assert refused > 80


@pytest.mark.parametrize(
    "damage",
    [
        lambda right: {**right, "host": "other.org"},
        lambda right: {**right, "leaves": {}},
        lambda right: {**right, "pages": float("nan")},
        lambda right: {},
    ],
)
def test_a_damaged_site_is_said_and_learned_anew(
    damage: Callable[[Snapshot], Snapshot], tmp_path: Path
) -> None:
    store, told = store_in(tmp_path), list[InvalidSnapshot]()
    store.write(HOST, pack(damage(saved("vote")[HOST])))
    memory = CrawlMemory(store=store, on_unreadable=told.append)
    memory.observe(article(1))
    memory.save()
    assert len(told) == memory.page_count(HOST) == 1
    assert SiteMemory.from_snapshot(store.load(HOST) or {}, host=HOST).pages == 1


def test_numbers_nested_too_deep_are_refused(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    body = zlib.compress(b"[" * 200_000)
    head = b"templcrawl-site %d %s\n" % (FORMAT, xxh3_64_hexdigest(body).encode())
    store.write(HOST, head + body)
    with pytest.raises(InvalidSnapshot):
        store.load(HOST)
