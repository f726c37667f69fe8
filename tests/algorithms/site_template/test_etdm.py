"""The children of two nodes, paired.

The assignment of greatest total weight, against all permutations.

The equal top-down mapping: an example worked by hand, what it must be on any two pages, large pages.
"""

from __future__ import annotations

from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms.site_template import etdm as sibling_pairs
from templcrawl.algorithms.site_template.etdm import (
    MAX_PAIRS,
    Pair,
    SiblingPairing,
    best_pairs,
    content_spans,
    drop_hollow,
    etdm,
    extract_template,
    separate_by_mapping,
)
from templcrawl.algorithms.site_template.nodes import Equality, Node, Nodes, weighted
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from tests.strategies import soups, trees, written


def pair(a: str, b: str) -> tuple[list[Pair], list[Pair]]:
    """Pair the children of two documents; children are numbered from 0."""
    left, right = Nodes(Page(a, "")), Nodes(Page(b, ""))
    mine, theirs = left.children_of(0), right.children_of(0)
    found = SiblingPairing(left, right, weighted).pair(mine, theirs)
    return tuple([(mine.index(c), theirs.index(d)) for c, d in pairs] for pairs in found)  # type: ignore[return-value]


def test_the_same_below_another_tag_comes_next() -> None:
    same, equal = pair("<p class=on>a</p><p>b</p>", "<p>a</p><p class=on>b</p>")
    assert same == []
    assert sorted(equal) == [(0, 0), (1, 1)]


@pytest.mark.parametrize(("pairs", "weighed"), [(1_024, 3), (3, 100), (1_024, 100)])
def test_what_is_left_is_paired_by_weight_or_in_order(
    pairs: int, weighed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sibling_pairs, "MAX_PAIRS", pairs)
    monkeypatch.setattr(sibling_pairs, "MAX_WEIGHED", weighed)
    same, equal = pair(
        "<p class=a id=a>1</p><p class=b id=b>2</p>", "<p class=b id=b>3</p><p class=a id=a>4</p>"
    )
    assert same == []
    assert sorted(equal) == [(0, 1), (1, 0)]


def test_the_weighing_stops_for_the_whole_mapping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sibling_pairs, "MAX_WEIGHED", 4)
    left, right = Nodes(Page("<p>1</p><p>2</p>", "")), Nodes(Page("<p>3</p><p>4</p>", ""))
    asked: list[int] = []

    def equality(a: object, b: object) -> float:
        asked.append(1)
        return 1.0

    siblings = SiblingPairing(left, right, equality)
    for expected in (4, 2):
        asked.clear()
        assert siblings.pair(left.children_of(0), right.children_of(0))[1] == [(1, 1), (3, 3)]
        assert len(asked) == expected


matrices = st.integers(1, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.sampled_from([0, 0.25, 0.5, 0.75, 0.9, 1]), min_size=columns, max_size=columns),
        min_size=1,
        max_size=5,
    )
)


def greatest_total(weights: np.ndarray) -> float:
    """Try every way."""
    if weights.shape[0] > weights.shape[1]:
        weights = weights.T
    rows = range(weights.shape[0])
    return max(
        sum(weights[row, column] for row, column in zip(rows, columns))
        for columns in permutations(range(weights.shape[1]), len(rows))
    )


def test_no_rows_or_no_columns_make_no_pairs() -> None:
    assert best_pairs(np.zeros((0, 3))) == best_pairs(np.zeros((3, 0))) == []


def test_equal_weights_are_paired_in_order() -> None:
    assert best_pairs(np.eye(3)) == [(0, 0), (1, 1), (2, 2)]


@given(matrices)
def test_it_is_one_to_one_and_nothing_weighs_more(rows: list[list[float]]) -> None:
    weights = np.array(rows, dtype=float)
    pairs = best_pairs(weights)
    assert pairs == sorted(pairs)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    assert all(weights[pair] > 0 for pair in pairs)
    assert sum(weights[pair] for pair in pairs) == pytest.approx(greatest_total(weights))


