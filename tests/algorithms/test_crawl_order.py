"""Crawl order: what makes a link wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order import POLICIES, AsFound, LinkEvidence, TemplateLinksWait

evidence = st.builds(LinkEvidence, st.integers(0, 9), st.integers(0, 9), st.booleans())


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
    assert TemplateLinksWait().step(found) == step


@given(evidence)
def test_no_policy_moves_a_link_by_more_than_one_step_and_never_forward(found: LinkEvidence) -> None:
    assert {policy.step(found) for policy in POLICIES.values()} <= {-1, 0}
    assert AsFound().step(found) == 0


@given(evidence)
def test_seeing_a_link_in_content_brings_it_back(found: LinkEvidence) -> None:
    more = found._replace(content_pagelets=found.content_pagelets + 1)
    assert TemplateLinksWait().step(more) == 0 >= TemplateLinksWait().step(found)


def test_nothing_known_of_a_link_leaves_it_in_place() -> None:
    assert all(policy.step(LinkEvidence()) == 0 for policy in POLICIES.values())


def test_policies_are_found_by_their_names() -> None:
    assert {name: type(policy) for name, policy in POLICIES.items()} == {
        "template": TemplateLinksWait,
        "off": AsFound,
    }
