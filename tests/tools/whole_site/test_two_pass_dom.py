"""The DOM-based two-pass algorithm.

The table of hashes: exact below its limit, and never wrong by more than it says above.
"""

from __future__ import annotations

from collections import Counter
from html import unescape
from itertools import pairwise
from unicodedata import normalize

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.memory.observation import Observation
from templcrawl.page.page import Page
from templcrawl.page.text import ZERO_WIDTH
from templcrawl.page.tokens import COMMENT, TEXT
from templcrawl.tools.whole_site.two_pass_dom import (
    HashCounts,
    TwoPassDom,
    nodes_of,
    template_spans,
)
from tests.strategies import mask_of, noises, soups

Content = tuple[str, ...]


def seen(text: str) -> str:
    """Return what a reader sees of a text: references decoded, NFC, without what has no width."""
    return normalize("NFC", unescape(text).translate(dict.fromkeys(map(ord, ZERO_WIDTH))))


def node_contents(page: Page) -> dict[tuple[int, int], Content]:
    """Return span of each node -> what stands in it, white space and comments left out."""
    tokens, elements = page.tokens, page.elements
    runs = set(page.text_runs.positions.tolist())
    spans = list(zip(elements.opens[1:], elements.closes[1:])) + [
        (position, position + 1) for position in runs
    ]
    return {
        span: tuple(
            " ".join(seen(tokens.forms[form]).split())
            if tokens.kinds[position] == TEXT
            else tokens.forms[form]
            for position, form in enumerate(tokens.form_of[slice(*span)], start=span[0])
            if tokens.keys[position] and tokens.kinds[position] != COMMENT
        )
        for span in spans
    }


@settings(deadline=None)
@given(soups, soups)
def test_hashes_are_equal_where_contents_are(one, other) -> None:
    hash_of: dict[Content, int] = {}
    for page in (Page(one, ""), Page(other + one, "")):
        nodes = nodes_of(page)
        contents = node_contents(page)
        spans = list(zip(nodes.starts.tolist(), nodes.stops.tolist()))
        assert sorted(spans) == sorted(contents)
        for span, found in zip(spans, nodes.hashes.tolist()):
            assert hash_of.setdefault(contents[span], found) == found
    assert len(set(hash_of.values())) == len(hash_of)


@settings(deadline=None)
@given(st.lists(soups, min_size=1, max_size=5), st.randoms())
def test_counts_are_those_of_a_counter_and_the_order_of_pages_is_irrelevant(htmls, chance) -> None:
    pages = [Page(html, str(number)) for number, html in enumerate(htmls)]
    contents = [node_contents(page) for page in pages]
    on_pages = Counter(content for found in contents for content in set(found.values()))
    times = Counter(content for found in contents for content in found.values())
    site = TwoPassDom()
    shuffled = pages[:]
    chance.shuffle(shuffled)
    for page in shuffled:
        site.learn(page)
    for page, found in zip(pages, contents):
        nodes = nodes_of(page)
        counted = [found[span] for span in zip(nodes.starts.tolist(), nodes.stops.tolist())]
        here, often = site.counts.lookup(nodes.hashes)
        assert here.tolist() == [on_pages[content] for content in counted]
        assert often.tolist() == [times[content] for content in counted]


@settings(deadline=None)
@given(soups, noises, st.integers(0, 3))
def test_templates_are_disjoint_and_coalescing_only_adds(html, noise, gap) -> None:
    page = Page(html, "")
    nodes = nodes_of(page)
    is_repeated = np.frombuffer(mask_of(noise, len(nodes.starts)), dtype=bool)
    plain = template_spans(page, nodes, is_repeated, gap=-1)
    spans = template_spans(page, nodes, is_repeated, gap=gap)
    assert all(a < b for a, b in spans)
    assert all(before[1] < after[0] for before, after in pairwise(spans))
    covered = {position for span in spans for position in range(*span)}
    assert covered >= {position for span in plain for position in range(*span)}
    chosen = {
        position
        for start, stop in zip(nodes.starts[is_repeated].tolist(), nodes.stops[is_repeated].tolist())
        for position in range(start, stop)
    }
    assert {position for span in plain for position in range(*span)} == chosen


