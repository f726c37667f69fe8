"""The value of a link from the pay of its classes; when a site is spent; what makes a link wait."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.link_value import (
    LAST_PAGES,
    MOST_PAY,
    POLICIES,
    LinkEvidence,
    RecentPay,
    class_yield,
    directory_class,
    link_value,
    pay_of,
    promise_step,
    template_step,
    value_step,
)

yields = st.floats(0, 9)


def test_twenty_words_of_a_page_are_free_and_500_the_most() -> None:
    assert [pay_of(words) for words in (0, 20, 21, 519, 520, 521, 10**9)] == [0, 0, 1, 499, 500, 500, 500]


@given(st.integers(0, 50), st.integers(0, MOST_PAY), st.floats(1, MOST_PAY))
def test_a_yield_lies_between_the_average_and_the_record(pages: int, each: int, mean: float) -> None:
    found = class_yield(pages, pages * each, mean)
    low, high = sorted((1.0, each / mean))
    assert low - 1e-9 <= found <= high + 1e-9 if pages else found == 1


@given(st.lists(yields, max_size=4), yields, yields)
def test_a_link_of_better_classes_is_worth_no_less(roles: list[float], one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert link_value(roles, low) <= link_value(roles, high)
    assert link_value([*roles, low], 1.0) <= link_value([*roles, high], 1.0)


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ("http://x.org/2026/11/cups", True),
        ("http://x.org/1/2/?page=3", True),
        ("http://x.org/2026/11/more/tea", False),
        ("http://y.org/2026/11/tea", False),
        ("http://[x", False),
    ],
)
def test_a_directory_is_known_with_its_numbers_read_as_0(other: str, is_same: bool) -> None:
    assert (directory_class("http://x.org/1999/01/tea") == directory_class(other)) == is_same


PAYS = st.lists(st.sampled_from([0, 0, 1, 3, 20, 80, 500]), max_size=150)


def spent_after(pays: list[int]) -> list[bool]:
    """Return page -> whether the site is spent after it, where these are all pages of the site."""
    recent = RecentPay()
    found = []
    for number, pay in enumerate(pays, 1):
        recent.update(pay, fmean(pays[:number]))
        found.append(recent.is_spent)
    return found


def test_a_site_by_hand() -> None:
    """After 60 pages of 100 words and n of none a page pays 6000 / (60 + n), the last 30 (3000 - 100 n) / 30.

    For n = 28 that is 6.67 against 6.82, a tenth of 68.2; for n = 27 it is 10 against 6.9.
    Then n pages of 40 words bring 40 n / 30 against (6000 + 40 n) / (100 + n): 10.67 / 58.5 = .18 for n = 8,
    12 / 58.3 = .21 for n = 9.
    """
    found = spent_after([100] * 60 + [0] * 40 + [40] * 12)
    assert found.index(True) == 60 + 28 - 1
    recovered = found.index(False, 88)
    assert recovered == 100 + 9 - 1
    assert not any(found[recovered:])


@given(PAYS)
def test_it_is_what_the_definition_says(pays: list[int]) -> None:
    """Oracle: all means computed anew from the list of all pages."""
    is_spent, expected = False, []
    for number in range(1, len(pays) + 1):
        mean, last = fmean(pays[:number]), pays[max(0, number - LAST_PAGES) : number]
        share = fmean(last) / mean if mean else 1.0
        if number >= LAST_PAGES:
            is_spent = share < (0.2 if is_spent else 0.1)
        expected.append(is_spent)
    assert spent_after(pays) == expected


evidence = st.builds(
    LinkEvidence,
    st.integers(0, 9),
    st.integers(0, 9),
    st.floats(0, 9),
    st.none() | st.floats(0, 1),
)


@pytest.mark.parametrize(
    ("template_pagelets", "content_pagelets", "step"),
    [(0, 0, 0), (1, 0, -1), (9, 0, -1), (9, 1, 0), (0, 1, 0), (1, 1, 0)],
)
def test_a_link_of_template_pagelets_alone_waits(
    template_pagelets: int, content_pagelets: int, step: int
) -> None:
    found = LinkEvidence(template_pagelets, content_pagelets)
    assert template_step(found) == step


@given(evidence)
def test_no_policy_goes_below_its_lowest_step_nor_far_forward(found: LinkEvidence) -> None:
    for policy in POLICIES.values():
        assert policy.lowest <= policy.step(found) <= (100 if policy.by_topic else 1)
    assert template_step(found) <= 0 == POLICIES["off"].step(found)


@given(evidence, st.floats(0, 9))
def test_of_two_links_the_one_of_the_higher_value_never_waits_longer(
    found: LinkEvidence, other: float
) -> None:
    low, high = sorted((found.value, other))
    step = value_step
    assert step(found._replace(value=low)) <= step(found._replace(value=high))


@given(evidence, st.floats(0, 1))
def test_promise_is_read_in_hundredths(found: LinkEvidence, promise: float) -> None:
    assert abs(promise_step(found._replace(promise=promise)) - 100 * promise) <= 0.5


def test_policies_are_found_by_their_names() -> None:
    assert {name: policy.step for name, policy in POLICIES.items() if name != "off"} == {
        "adaptive": value_step,
        "targets": value_step,
        "changes": value_step,
        "template": template_step,
        "focus": promise_step,
        "distiller": promise_step,
    }
