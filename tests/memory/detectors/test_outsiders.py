"""The outsiders of a site, and the vote on a site of two sections that share nothing."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.detectors import outsiders as subject
from templcrawl.memory.detectors.outsiders import Outsiders
from templcrawl.memory.detectors.page_sample import PageSample, SampledPage
from templcrawl.memory.detectors.vote import Vote
from templcrawl.memory.options import MemoryOptions
from templcrawl.page.page import Page

READER = PageSample(size=16)


def read(*runs: int) -> SampledPage:
    return READER.read(np.array(runs, dtype=np.uint64))


def outsiders(*pages: tuple[int, SampledPage], size: int = 16) -> Outsiders:
    known = Outsiders(size=size, template_of=lambda leaf: leaf // 10)
    for leaf, page in pages:
        known.add(page, leaf)
    return known


def test_pages_of_the_same_template_are_asked_and_not_the_page_itself() -> None:
    known = outsiders((10, read(1, 2, 3)), (11, read(1, 2, 4)), (20, read(5, 6)))
    shares, pages = known.shares(read(2, 1, 9, 1), 12)
    assert (shares.tolist(), pages) == ([1.0, 1.0, 0.0, 1.0], 2)
    shares, pages = known.shares(read(1, 2, 3), 10)
    assert (shares.tolist(), pages) == ([1.0, 1.0, 0.0], 1)
    assert known.shares(read(1), 30).pages == 0


def test_of_many_pages_the_largest_template_loses_the_largest_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "LIMIT", 3)
    pages = sorted((read(number, 100 + number) for number in range(4)), key=lambda page: page.hash)
    known = outsiders((20, pages[0]), (10, pages[3]), (11, pages[1]), (12, pages[2]))
    assert len(known) == 3
    assert known.shares(read(7), 10).pages == 2
    assert known.shares(pages[1], 10).pages == 1
    assert known.shares(read(7), 20).pages == 1


RUNS = st.lists(st.integers(0, 30), min_size=1, max_size=8)


@given(st.lists(st.tuples(st.integers(0, 39), RUNS), max_size=20), RUNS, st.integers(1, 5))
def test_shares_are_those_of_the_pages_with_the_smallest_hashes(
    pages: list[tuple[int, list[int]]], asked: list[int], size: int
) -> None:
    kept = {read(*runs).hash: (leaf, set(runs)) for leaf, runs in pages}
    page = read(*asked)
    alike = sorted(one for one, (leaf, _) in kept.items() if leaf // 10 == 1 and one != page.hash)[:size]
    found = outsiders(*((leaf, read(*runs)) for leaf, runs in pages), size=size).shares(page, 15)
    assert found.pages == len(alike)
    expected = [sum(run in kept[one][1] for one in alike) / max(len(alike), 1) for run in asked]
    assert found.shares.tolist() == pytest.approx(expected)


def test_a_snapshot_gives_the_same_answers() -> None:
    known = outsiders((10, read(1, 2, 3)), (11, read(1, 2, 4)), (20, read(5, 6)))
    again = outsiders()
    again.restore(json.loads(json.dumps(known.snapshot())))
    assert again.snapshot() == known.snapshot()
    assert again.nbytes == known.nbytes > 0
    assert again.shares(read(1, 4), 13).shares.tolist() == known.shares(read(1, 4), 13).shares.tolist()


@pytest.mark.parametrize(
    "pages",
    [
        None,
        [{}],
        [{"hash": 1, "leaf": "a", "leaves": ""}],
        [{"hash": 1, "leaf": 2, "leaves": "?"}],
        [{}] * 65,
    ],
)
def test_a_damaged_snapshot_is_told(pages: Any) -> None:
    with pytest.raises(InvalidSnapshot):
        outsiders().restore({"pages": pages})


def test_too_many_pages_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    known = outsiders((10, read(1)), (10, read(2)))
    known.check()
    monkeypatch.setattr(subject, "LIMIT", 1)
    with pytest.raises(BrokenInvariant, match="2 pages"):
        known.check()


BLOG = "<div class=blog><p>The blog of the mill</p><p>Written on Sundays</p><p>Archive of all years</p></div>"
SHOP = (
    "<table><tr><td>Cart of goods</td><td>Orders until noon</td><td>Returns within a month</td></tr></table>"
)
WORDS = (
    "amber birch copper delta ember fjord grove heron ivory jetty kelp larch moss nettle onyx plum".split()
)


def text(number: int) -> str:
    words = [WORDS[(number * step) % 16] + str(number % 7) + str(step) for step in range(1, 25)]
    return "".join(f"<p>{' '.join(words[at : at + 4])}</p>" for at in range(0, 24, 4))


def test_a_small_section_that_shares_nothing_with_the_site_is_told_apart_by_its_own_pages() -> None:
    memory = CrawlMemory()
    kept = []
    for number in range(60):
        in_shop = number % 6 == 5
        head = f"{SHOP}<section class=goods>" if in_shop else f"{BLOG}<article class=post>"
        html = f"<html><body class={'shop' if in_shop else 'blog'}>{head}{text(number)}"
        separation = memory.observe(Page(html, f"http://mill.example/{number}"))
        if in_shop:
            kept.append("Returns within a month" in separation.content_text)
    assert kept[:2] == [True, True]
    assert kept[-3:] == [False, False, False]


def test_a_page_of_the_main_template_is_not_kept_as_an_outsider() -> None:
    vote = Vote(MemoryOptions(), lambda leaf: leaf)
    for number in range(20):
        page = Page(f"<body>{BLOG}{text(number)}", f"http://mill.example/{number}")
        vote.remember(vote.ask(page, 0))
    assert vote.snapshot()["outsiders"] == {"pages": []}
