"""The order ``distiller``: what a crawl's memory promises is what a second look at all of its pages says."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from templcrawl.algorithms.pagelets.partition import link_places
from templcrawl.crawl.orders.focus_order import Promises
from templcrawl.memory import hub_table
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.page.addresses import url_key
from templcrawl.page.page import Page
from tests.memory.invariants import check
from tests.memory.stores import store_in

PAGES = 40
EVERY = 4  # pages after which hubs are worked out


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_table, "MIN_GROWTH", EVERY)
    monkeypatch.setattr(hub_table, "_GROWTH", 1.0)


def relevance_of(page: Page) -> float:
    return int(page.url.rpartition("/")[2]) % 4 / 4


JUDGES = {"relevance": relevance_of}


def site(seed: int) -> list[Page]:
    """Pages in the order of a crawl: a menu, a list that only a few have, and one of the page's own."""
    chance = random.Random(seed)

    def listed(name: str, numbers: list[int]) -> str:
        links = "".join(f"<li><a href=/{number}>{name} {number} on</a>" for number in numbers)
        return f"<ul>{links}</ul>"

    shared = [listed(f"shared {at}", chance.sample(range(PAGES), 3)) for at in range(3)]
    return [
        Page(
            f"<body>{listed('menu', [30, 31, 32, 33])}{chance.choice(shared)}"
            f"{listed(f'own {number}', chance.sample(range(30), 3))}<p>{'word ' * number}",
            f"http://a.example/{number}",
        )
        for number in chance.sample(range(PAGES), 25)
    ]


def promises(pages: list[Page]) -> list[float]:
    """Return link target -> promise after some pages: plain sums, the eigenvector of a dense matrix."""
    places = [link_places(page) for page in pages]
    carried = [{shingle for shingle in one.shingles if shingle} for one in places]
    lists: dict[int, list[int]] = {number: [] for number in range(PAGES)}
    parent, reached = dict.fromkeys(lists, 0.0), dict[int, float]()
    hubs: dict[int, float] = {}
    seen: set[int] = set()
    for at, (page, one) in enumerate(zip(pages, places)):
        own = int(page.url.rpartition("/")[2])
        if lists[own] and own not in seen and relevance_of(page):
            reached[own] = relevance_of(page)
        seen.add(own)
        for link, pagelet in zip(page.links.urls, one.pagelets):
            target = int(link.rpartition("/")[2])
            parent[target] = max(parent[target], relevance_of(page))
            if one.shingles[pagelet] not in lists[target]:
                lists[target] = [*lists[target], one.shingles[pagelet]][-4:]
        template = {
            key for key in set().union(*carried[: at + 1]) if sum(key in c for c in carried[: at + 1]) > 1
        }
        if (at + 1) % EVERY == 0:
            keys = sorted({key for own in reached for key in lists[own] if key not in template})
            rows = [[reached[own] * (key in lists[own]) for own in reached] for key in keys]
            matrix, scores = np.array(rows), np.ones(len(keys))
            for _ in range(5_000 if keys else 0):
                scores = matrix @ (matrix.T @ scores)
                scores /= scores.max()
            hubs = dict(zip(keys, scores.tolist()))
    best = {target: max([parent[target], *(hubs.get(key, 0) for key in lists[target])]) for target in lists}
    waits = {target for target in lists if lists[target] and template.issuperset(lists[target])}
    return [(best[target] + (target not in waits)) / 2 for target in lists]


def promise(memory: CrawlMemory, url: str) -> float:
    return Promises(memory).promise_of("a.example", url_key(url), url)


@pytest.mark.parametrize("seed", range(6))
def test_promises_are_those_of_a_second_look_at_all_pages(seed: int) -> None:
    memory = CrawlMemory(MemoryOptions(sections={"hubs": {}}), judges=JUDGES)
    pages = site(seed)
    for page in pages:
        memory.observe(page)
    found = [promise(memory, f"http://a.example/{number}") for number in range(PAGES)]
    expected = promises(pages)
    assert found == pytest.approx(expected, abs=2e-3)
    assert min(expected) < 0.5 < max(expected), "some wait"
    check(memory)


def test_what_is_known_survives_a_restart(tmp_path: Path) -> None:
    options = MemoryOptions(sections={"hubs": {}}, sample_salt=0)
    memory = CrawlMemory(options, judges=JUDGES, store=store_in(tmp_path))
    pages = site(7)
    for page in pages[:10]:
        memory.observe(page)
    memory.save()
    again = CrawlMemory(options, judges=JUDGES, store=store_in(tmp_path))
    for page in pages[10:]:
        assert memory.observe(page).relevance == again.observe(page).relevance
    for number in range(PAGES):
        url = f"http://a.example/{number}"
        assert promise(again, url) == promise(memory, url)
