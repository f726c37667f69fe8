"""The search of a complete subdigraph, against all subsets of small graphs."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.site_template.complete_subdigraph import (
    SubdigraphSearch,
    largest_clique,
)
from templcrawl.errors import InvalidOption

Site = dict[int, set[int]]
sites = st.integers(1, 7).flatmap(
    lambda size: st.fixed_dictionaries(
        {page: st.sets(st.integers(0, size - 1)).map(lambda links: links) for page in range(size)}
    )
)


def is_complete(site: Site, pages: tuple[int, ...]) -> bool:
    return all(b in site[a] for a in pages for b in pages if a != b)


def largest(site: Site, pages: list[int], at_most: int) -> int:
    """Try every subset."""
    return max(
        size
        for size in range(at_most + 1)
        if any(is_complete(site, some) for some in combinations(pages, size))
    )


def run(site: Site, **options: int | bool) -> SubdigraphSearch[int]:
    search = SubdigraphSearch(site, **options)  # type: ignore[arg-type]
    while (page := search.next_page()) is not None:
        search.add_page(page, site[page])
    return search


def complete(pages: str) -> dict[str, str]:
    return dict.fromkeys(pages, pages)


@given(sites, st.integers(1, 5), st.booleans())
def test_it_finds_the_largest_and_stops_as_soon_as_it_can(site: Site, size: int, follow: bool) -> None:
    search = run(site, size=size, most_pages=20, patience=20, follow_links=follow)
    assert is_complete(site, tuple(search.best))
    assert len(search.best) == largest(site, list(site), size)
    assert len(set(search.loaded)) == len(search.loaded)
    before_last = search.loaded[:-1]
    if len(search.best) == size:
        assert largest(site, before_last, size) < size


@given(sites)
def test_the_papers_order_is_that_of_the_links(site: Site) -> None:
    search = run(site, size=3, follow_links=False)
    assert search.loaded == [page for page in site if page in search.loaded]


def test_a_menu_is_found_among_other_links() -> None:
    site = {**complete("abcd"), "x": "abcd", "y": "abcd"}
    order = ["x", "y", "a", "b", "c", "d"]
    search = SubdigraphSearch(order)
    while (page := search.next_page()) is not None:
        search.add_page(page, site[page])
    assert search.loaded == ["x", "a", "b", "c", "d"]
    assert search.best == ["a", "b", "c", "d"]


def test_no_page_is_loaded_that_cannot_be_in_a_larger_set() -> None:
    search = SubdigraphSearch("abc", size=3)
    search.add_page("a", "b")
    assert search.next_page() == "b"
    search.add_page("b", "a")
    assert search.next_page() is None
    assert search.best == ["a", "b"]


def test_without_mutual_links_it_gives_up() -> None:
    search = run({page: set() for page in range(30)}, patience=5)
    assert (len(search.loaded), search.best) == (5, [0])


def test_it_loads_no_more_than_it_may() -> None:
    pairs = {page: {page ^ 1} for page in range(30)}
    search = run(pairs, most_pages=9)
    assert (len(search.loaded), len(search.best)) == (8, 2), "the ninth alone makes no set of three"


def test_a_page_that_could_not_be_loaded_is_in_no_set() -> None:
    search = SubdigraphSearch("ab", size=1)
    search.add_page("a", None)
    assert (search.best, search.next_page()) == ([], "b")


@pytest.mark.parametrize("options", [{"size": 0}, {"most_pages": 3}, {"patience": 0}, {"most_pages": 0}])
def test_numbers_that_are_not_accepted(options: dict[str, int]) -> None:
    with pytest.raises(InvalidOption, match=next(iter(options))):
        SubdigraphSearch("a", **options)


def test_a_page_is_told_once() -> None:
    search = SubdigraphSearch("a")
    search.add_page("a", "")
    with pytest.raises(InvalidOption, match="page"):
        search.add_page("a", "")


@given(sites)
def test_the_largest_clique_around_a_vertex(site: Site) -> None:
    graph = {a: {b for b in site[a] if b != a and a in site[b]} for a in site}
    for vertex in graph:
        found = largest_clique(graph, vertex, 10)
        with_vertex = [one for one in graph if one == vertex or one in graph[vertex]]
        wanted = max(
            size
            for size in range(1, len(with_vertex) + 1)
            for some in combinations(with_vertex, size)
            if vertex in some and is_complete(graph, some)
        )
        assert vertex in found
        assert is_complete(graph, tuple(found))
        assert len(found) == wanted


def test_of_equal_cliques_the_first_in_the_order_of_the_graph_is_found() -> None:
    assert largest_clique({1: {2, 3}, 2: {1}, 3: {1}}, 1, 2) == {1, 2}


def test_a_large_graph_without_large_cliques_is_bounded() -> None:
    parts = 12
    graph = {a: {b for b in range(40) if a % parts != b % parts} for a in range(40)}
    assert len(largest_clique(graph, 0, 40)) == parts
