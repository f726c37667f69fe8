"""The template clusters of all sites: labels that are the same in every order, bounded, saved."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.fingerprint import same_template
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.clusters import AcrossSites, FingerprintClusters
from templcrawl.memory.snapshots import written
from tests.memory.invariants import check

fingerprints = st.lists(st.binary(min_size=0, max_size=4).map(lambda b: bytes(x % 3 for x in b)), max_size=12)


def clusters(limit: int = 100) -> FingerprintClusters:
    return FingerprintClusters(split=17, limit=limit)


def test_one_edit_apart_is_one_cluster_named_after_the_smallest() -> None:
    known = clusters()
    second = known.label(bytes([0, 0, 1, 5]))
    first = known.label(bytes([0, 0, 1, 2]))
    other = known.label(bytes([7, 7, 7, 7]))
    assert known.label(bytes([0, 0, 1, 5])) == first == known.resolve(second) != second
    assert known.sizes() == {first: 2, other: 1}
    assert known.resolve("no such label") == "no such label"


@given(fingerprints, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_labels_are_the_same_in_every_order(found: list[bytes], chance: object) -> None:
    straight, shuffled = clusters(), clusters()
    for fingerprint in found:
        straight.label(fingerprint)
    again = list(found)
    chance.shuffle(again)  # type: ignore[attr-defined]
    labels = [shuffled.label(fingerprint) for fingerprint in again]
    check(shuffled)
    assert [shuffled.resolve(label) for label in labels] == [straight.label(one) for one in again]
    for a in again:
        for b in again:
            assert not same_template(a, b) or straight.label(a) == straight.label(b)


def test_at_the_limit_a_fingerprint_joins_what_is_there_and_is_not_remembered() -> None:
    known = clusters(limit=1)
    label = known.label(bytes([1, 2, 3]))
    assert known.label(bytes([1, 2, 4])) == label
    assert known.label(bytes([8, 8, 8])) != label
    assert len(known) == 1
    check(known)


def test_what_is_stored_brings_everything_back_and_a_wrong_one_is_refused() -> None:
    known = clusters()
    for value in range(9):
        known.label(bytes([value, value // 2, 3]))
    stored = AcrossSites(list(known), {"relevance": (3, 1.5), "other": (1, 0.0)}, salt=2**64 - 1)
    snapshot = written(stored.freeze())
    assert AcrossSites.from_snapshot(snapshot) == stored
    again = clusters()
    again.add_fingerprints(AcrossSites.from_snapshot(snapshot).fingerprints)
    assert again.sizes() == known.sizes()
    assert again.label(bytes([3, 1, 3])) == known.label(bytes([3, 1, 3]))
    for relevance in (3.5, -1.0, float("nan")):
        with pytest.raises(InvalidSnapshot):
            AcrossSites.from_snapshot(written(stored._replace(sums={"relevance": (3, relevance)}).freeze()))
    with pytest.raises(InvalidSnapshot):
        AcrossSites.from_snapshot(written(stored._replace(fingerprints=[bytes(26)]).freeze()))
