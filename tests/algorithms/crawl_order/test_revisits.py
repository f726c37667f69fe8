"""Classes of known pages, what is expected of them, and when it is too little to go on."""

from __future__ import annotations

from itertools import product
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.count_bounds import bound_of, chance_of_at_most
from templcrawl.algorithms.crawl_order.revisits import (
    FIRST,
    HUB,
    HUB_CHANGED,
    JUST,
    MAX_VALUE,
    NEVER,
    NO_HUB_CHANGED,
    ONCE,
    STRENGTHS,
    ClassOfPages,
    History,
    Remainder,
    Sums,
    revisit_group,
)

WEEK = 604_800.0
POSTS, DOCS = 1 << 7, 2 << 7  # groups


def history(shortest: float = 0.0, factors: dict[int, tuple[float, float]] | None = None) -> History:
    """Return what is known of a site where posts have changed on half of their visits, and docs on none."""
    groups = {POSTS: Sums(200, 100, 200 * WEEK), DOCS: Sums(200, 0, 200 * WEEK)}
    return History(Sums(400, 100, 400 * WEEK), groups, factors or {}, shortest)


def test_a_class_has_a_key_from_which_it_can_be_made_again() -> None:
    group = revisit_group("http://x.org/blog/1.html")
    of = [
        ClassOfPages(group | hub, state, signal)
        for hub, state, signal in product((0, HUB), range(4), range(5))
    ]
    assert [ClassOfPages.from_key(one.key) for one in of] == of
    assert len({one.key for one in of}) == len(of)
    assert all(one.key % 2 and one.key < 2**64 for one in of)
    assert len({factor for one in of for factor in one.factors}) == 8 + 10


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://x.org/blog/tea.html", "http://x.org/blog/cups/", True),
        ("http://x.org/blog/tea/index.html", "http://x.org/blog/cups/index.php", True),
        ("http://x.org/2026/11/a", "http://x.org/2025/3/b?page=2", True),
        ("http://x.org/blog/tea.html", "http://x.org/docs/tea.html", False),
        ("http://x.org/blog/tea/notes/1", "http://x.org/blog/tea/2", False),
    ],
)
def test_pages_of_one_directory_are_one_group(one: str, other: str, same: bool) -> None:
    assert (revisit_group(one) == revisit_group(other)) is same


def test_what_groups_show_says_how_unlike_they_are() -> None:
    posts, strength = history().share_of(POSTS)
    assert posts == pytest.approx(0.5, abs=0.02)
    assert strength > 100
    assert history().share_of(DOCS)[0] < 0.02
    alike = {group: Sums(40, 10, 40 * WEEK) for group in range(128, 128 * 20, 128)}
    other = History(Sums(760, 190, 760 * WEEK), alike, {}, 0.0)
    few = {**alike, POSTS: Sums(4, 0, 4 * WEEK)}
    assert other.share_of(5)[0] == pytest.approx(0.25, abs=0.01)  # a group that nobody has seen
    assert History(Sums(764, 190, 764 * WEEK), few, {}, 0.0).share_of(POSTS)[0] > 0.2


def test_states_and_signals_have_learned_factors() -> None:
    changed, same = ClassOfPages(POSTS, JUST), ClassOfPages(POSTS, NEVER)
    learned = history(factors={changed.factors[0]: (95, 45), same.factors[0]: (5, 45)})
    base = learned.share_of(POSTS)[0]
    assert learned.begin_class(changed).share == pytest.approx(min(0.95, base * 2))
    assert learned.begin_class(same).share == pytest.approx(base * 10 / 50)
    assert dict(learned.expected_by_factors(same)) == {
        same.factors[0]: pytest.approx(base),
        same.factors[1]: pytest.approx(base * 10 / 50),
    }


def test_the_longer_ago_a_page_was_read_the_more_probably_it_has_changed() -> None:
    posts = history().begin_class(ClassOfPages(POSTS, NEVER))
    chances = [float(posts.chance(weeks * WEEK)) for weeks in (0, 0.1, 1, 3)]
    assert chances[0] == 0 < chances[1] < 0.1 < chances[2] < chances[3] < 1
    assert chances[2] == pytest.approx(posts.share)
    assert history(shortest=WEEK).begin_class(ClassOfPages(POSTS, NEVER)).chance(0) == pytest.approx(
        posts.share
    )


def test_what_this_crawl_shows_more_is_believed_at_once_and_less_only_slowly() -> None:
    posts, docs = ClassOfPages(POSTS, NEVER).key, ClassOfPages(DOCS, NEVER).key
    left = Remainder(history())
    for key in (posts, docs):
        for _ in range(100):
            left.add(key, WEEK)
    assert left[posts].rate() == pytest.approx(0.5, abs=0.02)
    for _ in range(5):
        left.note_read(docs, changed=True)
        left.note_read(posts, changed=False)
    assert left[docs].rate() > 0.5
    assert left[posts].rate() > 0.45
    assert left.unread == 190
    assert left.mean == pytest.approx(95 * (left[posts].rate() + left[docs].rate()))


