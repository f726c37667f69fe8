"""The page types of a site: told apart, bounded, and the same after a pause."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.sites.generated import generate_demo_site
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory import leaves as leaves_room
from templcrawl.memory import page_types, profile_table
from templcrawl.memory.page_types import PageTypes
from templcrawl.page.arrays import Keys


def keys(*features: int) -> Keys:
    return np.array(sorted(set(features)), dtype=np.uint64)


def site_of(kinds: int, pages: int, seed: int = 1) -> list[tuple[int, Keys]]:
    """Pages of so many types: 20 features of the type, 20 of the site, three by chance."""
    chance = random.Random(seed)
    found = []
    for _ in range(pages):
        kind = chance.randrange(kinds)
        own = range(100 * kind + 1000, 100 * kind + 1020)
        found.append((kind, keys(*range(20), *own, *chance.sample(range(5000, 5400), 3))))
    return found


def changed(snapshot: dict, change: dict) -> dict:
    """A snapshot with other entries, of its parts too where those are given by name."""
    parts = {
        name: changed(snapshot[name], value) if isinstance(value, dict) and value else value
        for name, value in change.items()
    }
    return {**snapshot, **parts}


def test_pages_of_one_type_share_a_template_and_others_have_another() -> None:
    types = PageTypes()
    pages = site_of(4, 120)
    leaves = [types.learn(features) for _, features in pages]
    types.validate()
    templates = types.templates()
    told = {(kind, templates[leaf]) for (kind, _), leaf in zip(pages, leaves)}
    assert len(told) == len({kind for kind, _ in told}) == len({template for _, template in told}) == 4


def test_the_templates_of_the_demo_site_are_found() -> None:
    from templcrawl import Page

    types = PageTypes()
    pages = [page for page in generate_demo_site().pages.values() if page.kind != "calendar"]
    leaves = [types.learn(Page(page.html, "").structure) for page in pages]
    templates = types.templates()
    kinds: dict[int, set[str]] = {}
    for page, leaf in zip(pages, leaves):
        kinds.setdefault(templates[leaf], set()).add(page.template)
    assert all(len(names) == 1 for names in kinds.values())


def test_a_page_seen_again_is_in_its_leaf() -> None:
    types = PageTypes()
    pages = site_of(3, 50)
    leaves = [types.learn(features) for _, features in pages]
    again = [types.learn(features) for _, features in pages]
    assert [types.current(leaf) for leaf in leaves] == [types.current(leaf) for leaf in again]


@given(st.integers(0, 80), st.integers(1, 5))
@settings(deadline=None, max_examples=15)
def test_going_on_from_a_snapshot_gives_the_same_answers(pause: int, kinds: int) -> None:
    pages = site_of(kinds, 80, seed=pause)
    straight = PageTypes()
    for _, features in pages[:pause]:
        straight.learn(features)
    paused = PageTypes()
    paused.restore(json.loads(json.dumps(straight.snapshot())))
    for _, features in pages[pause:]:
        assert paused.learn(features) == straight.learn(features)
    assert paused.templates() == straight.templates()
    assert paused.snapshot() == straight.snapshot()


def test_the_features_of_three_pages_are_weighed_where_their_weights_are_read() -> None:
    (_, first), (_, second), (_, third) = site_of(3, 3)
    types = PageTypes()
    for features in (first, second, third):
        types.learn(features)
    weights = types.views()[0].feature_weights
    assert types.find(first[:-1]) == 0
    assert weights.any()
    assert types.leaves.table._weights[: len(weights)].tolist() == weights.tolist()


def test_leaves_features_and_pages_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, cap in (
        (profile_table, "MAX_ROWS", 40),
        (leaves_room, "MAX_FEATURES", 600),
        (leaves_room, "MAX_SEEN", 50),
    ):
        monkeypatch.setattr(module, name, cap)
    chance = random.Random(3)
    types = PageTypes()
    for _ in range(400):
        types.learn(keys(*chance.sample(range(3000), 12)))
        types.validate()
    snapshot = types.snapshot()
    assert len(snapshot["leaves"]["ids"]) <= 40
    assert set(types.templates()) == set(range(len(types.leaves.keys)))


def test_an_empty_page_and_an_empty_site_are_ordinary() -> None:
    types = PageTypes()
    assert types.templates() == {}
    types.refit()
    for _ in range(40):
        types.learn(keys())
    types.validate()
    assert len(set(types.templates().values())) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"leaves": 3},
        {"leaves": {"pages": "x"}},
        {"leaves": {"pages": 7}},
        {"leaves": {"keys": ""}},
        {"leaves": {"table": {}}},
        {"leaves": {"seen_leaves": "AAAA"}},
        {"template_of": ""},
        {"names": {"pages": ""}},
        {"anchors": {}},
        {"next_view": 700},
        {"with_urls": 41},
    ],
)
def test_a_snapshot_that_is_none_is_refused(change: dict) -> None:
    types = PageTypes()
    for _, features in site_of(2, 40):
        types.learn(features)
    with pytest.raises(InvalidSnapshot):
        PageTypes().restore(changed(types.snapshot(), change))


def test_a_leaf_that_was_merged_into_itself_is_refused() -> None:
    types = PageTypes()
    for _, features in site_of(2, 40):
        types.learn(features)
    snapshot = types.snapshot()
    with pytest.raises(InvalidSnapshot, match="merges"):
        PageTypes().restore(changed(snapshot, {"leaves": {"into": snapshot["leaves"]["merged"]}}))


@pytest.mark.parametrize(
    "change",
    [{"pages": [1.0]}, {"rows": "AAAA"}, {"weights": ["x"]}, {"features": 3}, {"pages": [1.0] * 257}],
)
def test_a_table_that_is_none_is_refused(change: dict) -> None:
    table = profile_table.ProfileTable()
    for number in range(3):
        table.count(table.new_row(), table.columns_of(keys(1, 2, number)))
    with pytest.raises(InvalidSnapshot):
        profile_table.ProfileTable().restore({**table.snapshot(), **change})


def test_the_running_view_gives_a_new_leaf_the_template_of_the_nearest() -> None:
    types = PageTypes()
    pages = site_of(3, 90)
    leaves = []
    for _, features in pages:
        leaves.append(types.learn(features))
    assert {types.template(leaf) for leaf in leaves} == set(types.templates().values())


def emitted_of_a_burst() -> tuple[set[int], list[int]]:
    """Names of 60 pages of two types, then those of eight pages of a third, under addresses of its own.

    The third type shares 15 of the 20 features of the second: its pages are 0.45 from it over both views.
    """
    types = PageTypes()
    of_types = {}
    for number, (kind, of_page) in enumerate(site_of(2, 60)):
        leaf = types.learn(of_page, url=keys(*range(100 * kind, 100 * kind + 5), 5000 + number))
        of_types[kind] = types.template(leaf)
    third = {*range(20), *range(1100, 1115), *range(7000, 7005)}
    emitted = [
        types.template(types.learn(keys(*third, 8000 + page), url=keys(*range(300, 305), 6000 + page)))
        for page in range(8)
    ]
    return set(of_types.values()), emitted


def test_pages_of_a_new_type_have_their_own_name_from_the_first_on() -> None:
    known, emitted = emitted_of_a_burst()
    assert len(set(emitted)) == 1
    assert emitted[0] not in known


def test_beyond_so_many_leaves_a_strange_page_waits_for_the_next_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page_types, "MOST_LEAVES_AT_ONCE", 0)
    known, emitted = emitted_of_a_burst()
    assert emitted[0] in known
    assert emitted[-1] not in known


@given(st.integers(0, 1_000), st.integers(1, 6))
@settings(deadline=None, max_examples=15)
def test_a_strange_page_is_named_by_the_view_of_all_pages(seed: int, kinds: int) -> None:
    types = PageTypes()
    strange = 0
    for _, of_page in site_of(kinds, 60, seed):
        table = types.leaves.table
        is_strange = table.nearest(table.columns_of(of_page, learn=False))[1] > page_types.STRANGE_DISTANCE
        is_known = types.find(of_page) is not None and types.leaves.row_of_equal(of_page) is not None
        leaf = types.learn(of_page)
        types.validate()
        if is_strange and not is_known:
            strange += 1
            assert types.template(leaf) == types.templates()[leaf]
    assert strange


def test_to_find_a_page_learns_nothing() -> None:
    types = PageTypes()
    assert types.find(keys(1, 2)) is None
    pages = site_of(2, 60)
    leaves = [types.learn(features) for _, features in pages]
    unread = {"leaves": {"seen": None, "seen_leaves": None}}
    before = changed(types.snapshot(), unread)
    assert [types.find(features) for _, features in pages] == [types.current(leaf) for leaf in leaves]
    assert types.find(keys(*range(20), *range(1000, 1020), 9_999)) is not None
    assert changed(types.snapshot(), unread) == before


def test_check_finds_a_count_that_is_wrong() -> None:
    types = PageTypes()
    types.learn(keys(1, 2))
    types.leaves.pages = 5
    with pytest.raises(BrokenInvariant):
        types.validate()


@pytest.mark.parametrize(("features", "is_like"), [(14, True), (8, False)])
def test_a_new_leaf_has_the_template_of_the_nearest_if_that_is_near(
    features: int, is_like: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page with 14 of the 20 features of its type is 0.33 from it, one with 8 of them 0.62."""
    monkeypatch.setattr(page_types, "MOST_LEAVES_AT_ONCE", 0)
    types = PageTypes()
    pages = site_of(3, 120)
    for _, of_page in pages:
        types.learn(of_page)
    types.refit()
    types._renew_view()
    known = len(types.leaves.keys)
    for kind in range(3):
        whole = next(of_page for of_kind, of_page in pages if of_kind == kind)
        of_type = types.template(types.find(whole))
        leaf = types.learn(keys(*range(20), *range(100 * kind + 1000, 100 * kind + 1000 + features)))
        assert leaf == known + kind
        assert (types.template(leaf) == of_type) is is_like