KEY = (
    "<body><div id=head>The tea shop</div>"
    "<ul><li>Home<li class=active>Tea<li>Milk</ul>"
    "<div id=main class=text><h1>Green tea</h1><p>Best at <b>80</b> degrees</p></div>"
    "<p>Imprint</p></body>"
)
OTHER = (
    "<body><div id=head>The tea shop</div>"
    "<ul><li>Home<li>Tea<li class=active>Milk</ul>"
    "<div id=main class=text><h1>Oat milk</h1><table></table></div>"
    "<p>Imprint</p></body>"
)
"""
node of KEY          partner in OTHER      why
 0 document           0
 1 body               1                    a page has one
 2 div#head           2                    equal subtrees: with 3 the words below
 4 ul                 4                    the only ul
 5 li, 6 Home         5, 6                 equal subtrees
 7 li.active, 8 Tea   7, 8                 the same below, and equal: (0 + 1 + 1 + 1) / 4
 9 li, 10 Milk        9, 10                likewise
11 div#main          11                    equal
12 h1, 13 Green tea  12, -                 h1 is equal, its words differ
14 p ... 18          -                     no p there
19 p, 20 Imprint     15, 16                equal subtrees
"""
MAPPING = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -1, -1, -1, -1, -1, -1, 15, 16]

pages = soups | trees.map(lambda tree: written(tree, optional_ends=True))


def by_label(a: Node, b: Node) -> float:
    """Every two nodes of one label are equal, as in the paper's Figure 1."""
    return 1.0


equalities = st.sampled_from([weighted, by_label])


def nodes(html: str) -> Nodes:
    return Nodes(Page(html, "http://example.org/"))


def test_the_example_worked_by_hand() -> None:
    key, other = nodes(KEY), nodes(OTHER)
    assert etdm(key, other).tolist() == MAPPING


def test_its_template() -> None:
    key = nodes(KEY)
    template = extract_template(key, [nodes(OTHER)])
    assert template.tolist() == [partner >= 0 for partner in MAPPING]
    solid = drop_hollow(key, template)
    assert np.flatnonzero(template & ~solid).tolist() == [11, 12]
    separation = Separation(key.page, content_spans(key, solid))
    assert separation.content_text == "Green tea\nBest at 80 degrees"
    assert separation.template_text == "The tea shop\nHome\nTea\nMilk\nImprint"


def biggest(a: Nodes, b: Nodes, node: int = 0, other: int = 0) -> int:
    """Return how many nodes the biggest equal top-down mapping from two nodes on pairs, by trying all."""
    if a[node].label != b[other].label or weighted(a[node], b[other]) <= 0:
        return 0
    left, right = a.children_of(node), b.children_of(other)
    pairs = [[biggest(a, b, child, partner) for partner in right] for child in left]
    if len(left) > len(right):
        pairs = [list(column) for column in zip(*pairs)]
    places = permutations(range(max(len(left), len(right))), min(len(left), len(right)))
    return 1 + max(sum(row[place] for row, place in zip(pairs, chosen)) for chosen in places)


def random_tree(chance: Random, depth: int = 0) -> str:
    """Return the HTML of a random tree, three levels deep and four children wide at most."""
    children = chance.randint(1, 4) if depth < 2 else 0
    name = chance.choice(["div", "ul", "p", "span"]) if depth else "body"
    marked = chance.choice(["", " class=a", " class=b", " class='a b'"]) if depth else ""
    inside = [
        random_tree(chance, depth + 1) if chance.random() < 0.7 else f"<b>{chance.choice('xyz')}</b>"
        for _ in range(children)
    ]
    return f"<{name}{marked}>{''.join(inside) or chance.choice('xyz')}</{name}>"


def test_it_is_smaller_than_the_biggest_mapping_as_often_as_its_docstring_says() -> None:
    chance = Random(0)
    sizes = []
    for _ in range(300):
        tree, other = nodes(random_tree(chance)), nodes(random_tree(chance))
        sizes.append((int((etdm(tree, other) >= 0).sum()), biggest(tree, other)))
    assert all(ours <= most for ours, most in sizes)
    missed, most = sum(most - ours for ours, most in sizes), sum(most for _, most in sizes)
    smaller = sum(ours < most for ours, most in sizes)
    assert f"in {smaller} of 300 pairs" in (said := " ".join(str(SiblingPairing.__doc__).split()))
    assert f"by {missed} of {most:,} pairs of nodes" in said