def separated(pages: list[Page], **options: float) -> list[Observation]:
    site = TwoPassDom(**options)  # type: ignore[arg-type]
    for page in pages:
        site.learn(page)
    return [site.separate(page) for page in pages]


def test_a_small_gap_between_sibling_template_nodes_is_template_too() -> None:
    pages = [
        Page(f"<div><p>All rights</p><i>{n}</i><p>reserved here</p></div><p>Page {n} of them", str(n))
        for n in range(4)
    ]
    assert separated(pages, gap=1)[3].content_text == "Page 3 of them"
    assert separated(pages, gap=0)[3].content_text == "3\nPage 3 of them"


def test_what_stands_too_often_is_no_template_of_its_own() -> None:
    pages = [Page(f"<nav>Menu of all</nav>{'<b>new</b> ' * 3}<p>Page {n}", str(n)) for n in range(4)]
    assert separated(pages, upper=2)[0].content_text == "new new new\nPage 0"
    assert separated(pages, upper=3)[0].content_text == "Page 0"


def test_what_fewer_pages_have_than_asked_for_is_no_template() -> None:
    pages = [Page(f"<p>Tea</p><i>Page {n}</i>" if n < 3 else f"<i>Page {n}</i>", str(n)) for n in range(10)]
    assert separated(pages, lower=0.3)[0].content_text == "Page 0"
    assert separated(pages, lower=0.4)[0].content_text == "Tea\nPage 0"


def test_what_one_page_repeats_is_no_template() -> None:
    pages = [Page("<p>Tea</p>" * 9, "0"), Page("<p>Milk", "1"), Page("<p>Sugar", "2")]
    assert separated(pages, upper=9, lower=0.01)[0].template_spans == ()


pages = st.lists(st.lists(st.integers(0, 30), max_size=12), max_size=12)
EVERY = np.arange(32, dtype=np.uint64)


def counted(found: list[list[int]], limit: int = 1_000, merge_every: int = 0) -> HashCounts:
    counts = HashCounts(limit=limit)
    for number, page in enumerate(found, start=1):
        counts.count(np.array(page, dtype=np.uint64))
        if merge_every and number % merge_every == 0:
            len(counts)
    return counts


@settings(deadline=None)
@given(pages, st.integers(0, 3), st.randoms())
def test_counts_are_those_of_two_counters_in_any_order(found, merge_every, chance) -> None:
    by_page = Counter(key for page in found for key in set(page))
    occurrences = Counter(key for page in found for key in page)
    chance.shuffle(found)
    counts = counted(found, merge_every=merge_every)
    on_pages, times = counts.lookup(EVERY)
    assert on_pages.tolist() == [by_page[key] for key in range(32)]
    assert times.tolist() == [occurrences[key] for key in range(32)]
    assert (counts.pages, counts.missed, len(counts)) == (len(found), 0, len(by_page))


@settings(deadline=None)
@given(pages, st.integers(1, 8), st.integers(1, 3))
def test_above_the_limit_no_count_is_too_large_or_lacks_more_than_is_said(found, limit, merge_every) -> None:
    truth = Counter(key for page in found for key in set(page))
    counts = counted(found, limit, merge_every)
    on_pages, _ = counts.lookup(EVERY)
    assert len(counts) <= limit
    for key, pages_found in enumerate(on_pages.tolist()):
        assert pages_found <= truth[key] <= pages_found + counts.missed


def test_a_frequent_hash_survives_many_rare_ones() -> None:
    counts = HashCounts(limit=100)
    for page in range(400):
        counts.count(np.array([1, 2, *range(1_000 + 90 * page, 1_090 + 90 * page)], dtype=np.uint64))
        len(counts)
    assert counts.missed > 0
    assert counts.lookup(np.array([1, 2], dtype=np.uint64))[0].tolist() == [400, 400]
