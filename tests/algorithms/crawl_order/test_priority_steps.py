"""Crawl order: what makes a link wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.priority_steps import (
    POLICIES,
    LinkEvidence,
    promise_step,
    template_step,
    value_step,
)

evidence = st.builds(
    LinkEvidence,
    st.integers(0, 9),
    st.integers(0, 9),
    st.booleans(),
    st.floats(0, 9),
    st.none() | st.floats(0, 1),
)


@pytest.mark.parametrize(
    ("template_pagelets", "content_pagelets", "is_pagination", "step"),
    [
        (0, 0, False, 0),
        (1, 0, False, -1),
        (9, 0, False, -1),
        (9, 1, False, 0),
        (0, 1, False, 0),
        (1, 0, True, 0),
        (0, 0, True, 0),
        (1, 1, True, 0),
    ],
)
def test_a_link_of_template_pagelets_alone_waits(
    template_pagelets: int, content_pagelets: int, is_pagination: bool, step: int
) -> None:
    found = LinkEvidence(template_pagelets, content_pagelets, is_pagination)
    assert template_step(found) == step


@given(evidence)
def test_no_policy_goes_below_its_lowest_step_nor_far_forward(found: LinkEvidence) -> None:
    for policy in POLICIES.values():
        assert policy.lowest <= policy.step(found) <= (100 if policy.name == "focus" else 1)
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


@given(evidence)
def test_seeing_a_link_in_content_brings_it_back(found: LinkEvidence) -> None:
    more = found._replace(content_pagelets=found.content_pagelets + 1)
    assert template_step(more) == 0 >= template_step(found)


def test_nothing_known_of_a_link_leaves_it_in_place() -> None:
    assert all(policy.step(LinkEvidence()) == 0 for policy in POLICIES.values())


def test_policies_are_found_by_their_names() -> None:
    assert {name: policy.step for name, policy in POLICIES.items() if name != "off"} == {
        "adaptive": value_step,
        "targets": value_step,
        "template": template_step,
        "focus": promise_step,
    }