def test_equality_is_a_parameter() -> None:
    a, b = nodes("<div class=a id=b><p></p></div>"), nodes("<div class=c id=d></div>")
    assert etdm(a, b).tolist() == [0, -1, -1]
    assert etdm(a, b, by_label).tolist() == [0, 1, -1]
    assert etdm(a, b, lambda x, y: 0.0).tolist() == [-1, -1, -1]


def test_a_page_whose_root_is_not_equal_says_nothing() -> None:
    key = nodes("<p>tea")
    assert extract_template(key, [nodes("<b>")], lambda a, b: float(a.label != "")).all()


@given(pages, pages, equalities)
def test_it_is_one_to_one_top_down_and_equal(a: str, b: str, equality: Equality) -> None:
    left, right = nodes(a), nodes(b)
    partners = etdm(left, right, equality).tolist()
    paired = [(node, partner) for node, partner in enumerate(partners) if partner >= 0]
    assert len({partner for _, partner in paired}) == len(paired) <= min(len(left), len(right))
    for node, partner in paired:
        assert left[node].label == right[partner].label
        if node:
            assert partners[left.parents[node]] == right.parents[partner]
        if equality is by_label or left.keys[node] != right.keys[partner]:
            assert equality(left[node], right[partner]) > 0


@given(pages, equalities)
def test_a_tree_maps_onto_itself(html: str, equality: Equality) -> None:
    tree = nodes(html)
    assert etdm(tree, nodes(html), equality).tolist() == list(range(len(tree)))
    template = extract_template(tree, [nodes(html)] * 2, equality)
    assert drop_hollow(tree, template).all()


@given(pages, st.lists(pages, min_size=1, max_size=3))
@settings(max_examples=50)
def test_a_further_page_never_adds_a_node(key: str, others: list[str]) -> None:
    tree = nodes(key)
    before = np.ones(len(tree), dtype=bool)
    for count in range(1, len(others) + 1):
        template = extract_template(tree, map(nodes, others[:count]))
        solid = drop_hollow(tree, template)
        assert not (template & ~before).any()
        assert not (solid & ~template).any()
        for node in np.flatnonzero(solid[1:]) + 1:
            assert template[tree.parents[node]]
        before = template


@given(pages, st.lists(pages, max_size=2))
def test_the_spans_are_what_is_no_template(key: str, others: list[str]) -> None:
    tree = nodes(key)
    template = extract_template(tree, map(nodes, others))
    separation = Separation(tree.page, content_spans(tree, template))
    content = tree.content_nodes(separation.content_mask)
    assert (content == ~template)[1:][tree.texts[1:]].all()


@given(pages, st.lists(pages, min_size=1, max_size=2))
def test_a_separation_is_what_is_left_of_the_template(key: str, others: list[str]) -> None:
    tree = nodes(key)
    template = drop_hollow(tree, extract_template(tree, map(nodes, others)))
    assert separate_by_mapping(tree, map(nodes, others)) == content_spans(tree, template)


@pytest.mark.parametrize("html", ["", "<p>tea"])
def test_without_other_pages_all_is_content(html: str) -> None:
    tree = nodes(html)
    assert sum(stop - start for start, stop in separate_by_mapping(tree, [])) == len(tree.page.tokens)


def test_a_deep_tree_does_not_recurse() -> None:
    deep = 10_000
    a, b = nodes("<div>" * deep + "tea"), nodes("<div>" * deep + "milk")
    assert int((etdm(a, b) >= 0).sum()) == deep + 1


@pytest.mark.parametrize("tag", ["<p>", "<p class=c{0}>"])
def test_many_siblings_are_paired_in_order(tag: str) -> None:
    many = MAX_PAIRS + 1
    a = nodes("".join(f"{tag.format(n)}<b>a{n}</b></p>" for n in range(many)))
    b = nodes("".join(f"{tag.format(n)}<b>b{n}</b></p>" for n in range(many)))
    partners = etdm(a, b).tolist()
    assert [partner for partner in partners if partner >= 0] == [
        node for node in range(len(a)) if not a.texts[node]
    ]
