"""The page types of a site, made once of all its leaves: told apart, named, counted; of several workers."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.sites.generated import generate_demo_site
from templcrawl import CrawlMemory
from templcrawl.memory import page_types
from templcrawl.memory.leaves import NOTHING, Leaves
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.page_types import FIRST_TYPES, LeafCounts
from templcrawl.memory.site import SiteMemory
from templcrawl.page.page import Page
from tests.memory.pages import article, listing
from tests.memory.typed_pages import keys, site_of


def names_of(leaves: Leaves) -> dict[int, str]:
    """Return leaf -> name of its page type."""
    types = leaves.counted().types()
    return {leaf: types[key][0] for leaf, key in enumerate(leaves.keys)}


def test_pages_of_one_type_share_a_name_and_others_have_another() -> None:
    leaves = Leaves()
    pages = site_of(4, 120)
    found = [
        leaves.learn(features, address=f"http://a.example/{kind}/{number}").leaf
        for number, (kind, features) in enumerate(pages)
    ]
    names = names_of(leaves)
    assert {(kind, names[leaf]) for (kind, _), leaf in zip(pages, found)} == {
        (kind, f"/{kind}/*") for kind in range(4)
    }
    assert dict(leaves.counted().types().values()) == Counter(f"/{kind}/*" for kind, _ in pages)


def test_the_templates_of_the_demo_site_are_found() -> None:
    site = SiteMemory("a.example", MemoryOptions(sample_salt=0))
    pages = {f"http://a.example{path}": page for path, page in generate_demo_site().pages.items()}
    leaf_of = {url: site.observe(Page(page.html, url)).leaf_id for url, page in pages.items()}
    rows = site.page_types()
    type_of = {row.leaf_id: row.page_type for row in rows}
    kinds: dict[str, set[str]] = {}
    for url, page in pages.items():
        if page.kind != "calendar":
            kinds.setdefault(type_of[leaf_of[url]], set()).add(page.template)
    assert all(len(templates) == 1 for templates in kinds.values())
    assert {"/news/*", "/shop/*", "/manual/*"} <= kinds.keys()
    counted = Counter(type_of[leaf] for leaf in leaf_of.values())
    assert {row.page_type: row.pages for row in rows} == counted


@pytest.mark.parametrize(("pages", "types"), [(FIRST_TYPES - 1, FIRST_TYPES - 1), (FIRST_TYPES, 1)])
def test_of_the_first_pages_each_leaf_is_a_type_of_its_own(pages: int, types: int) -> None:
    leaves = Leaves("example.org")
    for number in range(pages):
        leaves.place(article(number, extra=f"<{'bius'[number]}>x"), learn=True)
    assert len(leaves.keys) == pages
    assert len(set(names_of(leaves).values())) == types


def test_anchors_and_urls_count_where_half_of_the_pages_have_any(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[bool]] = []
    groups = page_types.template_groups

    def noting(pages: object, structure: object, *views: object) -> list[list[int]]:
        asked.append([view is not None for view in views])
        return groups(pages, structure, *views)  # type: ignore[arg-type]

    monkeypatch.setattr(page_types, "template_groups", noting)
    for shown in (9, 10):
        leaves = Leaves()
        for number, (_, features) in enumerate(site_of(2, 20)):
            anchors = keys(1, 2) if number < shown else NOTHING
            leaves.learn(features, anchors=anchors, address="http://a.example/" if number >= shown else "")
        leaves.counted().types()
    assert asked == [[False, True], [True, True]]


def test_what_is_asked_twice_is_computed_once_after_each_page(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = []
    types = LeafCounts.types
    monkeypatch.setattr(LeafCounts, "types", lambda counts: computed.append(1) or types(counts))
    site = SiteMemory("example.org")
    for number in range(3):
        site.observe(article(number))
        assert site.page_types() == site.page_types()
        assert len(computed) == number + 1


@given(st.permutations(range(12)))
@settings(deadline=None, max_examples=15)
def test_the_first_pages_have_the_same_types_in_every_order_of_arrival(order: list[int]) -> None:
    pages = [article(n, extra="<hr>" * (n % 3)) for n in range(6)] + [listing(n) for n in range(6)]

    def types(numbers: list[int]) -> dict[int, str]:
        site = SiteMemory("example.org")
        leaves = {number: site.observe(pages[number]).leaf_id for number in numbers}
        named = {row.leaf_id: row.page_type for row in site.page_types()}
        return {number: named[leaf] for number, leaf in leaves.items()}

    assert types(order) == types(list(range(12)))


def test_page_types_are_the_same_without_evidence_about_links() -> None:
    pages = [Page(page.html, f"http://e.example{path}") for path, page in generate_demo_site().pages.items()]
    memories = [CrawlMemory(sample_salt=0, link_evidence=asked) for asked in (True, False)]
    for memory in memories:
        for page in pages:
            memory.observe(page)
    one, other = ([*memory.page_types()] for memory in memories)
    assert one == other
    assert len({leaf.page_type for leaf in one}) == 8
