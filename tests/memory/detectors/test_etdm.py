"""The detector ``etdm`` in a site's memory: by hand, by all subsets, and after a snapshot."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from lab.sites.generated import generate_demo_site
from lab.sites.menu_site import MENU, TEMPLATE, page, path_of
from lab.sites.words import prose
from templcrawl.algorithms.site_template.etdm import content_spans, extract_template, without_hollow
from templcrawl.algorithms.site_template.nodes import Nodes
from templcrawl.algorithms.site_template.template_search import TemplateSearch
from templcrawl.memory.detectors.linked_pages import Etdm, linked_names, name_key, tree_of
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.place import ALONE
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from tests.memory.invariants import check

ROOT = "http://tea.example"


def new(limit: int = 32) -> Etdm:
    return Etdm(MemoryOptions(max_siblings=limit))


def separate(known: Etdm, key: Page, *, learn: bool = True) -> Separation:
    asked = known.query(key, ALONE)
    separation = known.classify(asked)
    if learn:
        known.update(asked)
    check(known)
    return separation


def small(name: str, links: str, words: str) -> Page:
    """Return a page whose nodes can be counted by hand."""
    menu = "".join(f"<li><a href=/{one}>{one}</a>" for one in links.split())
    return Page(f"<body><ul>{menu}</ul><p>{words}</p><b>Foot</b></body>", f"{ROOT}/{name}")


def test_the_fifth_page_by_hand() -> None:
    """The four pages of the menu link to each other, and none of them to an article.

    The new article links to the menu and to the old one, with which it shares "Read on".  The old one is in
    no set of four, so "Read on" is content.  So is its entry in the list: the pages of the menu have four.
    """
    known = new()
    names = "home news team help"
    for name in names.split():
        separate(known, small(name, names, f"This is {name}"))
    separate(known, small("old", names, "<i>Read on</i>"))
    new_one = separate(known, small("new", f"old {names}", "<i>Read on</i>"))
    assert new_one.content_text == "old\nRead on"
    assert new_one.template_text == "home\nnews\nteam\nhelp\nFoot"


def test_the_first_page_is_all_content_the_second_has_one_page_to_go_by() -> None:
    known = new()
    assert separate(known, small("home", "home news", "Tea")).template_text == ""
    assert separate(known, small("news", "home news", "Milk")).content_text == "Milk"


def test_a_page_that_links_to_nothing_known_is_all_content() -> None:
    known = new()
    for name in MENU:
        separate(known, Page(page(name), ROOT + path_of(name)))
    assert separate(known, small("lonely", "other", "Tea")).template_text == ""
    assert separate(known, Page("", f"{ROOT}/empty")).content_spans == ()


def test_a_page_is_never_mapped_onto_itself_nor_onto_what_it_repeats() -> None:
    known = new()
    home = small("home", "home copy", prose("home", 300))
    separate(known, home)
    assert separate(known, home, learn=False).template_text == ""
    assert separate(known, Page(home.text, f"{ROOT}/home.html")).template_text == ""
    copy = Page(home.text.replace("Foot", "Printed"), f"{ROOT}/copy")
    assert separate(known, copy).template_text == ""
    assert len(known._pages) == 1, "what repeats another page is not kept"


def test_a_menu_outlives_a_long_run_of_articles_and_its_texts_do_too() -> None:
    known = new(limit=8)
    for name in (*MENU, *(f"article{number}" for number in range(60))):
        last = separate(known, Page(page(name), ROOT + path_of(name)))
    assert tuple(last.template_text.split("\n")) == TEMPLATE
    kept = known.snapshot().numbers("pages/names").tolist()
    assert len(kept) == 8
    assert sum(name_key(ROOT + path_of(name)) in kept for name in MENU) == 4
    assert set(known._texts) == set(kept)


def test_it_answers_as_the_search_on_demand_does() -> None:
    site = generate_demo_site()
    pages = {ROOT + one.path: Page(one.html, ROOT + one.path) for one in site.pages.values()}
    key = next(pages[ROOT + one.path] for one in site.pages.values() if one.kind == "article")
    search = TemplateSearch(key)
    while (url := search.next_url()) is not None:
        search.update(url, pages.get(url))
    known = new()
    for url in search.loaded:
        separate(known, pages[url])
    assert len(search.subdigraph) == 4
    assert separate(known, key).content_spans == search.separation().content_spans


NAMES = "abcdef"
WORDS = st.lists(st.sampled_from(["tea", "milk", "<i>pot</i>", "<b>lid</b>"]), max_size=4).map("<br>".join)
ARRIVALS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sets(st.sampled_from(NAMES)), WORDS, st.booleans()), max_size=10
)


def arriving(name: str, links: set[str], words: str) -> Page:
    return small(name, " ".join(sorted(links)), f"{words} only {name}")


@given(ARRIVALS, st.integers(1, 5))
@settings(deadline=None, max_examples=60)
def test_answers_are_the_same_after_a_snapshot_and_make_up_the_page(
    arrivals: list[tuple[str, set[str], str, bool]], limit: int
) -> None:
    known = new(limit)
    for name, links, words, learn in arrivals:
        key = arriving(name, links, words)
        restored = new(limit)
        restored.restore(known.snapshot())
        straight = separate(known, key, learn=learn)
        tree_of.cache_clear()
        assert separate(restored, key, learn=learn).content_spans == straight.content_spans
        assert restored.snapshot() == known.snapshot()
        assert len(known._pages) <= limit
        whole = Separation(key, [(0, len(key.tokens))]).content_text
        found = f"{straight.content_text} {straight.template_text}"
        assert Counter(found.split()) == Counter(whole.split())


@given(ARRIVALS)
@settings(deadline=None, max_examples=60)
def test_it_is_the_extraction_against_a_largest_complete_subdigraph(
    arrivals: list[tuple[str, set[str], str, bool]],
) -> None:
    known = new()
    kept: dict[int, Nodes] = {}
    for name, links, words, _ in arrivals:
        key = arriving(name, links, words)
        own, tree = name_key(key.url), Nodes(key)
        spans = separate(known, key).content_spans
        others = {one: nodes for one, nodes in kept.items() if one != own and one in linked_names(tree)}
        is_linked = {(a, b) for a in others for b in linked_names(others[a])}
        complete = [
            some
            for size in range(5)
            for some in combinations(others, size)
            if all({(a, b), (b, a)} <= is_linked for a, b in combinations(some, 2))
        ]
        most = max(map(len, complete))
        answers = [extraction(tree, [others[one] for one in some]) for some in complete if len(some) == most]
        assert spans in answers
        kept[own] = tree


def extraction(tree: Nodes, others: list[Nodes]) -> tuple[tuple[int, int], ...]:
    if not others:
        return ((0, len(tree.page.tokens)),)
    return content_spans(tree, without_hollow(tree, extract_template(tree, others)))
