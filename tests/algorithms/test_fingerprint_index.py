"""The index misses no pair within one edit, and its clusters do not depend on the order."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms import fingerprint_index
from templcrawl.algorithms.fingerprint_index import FingerprintIndex
from templcrawl.errors import BrokenInvariant, InvalidOption, InvalidSnapshot
from tests.oracles import edit_distance


@st.composite
def families(draw: st.DrawFn) -> list[bytes]:
    """Fingerprints of all lengths, many of them one or two edits from one another."""
    found = []
    for base in draw(st.lists(st.binary(max_size=25), min_size=1, max_size=3)):
        base = bytes(value % 4 for value in base)
        for _ in range(draw(st.integers(1, 6))):
            edited = bytearray(base)
            for _ in range(draw(st.integers(0, 2))):
                place = draw(st.integers(0, len(edited)))
                kind = draw(st.sampled_from("ids"))
                if kind == "i" and len(edited) < 25:
                    edited.insert(place, draw(st.integers(0, 4)))
                elif place < len(edited):
                    if kind == "d":
                        del edited[place]
                    else:
                        edited[place] = draw(st.integers(0, 4))
            found.append(bytes(edited))
    return found


def components(fingerprints: list[bytes]) -> list[list[bytes]]:
    """Connected components of edit distance <= 1, by repeated scanning."""
    left = set(fingerprints)
    groups = []
    while left:
        group = {left.pop()}
        while near := {f for f in left if any(edit_distance(f, g) <= 1 for g in group)}:
            group |= near
            left -= near
        groups.append(sorted(group))
    return sorted(groups)


@given(families(), st.binary(max_size=25).map(lambda noise: bytes(v % 4 for v in noise)))
@settings(deadline=None)
def test_similar_finds_what_a_scan_finds(fingerprints: list[bytes], query: bytes) -> None:
    index = FingerprintIndex()
    for fingerprint in fingerprints:
        index.add(fingerprint)
    index.check()
    for wanted in (query, *fingerprints):
        assert index.similar(wanted) == sorted({f for f in fingerprints if edit_distance(f, wanted) <= 1})


@given(families(), st.randoms(use_true_random=False), st.integers(1, 24))
@settings(deadline=None)
def test_clusters_are_connected_components_in_every_order_and_for_every_split(
    fingerprints: list[bytes], chance: random.Random, split: int
) -> None:
    shuffled = list(fingerprints)
    chance.shuffle(shuffled)
    index = FingerprintIndex(split=split)
    for fingerprint in shuffled:
        assert index.add(fingerprint) in index
    assert index.clusters() == components(fingerprints)
    for group in index.clusters():
        assert {index.cluster(fingerprint) for fingerprint in group} == {group[0]}


@pytest.mark.parametrize("place", range(25))
def test_an_insertion_anywhere_is_found_where_the_published_lemma_fails(place: int) -> None:
    short = bytes(range(24))
    index = FingerprintIndex()
    index.add(short)
    longer = short[:place] + b"\x18" + short[place:]
    assert index.similar(longer) == [short]
    index = FingerprintIndex()
    index.add(longer)
    assert index.similar(short) == [longer]


def test_a_full_fingerprint_has_two_keys() -> None:
    index = FingerprintIndex()
    assert len(index._keys(bytes(25))) == 2
    assert len(index._keys(bytes(21))) == 4


def test_a_head_that_very_many_share_is_searched_by_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    fingerprints = [bytes(17) + bytes(chance.randrange(3) for _ in range(8)) for _ in range(300)]
    fingerprints += [bytes(16) + bytes(chance.randrange(3) for _ in range(8)) for _ in range(100)]
    plain = FingerprintIndex()
    for fingerprint in fingerprints:
        plain.add(fingerprint)
    monkeypatch.setattr(fingerprint_index, "_MANY", 5)
    crowded = FingerprintIndex()
    for fingerprint in fingerprints:
        crowded.add(fingerprint)
    assert crowded.clusters() == plain.clusters()
    assert all(
        crowded.similar(f) == sorted(g for g in set(fingerprints) if edit_distance(f, g) <= 1)
        for f in fingerprints[:20]
    )


@given(families())
@settings(deadline=None, max_examples=30)
def test_a_snapshot_is_plain_and_comes_back(fingerprints: list[bytes]) -> None:
    index = FingerprintIndex(split=11)
    for fingerprint in fingerprints:
        index.add(fingerprint)
    again = FingerprintIndex.from_snapshot(json.loads(json.dumps(index.snapshot())))
    assert again.snapshot() == index.snapshot()
    assert again.clusters() == index.clusters()
    again.check()


@pytest.mark.parametrize(
    "snapshot",
    [
        {},
        {"split": 17, "length": 25, "fingerprints": ["zz"]},
        {"split": 99, "length": 25, "fingerprints": []},
    ],
)
def test_a_snapshot_that_is_none_is_refused(snapshot: dict) -> None:
    with pytest.raises(InvalidSnapshot):
        FingerprintIndex.from_snapshot(snapshot)


def test_check_finds_a_fingerprint_that_is_not_filed() -> None:
    index = FingerprintIndex()
    index.add(bytes(25))
    index._latest.popitem()
    with pytest.raises(BrokenInvariant):
        index.check()


def test_one_that_is_too_long_is_refused() -> None:
    index = FingerprintIndex()
    with pytest.raises(ValueError, match="26 entries"):
        index.add(bytes(26))
    assert bytes(26) not in index
    with pytest.raises(KeyError):
        index.cluster(bytes(3))


def test_an_impossible_split_is_refused() -> None:
    with pytest.raises(InvalidOption, match="split = 25"):
        FingerprintIndex(split=25)
