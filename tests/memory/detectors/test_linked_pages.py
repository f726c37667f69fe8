"""Which pages are kept, which of them a page is mapped onto, and that a snapshot carries all of it."""

from __future__ import annotations

import tracemalloc
import zlib
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.site_template.complete_subdigraph import MOST_PAGES, SIZE
from templcrawl.algorithms.site_template.nodes import Nodes
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.detectors import linked_pages
from templcrawl.memory.detectors.linked_pages import (
    LinkedPage,
    LinkedPages,
    linked_names,
    linked_page,
    name_key,
    tree_of,
)
from templcrawl.page.page import Page
from templcrawl.page.tokens import Limits
from tests.memory.invariants import check

HTML = zlib.compress(b"<p>tea")


def page(name: int, *links: int) -> LinkedPage:
    return LinkedPage(name, frozenset(links), HTML)


def kept(*pages: LinkedPage, limit: int = 8) -> LinkedPages:
    known = LinkedPages(limit=limit)
    for one in pages:
        known.insert(one)
        check(known)
    return known


def found(known: LinkedPages, *links: int, avoid: tuple[int | None, ...] = ()) -> list[int]:
    return [one.name for one in known.subdigraph(links, avoid)]


def again(known: LinkedPages, limit: int) -> LinkedPages:
    restored = LinkedPages(limit=limit)
    restored.restore(known.snapshot())
    check(restored)
    return restored


def test_pages_that_link_to_each_other_are_found_in_the_order_of_the_links() -> None:
    """1, 2 and 3 link to each other; 4 links to all of them, and only 3 links back."""
    known = kept(page(1, 2, 3), page(2, 1, 3), page(3, 1, 2, 4), page(4, 1, 2, 3))
    assert found(known, 4, 3, 2, 1) == [3, 2, 1]
    assert found(known, 4, 3, 1) == [4, 3]
    assert found(known, 4, 1, 9) == [4]
    assert found(known, 9) == found(known) == []


def test_the_least_recently_added_leave_but_what_served_stays() -> None:
    known = kept(*(page(n) for n in range(4)), limit=4)
    assert known.insert(page(4)) == 0
    known.serve([page(1)])
    assert [known.insert(page(n)) for n in (5, 6, 7, 8)] == [2, 3, 4, 5]
    assert [n for n in range(9) if n in known] == [1, 6, 7, 8]
    assert known.insert(page(7, 1)) is None
    assert len(known) == 4


def test_pages_that_served_longer_ago_make_room() -> None:
    """At most half of four pages are safe: 3 and 4 take the places of 1 and 2."""
    known = kept(page(1), page(2), page(3), page(4), limit=4)
    known.serve([page(1), page(2)])
    known.serve([page(3), page(4)])
    assert [known.insert(page(n)) for n in (5, 6, 7)] == [1, 2, 5]


SITES = st.lists(st.sets(st.integers(0, 7)), min_size=1, max_size=8)


@given(SITES, st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_it_is_a_largest_one_by_all_subsets(site: list[set[int]], links: list[int], avoid: set[int]) -> None:
    known = kept(*(page(name, *targets) for name, targets in enumerate(site)))
    names = found(known, *links, avoid=tuple(avoid))
    candidates = [name for name in links if name < len(site) and name not in avoid]
    complete = [
        some
        for size in range(SIZE + 1)
        for some in combinations(candidates, size)
        if all(b in site[a] and a in site[b] for a, b in combinations(some, 2))
    ]
    assert tuple(names) in complete
    assert len(names) == max(map(len, complete))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sets(st.integers(0, 9)), st.booleans()), max_size=30),
    st.integers(1, 6),
)
def test_it_is_bounded_and_the_same_after_a_snapshot(
    arriving: list[tuple[int, set[int], bool]], limit: int
) -> None:
    known = LinkedPages(limit=limit)
    for name, links, serves in arriving:
        restored = again(known, limit)
        served = known.subdigraph(sorted(links))
        assert restored.subdigraph(sorted(links)) == served
        lefts = []
        for one in (known, restored):
            if serves:
                one.serve(served)
            lefts.append(one.insert(page(name, *links)))
            check(one)
        assert lefts[0] == lefts[1]
        assert restored.snapshot() == known.snapshot()
        assert len(known) <= limit
        assert name in known


def test_only_the_first_candidates_are_looked_at() -> None:
    known = kept(*(page(n) for n in range(MOST_PAGES)), page(90, 91), page(91, 90), limit=100)
    assert found(known, *range(MOST_PAGES), 90, 91) == [0]
    assert found(known, *range(MOST_PAGES - 2), 90, 91) == [90, 91]


def test_a_page_goes_by_its_name_and_its_links_too() -> None:
    menu = "<a href=/tea/>T</a><a href=/milk.html>M</a><a href=/milk>M</a><a href=//x.org/tea>X</a>"
    tree = Nodes(Page(menu, "http://e.org/index.html"))
    names = [name_key(f"http://e.org/{name}") for name in ("tea", "milk", "milk")]
    assert linked_names(tree) == names
    one = linked_page(tree, names)
    assert one is not None
    assert (one.name, one.links) == (name_key("http://e.org"), set(names))


@pytest.mark.parametrize("text", ["", "<p>tea & milk", "<p>\udcff 茶", "<div>" * 5_000 + "tea"])
def test_a_tree_can_be_built_again(text: str) -> None:
    tree = Nodes(Page(text, "http://e.org/"))
    one = linked_page(tree, [])
    assert one is not None
    assert tree_of(one.html, Limits()).keys.tolist() == tree.keys.tolist()


def test_pages_that_are_too_large_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Nodes(Page("<p>tea<p>milk", "http://e.org/"))
    cut = Nodes(Page("<p>tea<p>milk", "http://e.org/", Limits(max_tags=1)))
    assert linked_page(cut, []) is None
    for name, most in (("MOST_NODES", len(tree)), ("MOST_BYTES", len(linked_page(tree, []).html))):  # type: ignore[union-attr]
        monkeypatch.setattr(linked_pages, name, most)
        assert linked_page(tree, []) is not None
        monkeypatch.setattr(linked_pages, name, most - 1)
        assert linked_page(tree, []) is None
        monkeypatch.undo()
    monkeypatch.setattr(linked_pages, "MOST_LINKS", 2)
    assert linked_page(tree, [7, 8, 9]).links == {7, 8}  # type: ignore[union-attr]


def test_a_page_that_would_unpack_to_more_than_any_that_is_stored_takes_no_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(linked_pages, "MOST_CHARACTERS", 1_000)
    assert linked_page(Nodes(Page("<p>tea" * 200, "http://e.org/")), []) is None
    bomb = kept(LinkedPage(1, frozenset(), zlib.compress(bytes(2**26)))).snapshot()
    tracemalloc.start()
    with pytest.raises(InvalidSnapshot, match="longer"):
        LinkedPages(limit=4).restore(bomb)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@pytest.mark.parametrize(
    "written",
    [
        "/tea",
        "/tea/",
        "/tea#top",
        *(f"/tea{end}" for end in (".html", ".htm")),
        *(f"/tea/index.{end}" for end in ("html", "htm", "php")),
    ],
)
def test_a_page_has_one_name_however_a_link_is_written(written: str) -> None:
    assert name_key(f"http://e.org{written}") == name_key("http://e.org/tea")


@pytest.mark.parametrize("written", ["/Tea", "/tea.php", "/tea?page=2", "/tea/milk.html", "/"])
def test_another_page_has_another_name(written: str) -> None:
    assert name_key(f"http://e.org{written}") != name_key("http://e.org/tea")
