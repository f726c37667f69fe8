"""The kinds of a site's pages: the vote of a leaf, correction, resume, and nothing where not asked for."""

from __future__ import annotations

import pytest

from templcrawl import CrawlMemory, Page
from templcrawl.memory.kind_table import EVERY, FAR, MIN_OF_ARTICLE, MIN_OF_LEAF, NEAR, SURE, KindTable
from templcrawl.memory.leaves import LeafDistances
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.page.separation import Separation
from tests.algorithms.page_kinds.pages import article, error, listing, product
from tests.memory.values import ALONE

PAGES = [
    page
    for number in range(24)
    for page in (article(number), product(number), *([listing(number)] if number < 8 else []))
]
SEPARATION = CrawlMemory(sample_salt=0).observe(article()).separation
KIND_OF = {"blog": "article", "product": "product", "category": "listing"}


def wanted(url: str) -> str:
    return KIND_OF[url.split("/")[3]]


def test_pages_are_named_and_leaves_at_the_end() -> None:
    memory = CrawlMemory(sections={"kinds": {}}, sample_salt=0)
    seen = [memory.observe(page) for page in PAGES]
    names = [observation.page_kind for observation in seen]
    right = [wanted(observation.page.url) for observation in seen]
    assert sum(name == kind for name, kind in zip(names, right)) > 0.9 * len(PAGES)
    kind_of = {row.leaf_id: row.kind for row in memory.page_types()}
    assert [kind_of[observation.leaf_id] for observation in seen] == right
    assert all(0.1 < (observation.page_kind_confidence or 0) <= 1 for observation in seen)


def test_an_error_among_articles_stays_one_and_votes_for_nobody() -> None:
    memory = CrawlMemory(sections={"kinds": {}}, sample_salt=0)
    for number in range(20):
        memory.observe(article(number))
    assert memory.observe(error()).page_kind == "error"
    assert memory.observe(article(21)).page_kind == "article"


def test_nothing_is_found_where_it_is_not_asked_for() -> None:
    memory = CrawlMemory(sample_salt=0)
    observation = memory.observe(article())
    assert (observation.page_kind, observation.page_kind_confidence) == (None, None)
    assert [row.kind for row in memory.page_types()] == [None]
    assert not memory.open("quay.example").snapshot().section("kinds")


@pytest.mark.parametrize("cut", [1, 9, 30])
def test_a_resumed_site_answers_as_one_that_was_never_paused(cut: int) -> None:
    options = MemoryOptions(sections={"kinds": {}}, sample_salt=0)
    site, whole = SiteMemory("quay.example", options), SiteMemory("quay.example", options)
    expected = [whole.observe(page).kind for page in PAGES]
    found = [site.observe(page).kind for page in PAGES[:cut]]
    again = SiteMemory.from_snapshot(site.snapshot(), options)
    assert found + [again.observe(page).kind for page in PAGES[cut:]] == expected


def alike(leaf: int) -> LeafDistances:
    """Return the place of a page of a leaf, near all of the first six."""
    return LeafDistances(leaf, "", {other: 0.0 if other == leaf else 0.3 for other in range(6)}, {})


def test_the_first_pages_of_a_leaf_are_named_by_themselves_whatever_is_near() -> None:
    table = KindTable(MemoryOptions())
    seen = [CrawlMemory(sample_salt=0).observe(page).separation for page in (article(), listing())]
    for _ in range(EVERY):
        table.classify(seen[0], alike(0), learn=True)
    names = [table.classify(seen[1], alike(1), learn=True).name for _ in range(MIN_OF_LEAF + 1)]
    assert names == [*["listing"] * MIN_OF_LEAF, "article"]


@pytest.mark.parametrize(("words", "kind"), [(MIN_OF_ARTICLE - 1, "other"), (MIN_OF_ARTICLE, "article")])
def test_a_page_with_next_to_no_text_is_no_article_though_its_leaf_is_of_articles(
    words: int, kind: str
) -> None:
    table = KindTable(MemoryOptions())
    articles = CrawlMemory(sample_salt=0).observe(article()).separation
    for _ in range(EVERY):
        table.classify(articles, ALONE, learn=True)
    text, links = "boat " * words, "home " * MIN_OF_ARTICLE
    bare = Page(f"<p>{text}</p><p><a href=/>{links}</a></p>", "https://quay.example/x")
    separation = Separation(bare, [(0, len(bare.tokens))])
    assert table.classify(separation, ALONE, learn=True).name == kind


def test_leaves_near_vote_and_the_next_ones_until_there_are_enough_votes() -> None:
    table = KindTable(MemoryOptions())
    for leaf, pages in ((0, 1), (1, 2), (2, 1), (3, 9)):
        for _ in range(pages):
            table.classify(SEPARATION, LeafDistances(leaf, "", {leaf: 0.0}, {}), learn=True)
    place = LeafDistances(7, "", {7: 0.0, 0: NEAR, 1: NEAR + 0.01, 2: FAR, 3: FAR}, {})
    assert table._near_votes(place)[1] == 4
    assert table._near_votes(place._replace(distances={**place.distances, 2: FAR + 0.01}))[1] == 12
    assert table._near_votes(LeafDistances(7, "", {7: 0.0, 3: NEAR}, {}))[1] == 9


def test_a_sure_leaf_is_asked_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counting(separation: object) -> object:
        asked.append(separation)
        return classify(separation)

    from templcrawl.memory import kind_table

    classify = kind_table.classify_kind
    monkeypatch.setattr(kind_table, "classify_kind", counting)
    table, memory = KindTable(MemoryOptions()), CrawlMemory(sample_salt=0)
    for number in range(SURE + 4 * EVERY):
        table.classify(memory.observe(article(number)).separation, ALONE, learn=True)
    assert SURE + 3 <= len(asked) <= SURE + 5
