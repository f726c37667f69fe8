"""The leaves of a site: tight groups of pages by ids that never change, those near, bounded, merged."""

from __future__ import annotations

import random

import pytest

from templcrawl.algorithms.page_types.page_profiles import feature_weights
from templcrawl.memory import leaves as leaves_module
from templcrawl.memory import profile_table
from templcrawl.memory.leaves import FIRST_REFIT, FIRST_WEIGHING, MAX_ADDRESSES, NEAR, LeafDistances, Leaves
from templcrawl.page.page import Page
from tests.memory.invariants import check
from tests.memory.pages import article, listing
from tests.memory.typed_pages import keys, page_with, site_of


def learned(pages: int = 40, kinds: int = 2) -> Leaves:
    leaves = Leaves("a.example")
    for _, features in site_of(kinds, pages):
        leaves.learn(features)
    check(leaves)
    return leaves


def two_types(count: int) -> list[Page]:
    return [page for number in range(count) for page in (article(number), listing(number))]


def test_a_worked_example() -> None:
    """Four pages of one structure are a leaf; a page of another starts its own, and neither is near."""
    leaves = Leaves("example.org")
    places = [leaves.place(article(number), learn=True) for number in range(4)]
    other = leaves.place(listing(1), learn=True)
    assert [place.leaf for place in (*places, other)] == [0, 0, 0, 0, 1]
    assert {place.leaf_id for place in places} == {leaves.name(0)}
    assert other.leaf_id == leaves.name(1)
    assert other.leaf_id.startswith("example.org#")
    assert (other.is_near(1), other.is_near(0)) == (True, False)
    assert (other.distance(1), other.distance(0) > NEAR) == (0.0, True)
    assert leaves.pages == 5


def test_the_first_pages_are_near_their_own_leaf_alone() -> None:
    leaves = Leaves("example.org")
    for number, page in enumerate(two_types(2)[: FIRST_WEIGHING - 1]):
        place = leaves.place(page, learn=True)
        assert {leaf for leaf in range(number + 1) if place.is_near(leaf)} == {place.leaf}


def test_leaves_of_pages_that_differ_a_little_are_near_and_those_of_other_types_are_far() -> None:
    """A page with 14 of the 20 features of its type is a leaf of its own, near that type alone."""
    leaves, pages = Leaves("a.example"), site_of(3, 120)
    of_type = {kind: leaves.learn(features).leaf for kind, features in pages}
    leaves.refit()
    for kind in range(3):
        page = page_with(keys(*range(20), *range(100 * kind + 1000, 100 * kind + 1014)))
        place = leaves.place(page, learn=True)
        assert place.leaf not in of_type.values()
        assert [other for other, leaf in of_type.items() if place.is_near(leaf)] == [kind]


def test_an_id_never_changes_and_merged_leaves_stay_near() -> None:
    leaves = Leaves("a.example")
    pages = [page_with(features) for _, features in site_of(3, 90)]
    first = [leaves.place(page, learn=True) for page in pages]
    check(leaves)
    merged = {leaf for leaf in range(len(leaves.keys)) if leaves.current(leaf) != leaf}
    assert len(merged) > FIRST_REFIT // 2
    for page, place in zip(pages, first):
        found = leaves.find(place.leaf_id, page)
        assert found is not None
        assert found.leaf_id == place.leaf_id
        assert found.leaf == leaves.current(place.leaf)
        assert found.distance(place.leaf) == 0
        assert {leaf for leaf in merged if found.is_near(leaf)} == {
            leaf for leaf in merged if found.is_near(leaves.current(leaf))
        }
    assert merged & {place.leaf for place in first}


def test_a_leaf_that_is_not_known_is_not_found() -> None:
    leaves = learned()
    assert leaves.find("a.example#0123456789ab", article(1)) is None
    assert leaves.number("a.example#0123456789ab") is None
    for leaf in range(len(leaves.keys)):
        assert leaves.number(leaves.name(leaf)) == leaves.current(leaf)


def test_leaves_features_addresses_and_pages_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, cap in (
        (profile_table, "MAX_ROWS", 40),
        (leaves_module, "MAX_FEATURES", 600),
        (leaves_module, "MAX_SEEN", 50),
    ):
        monkeypatch.setattr(module, name, cap)
    chance, leaves = random.Random(3), Leaves("a.example")
    for number in range(400):
        leaves.learn(keys(*chance.sample(range(3000), 12)), address=f"http://a.example/{number}" * 30)
        check(leaves)
    assert len(leaves.ids) <= 40
    assert max(map(len, leaves.addresses.values())) == MAX_ADDRESSES
    assert leaves.counted().types().keys() == set(leaves.keys)


def test_an_empty_page_and_an_empty_site_are_ordinary() -> None:
    leaves = Leaves("a.example")
    assert leaves.counted().types() == {}
    leaves.refit()
    for _ in range(40):
        leaves.learn(keys())
    check(leaves)
    assert len(set(leaves.counted().types().values())) == 1


def test_the_features_of_the_first_pages_are_weighed_where_their_weights_are_read() -> None:
    leaves = Leaves("a.example")
    for _, features in site_of(3, FIRST_WEIGHING - 1):
        leaves.learn(features)
    assert not leaves.structure.is_weighed
    leaves.learn(site_of(3, FIRST_WEIGHING)[-1][1])
    weights = feature_weights(leaves.structure.counts, leaves.structure.pages)
    assert weights.any()
    assert leaves.structure._weights[: len(weights)].tolist() == weights.tolist()


def test_a_place_is_a_plain_tuple() -> None:
    place = LeafDistances(3, "a.example#1", {3: 0.0, 5: 0.9, 6: 0.3}, {1: 3, 2: 1})
    assert [place.is_near(leaf) for leaf in (1, 2, 3, 5, 6, 7)] == [True, True, True, False, True, False]
    assert place.distance(7) == float("inf")
