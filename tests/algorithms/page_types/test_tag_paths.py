from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.tag_paths import MAX_DEPTH, MAX_PATHS, PathChoice, PathCounts, tag_paths
from templcrawl.page.page import Page
from tests.strategies import soups, trees, written


def paths_of(html: str) -> list[str]:
    page = Page(html, "")
    return tag_paths(page.tokens, page.elements)


def test_the_paths_of_a_page_worked_by_hand() -> None:
    html = (
        '<html class=js><head><title>x</title></head><body class="page-12 wide">'
        '<ul><li class="a b"><a href=1>x</a><li><a href=2>y</a></ul><script>1</script></body></html>'
    )
    assert paths_of(html) == [
        "html",
        "html.js",
        "html > body",
        "html.js > body.page-#",
        "html.js > body.wide",
        "html > body > ul",
        "html.js > body.page-# > ul",
        "html > body > ul > li",
        "html.js > body.page-# > ul > li.a",
        "html.js > body.page-# > ul > li.b",
        "html > body > ul > li > a",
        "html.js > body.page-# > ul > li.a > a",
        "html.js > body.page-# > ul > li",
        "html.js > body.page-# > ul > li > a",
    ]


def test_a_page_without_elements_has_no_paths() -> None:
    assert paths_of("") == paths_of("words") == []


def test_depth_and_number_of_paths_are_bounded() -> None:
    assert len(paths_of("<div>" * 500)) == MAX_DEPTH
    assert (
        len(paths_of("".join(f"<p class={'abcdefghijkl'[n % 12] * (n // 12 + 1)}>" for n in range(3_000))))
        <= MAX_PATHS
    )
    assert paths_of("<html>" + "<p class=x9>" * 5_000) == ["html", "html > p", "html > p.x#"]


@given(soups)
def test_paths_are_distinct_whatever_the_page_holds(html: str) -> None:
    paths = paths_of(html)
    assert len(set(paths)) == len(paths) <= MAX_PATHS


@given(trees)
def test_every_path_stands_below_another(tree: list) -> None:
    paths = paths_of(written(tree, optional_ends=False))
    assert {path.rpartition(" > ")[0] for path in paths} <= {*paths, ""}


def test_the_choice_worked_by_hand() -> None:
    """Three articles and two lists: ``p`` is on 3 of 3 and 1 of 2, ``ul`` on 0 of 3 and 2 of 2."""
    counts = PathCounts()
    for group, paths in [
        (0, ["html", "html > p"]),
        (1, ["html", "html > p", "html > p > b"]),
        (7, ["html", "html > ul", "html > ul > li"]),
        (1, ["html", "html > p"]),
        (7, ["html", "html > p", "html > ul"]),
    ]:
        counts.count(group, paths)
    assert counts.best({0: 0, 1: 0, 7: 7}) == {
        0: PathChoice("html > p", 1.0, 0.5),
        7: PathChoice("html > ul", 1.0, 0.0),
    }


path_sets = st.lists(st.sampled_from(["a", "b", "a > b", "a > c", "a > b > c", "b.x"]), unique=True)
grouped = st.lists(st.tuples(st.integers(0, 4), path_sets), min_size=1, max_size=20)
merges = st.lists(st.integers(0, 4), min_size=5, max_size=5)


def best_by_brute_force(pages: list[tuple[int, list[str]]], cluster: int) -> PathChoice | None:
    here = [paths for group, paths in pages if group == cluster]
    rest = [paths for group, paths in pages if group != cluster]
    choices = []
    for path in {path for _, paths in pages for path in paths}:
        share = sum(path in paths for paths in here) / len(here)
        other = sum(path in paths for paths in rest) / len(rest) if rest else 1.0
        if share - other > 1e-9:
            rank = (-round(share - other, 9), path.count(" > "), len(path), path)
            choices.append((rank, PathChoice(path, share, other)))
    return min(choices)[1] if choices else None


@given(grouped, merges)
def test_the_choice_is_that_of_brute_force(pages: list[tuple[int, list[str]]], into: list[int]) -> None:
    counts = PathCounts()
    for group, paths in pages:
        counts.count(group, paths)
    found = counts.best(dict(enumerate(into)))
    pages = [(into[group], paths) for group, paths in pages]
    assert found == {cluster: best_by_brute_force(pages, cluster) for cluster, _ in pages}


@given(grouped, merges)
def test_merging_groups_changes_no_choice(pages: list[tuple[int, list[str]]], into: list[int]) -> None:
    counts = PathCounts()
    for group, paths in pages:
        counts.count(group, paths)
    before = counts.best(dict(enumerate(into)))
    counts.merge(into.__getitem__)
    assert counts.best({group: group for group in range(5)}) == before
    assert counts.pages == Counter(into[group] for group, _ in pages)


@given(grouped)
def test_a_full_table_keeps_its_bound_and_never_overcounts(pages: list[tuple[int, list[str]]]) -> None:
    bounded, exact = PathCounts(limit=4), PathCounts()
    for group, paths in pages:
        assert set(bounded.count(group, paths)) <= set(paths)
        exact.count(group, paths)
    assert len(bounded._paths) <= 4
    for cluster, choice in bounded.best({group: group for group in range(5)}).items():
        if choice:
            here = [choice.path in paths for group, paths in pages if group == cluster]
            assert choice.here <= sum(here) / len(here)


@pytest.mark.parametrize(
    ("samples", "typical"),
    [
        ([["a"], ["a", "b"], ["a", "b", "c"]], 1),  # profile a 1, b 2/3, c 1/3: 1/2, 5/7, 2/3
        ([["x"], ["a", "b", "c"]], 1),
        ([["a"], ["a"]], 0),
    ],
)
def test_the_most_typical_page_worked_by_hand(samples: list[list[str]], typical: int) -> None:
    counts = PathCounts()
    for paths in (["a"], ["a", "b"], ["a", "b", "c"]):
        counts.count(0, paths)
    assert counts.most_typical({0: 0}, {0: samples}) == {0: typical}
