"""The children of two nodes, paired."""

from __future__ import annotations

import pytest

from templcrawl.algorithms.site_template import sibling_pairs
from templcrawl.algorithms.site_template.node_equality import weighted
from templcrawl.algorithms.site_template.sibling_pairs import Pair, SiblingPairing
from templcrawl.page.nodes import Nodes
from templcrawl.page.page import Page


def pair(a: str, b: str) -> tuple[list[Pair], list[Pair]]:
    """Pair the children of two documents; children are numbered from 0."""
    left, right = Nodes(Page(a, "")), Nodes(Page(b, ""))
    mine, theirs = left.children_of(0), right.children_of(0)
    found = SiblingPairing(left, right, weighted).pair(mine, theirs)
    return tuple([(mine.index(c), theirs.index(d)) for c, d in pairs] for pairs in found)  # type: ignore[return-value]


def test_equal_subtrees_are_paired_in_order() -> None:
    assert pair("<p>a</p><p>b</p><p>a</p>", "<p>b</p><p>a</p>") == ([(0, 1), (1, 0)], [])


def test_the_same_below_another_tag_comes_next() -> None:
    same, equal = pair("<p class=on>a</p><p>b</p>", "<p>a</p><p class=on>b</p>")
    assert same == []
    assert sorted(equal) == [(0, 0), (1, 1)]


def test_the_same_below_a_tag_that_is_not_equal_is_no_reason() -> None:
    assert pair("<p class=x id=y>a<i></i></p><b></b>", "<b></b><p class=z id=q>a<i></i></p>") == (
        [(1, 0)],
        [],
    )


def test_what_is_left_is_paired_by_weight() -> None:
    same, equal = pair(
        "<p class=a id=a>1</p><p class=b id=b>2</p>", "<p class=b id=b>3</p><p class=a id=a>4</p>"
    )
    assert same == []
    assert sorted(equal) == [(0, 1), (1, 0)]


@pytest.mark.parametrize(("pairs", "weighed"), [(1_024, 3), (3, 100), (1_024, 100)])
def test_what_is_too_much_to_weigh_is_paired_in_order(
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


def test_without_children_there_are_no_pairs() -> None:
    assert pair("", "<p>") == ([], [])
