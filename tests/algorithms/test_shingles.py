"""Shingles against sets of tuples, sketches against what they estimate."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms import shingles as subject
from templcrawl.algorithms.shingles import (
    Sketch,
    combine,
    estimate_resemblance,
    resemblance,
    shingle,
    shingles,
    sketch,
    super_shingles,
    term_hashes,
)
from tests.strategies import terms

ROSE = "a rose is a rose is a rose".split()
sets_of_hashes = st.sets(st.integers(0, 2**64 - 1), max_size=40).map(
    lambda found: np.array(sorted(found), dtype=np.uint64)
)


def tuples(text: list[str], width: int) -> list[tuple[str, ...]]:
    """Return the shingles of a text as they are: tuples of terms, in order."""
    width = min(width, len(text))
    return [tuple(text[start : start + width]) for start in range(len(text) - width + 1)] if width else []


def jaccard(a: list[tuple[str, ...]], b: list[tuple[str, ...]]) -> float:
    return len(set(a) & set(b)) / len(set(a) | set(b)) if a or b else 1.0


def random_hashes(chance: random.Random, size: int) -> list[int]:
    return [chance.getrandbits(64) for _ in range(size)]


def test_the_example_of_the_paper() -> None:
    """Broder et al., section 2: the 4-shingling of (a,rose,is,a,rose,is,a,rose) has three members."""
    found = shingles(ROSE, width=4)
    assert found.tolist() == sorted({shingle_[0] for shingle_ in map(hashes_of, tuples(ROSE, 4))})
    assert len(found) == 3
    assert len(combine(term_hashes(ROSE), width=4)) == 5


def hashes_of(text: tuple[str, ...]) -> list[int]:
    """Return the shingles of a text of as many terms as a shingle is wide: one."""
    return combine(term_hashes(text), width=len(text)).tolist()


@given(terms, st.integers(1, 6))
def test_every_run_of_terms_is_one_shingle_and_equal_runs_are_equal(text: list[str], width: int) -> None:
    runs = tuples(text, width)
    found = combine(term_hashes(text), width=width).tolist()
    assert found == [hashes_of(run)[0] for run in runs]
    assert len(set(found)) == len(set(runs))
    assert shingles(text, width=width).tolist() == sorted(set(found))


@given(terms, terms, st.integers(1, 6))
def test_resemblance_is_that_of_the_sets_of_tuples(one: list[str], two: list[str], width: int) -> None:
    expected = jaccard(tuples(one, width), tuples(two, width))
    assert resemblance(shingles(one, width=width), shingles(two, width=width)) == pytest.approx(expected)


def test_the_order_of_terms_matters() -> None:
    assert shingle("green tea from china".split()) != shingle("green china from tea".split())
    assert resemblance(shingles(["a", "b"], width=2), shingles(["b", "a"], width=2)) == 0


@given(sets_of_hashes, st.randoms(use_true_random=False), st.sampled_from([7, 37, 256]))
def test_equal_sets_have_equal_sketches_in_whatever_order_and_number(
    found: np.ndarray, chance: random.Random, bins: int
) -> None:
    mixed = found.tolist() * 2
    chance.shuffle(mixed)
    one, two = sketch(found, bins=bins), sketch(np.array(mixed, dtype=np.uint64), bins=bins)
    assert one.minima.tolist() == two.minima.tolist()
    assert len(one.minima) == bins
    assert one.size == two.size == len(found)
    assert estimate_resemblance(one, two) == 1
    assert super_shingles(one, groups=7) == super_shingles(two, groups=7)
    assert subject.shingle_of(found) == subject.shingle_of(np.array(mixed, dtype=np.uint64))


@given(sets_of_hashes, st.sampled_from([2, 4, 16]))
def test_a_bin_that_is_not_empty_holds_its_least_hash(found: np.ndarray, bins: int) -> None:
    minima = sketch(found, bins=bins).minima.tolist()
    for number, least in enumerate(minima):
        inside = [value for value in found.tolist() if value * bins >> 64 == number]
        assert not inside or least == min(inside)


@given(sets_of_hashes.filter(len), st.sampled_from([2, 4, 16]))
def test_an_empty_bin_borrows_from_the_next_one_and_tells_how_far_it_is(found: np.ndarray, bins: int) -> None:
    by_bin = {number: [v for v in found.tolist() if v * bins >> 64 == number] for number in range(bins)}
    rotation = int(subject._ROTATION)
    for number, least in enumerate(sketch(found, bins=bins).minima.tolist()):
        distance = next(d for d in range(bins) if by_bin[(number + d) % bins])
        assert least == (min(by_bin[(number + distance) % bins]) + distance * rotation) % 2**64


@pytest.mark.parametrize("size", [30, 300, 3000])
@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.75, 0.9, 1.0])
def test_the_estimate_is_near_the_resemblance_on_average_and_never_far(size: int, share: float) -> None:
    chance = random.Random(f"{size} {share}")
    errors = []
    for _ in range(40):
        both = round(2 * size * share / (1 + share))
        common = random_hashes(chance, both)
        a, b = (np.array(common + random_hashes(chance, size - both), dtype=np.uint64) for _ in "ab")
        errors.append(estimate_resemblance(sketch(a), sketch(b)) - resemblance(np.unique(a), np.unique(b)))
    assert abs(np.mean(errors)) < 0.03
    assert max(map(abs, errors)) < (0.3 if size < 100 else 0.15)


def test_an_empty_text_has_no_shingles_and_resembles_only_an_empty_one() -> None:
    nothing, something = sketch(shingles([])), sketch(shingles(["tea"]))
    assert shingles([]).tolist() == []
    assert (nothing.size, something.size) == (0, 1)
    assert estimate_resemblance(nothing, nothing) == 1
    assert estimate_resemblance(nothing, something) == 0
    assert resemblance(shingles([]), shingles([])) == 1
    assert resemblance(shingles([]), shingles(["tea"])) == 0
    assert shingle([]) == 0 != shingle(["tea"])


def text_of_words(chance: random.Random, length: int) -> list[str]:
    return [f"word{chance.randrange(2000)}" for _ in range(length)]


def share_of_texts_that_keep_their_shingle(length: int, changes: int) -> float:
    """Return in how many of 200 random texts the shingle survives so many changed words."""
    chance = random.Random(length + changes)
    kept = 0
    for _ in range(200):
        text = text_of_words(chance, length)
        changed = list(text)
        for place in chance.sample(range(length), changes):
            changed[place] = "another"
        kept += shingle(text) == shingle(changed)
    return kept / 200


@pytest.mark.parametrize(("length", "changes"), [(50, 1), (200, 1), (200, 4), (1000, 1), (1000, 20)])
def test_a_shingle_survives_small_changes_as_often_as_resemblance_to_the_fourth(
    length: int, changes: int
) -> None:
    shared = length - 4 - 5 * changes
    expected = (shared / (shared + 10 * changes)) ** 4
    assert share_of_texts_that_keep_their_shingle(length, changes) == pytest.approx(expected, abs=0.12)


def test_a_shingle_does_not_survive_another_text() -> None:
    assert share_of_texts_that_keep_their_shingle(60, 60) == 0


def test_texts_of_high_resemblance_share_a_super_shingle_and_others_do_not() -> None:
    chance = random.Random(5)
    near, far = 0, 0
    for _ in range(100):
        text = text_of_words(chance, 2000)
        changed = [*text[:1000], "another", *text[1001:]]
        supers = set(super_shingles(sketch(shingles(text))))
        near += not supers.isdisjoint(super_shingles(sketch(shingles(changed))))
        half = text[:1300] + text_of_words(chance, 700)
        far += not supers.isdisjoint(super_shingles(sketch(shingles(half))))
    assert (near, far) == (100, 0)


def test_a_super_shingle_is_one_hash_of_its_group_of_bins() -> None:
    minima = np.arange(12, dtype=np.uint64)
    before = super_shingles(Sketch(minima, 12), groups=4)
    changed = minima.copy()
    changed[4] = 99
    after = super_shingles(Sketch(changed, 12), groups=4)
    assert [a == b for a, b in zip(before, after)] == [True, False, True, True]


def test_hashes_are_equal_in_another_process() -> None:
    code = (
        "from templcrawl.algorithms.shingles import *;"
        f"t = {ROSE!r}; s = sketch(shingles(t)); print(shingle(t), *s.minima[:9], *super_shingles(s)[:3])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = sketch(shingles(ROSE))
    assert run.stdout.split() == list(map(str, [shingle(ROSE), *ours.minima[:9], *super_shingles(ours)[:3]]))