@given(
    st.lists(st.tuples(st.sampled_from(["add", "read", "changed", "remove"]), st.integers(0, 2)), max_size=60)
)
def test_the_sums_are_those_of_all_classes(steps: list[tuple[str, int]]) -> None:
    keys = [ClassOfPages(group, state).key for group, state in ((POSTS, ONCE), (DOCS, NEVER), (POSTS, JUST))]
    left, unread = Remainder(history()), dict.fromkeys(keys, 0)
    for step, number in steps:
        key = keys[number]
        if step == "add":
            left.add(key, WEEK * number)
        elif unread[key] and step == "remove":
            left.remove(key)
        elif unread[key]:
            left.note_read(key, changed=step == "changed")
        else:
            continue
        unread[key] += 1 if step == "add" else -1
        assert 0 <= left.value(key) < MAX_VALUE
    assert left.unread == sum(unread.values())
    assert {key: left[key].unread for key in keys} == unread
    mean = sum(unread[key] * left[key].rate() for key in keys)
    assert left.mean == pytest.approx(mean, abs=1e-9)
    assert left.variance >= -1e-9


def test_hubs_come_first_then_a_sample_of_each_class_then_what_changes_most() -> None:
    hubs, posts, docs = (
        ClassOfPages(POSTS | HUB, NEVER).key,
        ClassOfPages(POSTS, NEVER).key,
        ClassOfPages(DOCS, NEVER, NO_HUB_CHANGED).key,
    )
    left = Remainder(history())
    for key in (hubs, posts, docs):
        for _ in range(16):
            left.add(key, WEEK)
    assert left.value(hubs) > left.value(posts) > left.value(docs) >= FIRST
    left[posts].asked = left[docs].asked = 4
    assert FIRST > left.value(posts) > left.value(docs)
    assert left.value(ClassOfPages(DOCS, ONCE, HUB_CHANGED).key) >= FIRST


@pytest.mark.parametrize(
    ("mean", "variance"), [(0.1, 0.1), (2.0, 2.0), (2.0, 9.0), (30.0, 80.0), (55.0, 200.0)]
)
def test_the_distribution_has_its_mean_and_its_variance(mean: float, variance: float) -> None:
    chances = [chance_of_at_most(limit, mean, variance) for limit in range(200)]
    each = [later - earlier for earlier, later in zip([0.0, *chances], chances)]
    assert chances == sorted(chances)
    assert sum(number * chance for number, chance in enumerate(each)) == pytest.approx(mean, rel=0.01)
    second = sum((number - mean) ** 2 * chance for number, chance in enumerate(each))
    assert second == pytest.approx(variance, rel=0.05)


def test_the_approximation_for_many_goes_on_where_the_sum_ends() -> None:
    for limit in (50, 60, 75):
        below, above = chance_of_at_most(limit, 59.99, 150.0), chance_of_at_most(limit, 60.01, 150.0)
        assert above == pytest.approx(below, abs=0.02)
    assert chance_of_at_most(0, 1.0, 1.0) == pytest.approx(exp(-1), abs=0.001)


@given(st.floats(0.01, 500), st.floats(1, 20), st.integers(1, 1_000))
def test_no_smaller_number_is_a_bound(mean: float, spread: float, most: int) -> None:
    bound = bound_of(mean, mean * spread, most)
    assert bound == most or chance_of_at_most(bound, mean, mean * spread) >= 0.9
    assert not bound or chance_of_at_most(bound - 1, mean, mean * spread) < 0.9


def test_a_crawl_ends_when_it_is_sure_that_little_is_left_and_not_before_it_knows_the_site() -> None:
    left = Remainder(history())
    key = ClassOfPages(DOCS, NEVER).key
    for _ in range(100):
        left.add(key, WEEK)
    assert 0 < left.mean < 1
    enough = {"known": 100, "crawls": 2}
    assert left.is_over(100, 0.05, **enough)
    assert not left.is_over(5, 0.05, **enough)  # one change of these few is more than a share of .05
    assert left.is_over(0, 3, **enough)
    assert not left.is_over(100, 0, **enough)
    assert not left.is_over(100, 0.05, known=100, crawls=1)
    assert not left.is_over(100, 0.05, known=1_000, crawls=2)  # it has read nearly all
    quiet = Remainder(History(Sums(400, 4, 400 * WEEK), {}, {}, 0.0))
    assert not quiet.is_over(100, 0.05, known=0, crawls=9)
    assert len(STRENGTHS) == len({*STRENGTHS})
