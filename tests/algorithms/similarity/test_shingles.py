"""Shingles against sets of tuples, sketches against what they estimate."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.similarity import shingles as subject
from templcrawl.algorithms.similarity.shingles import (
    BANDS,
    MINIMA,
    ROWS,
    bin_minima,
    combine,
    estimate_resemblance,
    shingle_of,
    shingles,
    shingles_of_spans,
    sketch,
)
from templcrawl.page.text import hashes_of
from tests.oracles import resemblance
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


def shingle(text: list[str]) -> int:
    return shingle_of(combine(hashes_of(text)))


def test_the_example_of_the_paper() -> None:
    """Broder et al., section 2: the 4-shingling of (a,rose,is,a,rose,is,a,rose) has three members."""
    found = shingles(ROSE, width=4)
    assert found.tolist() == sorted({shingle_[0] for shingle_ in map(only_shingle, tuples(ROSE, 4))})
    assert len(found) == 3
    assert len(combine(hashes_of(ROSE), width=4)) == 5


def only_shingle(text: tuple[str, ...]) -> list[int]:
    """Return the shingles of a text of as many terms as a shingle is wide: one."""
    return combine(hashes_of(text), width=len(text)).tolist()


@given(terms, st.integers(1, 6))
def test_every_run_of_terms_is_one_shingle_and_equal_runs_are_equal(text: list[str], width: int) -> None:
    runs = tuples(text, width)
    found = combine(hashes_of(text), width=width).tolist()
    assert found == [only_shingle(run)[0] for run in runs]
    assert len(set(found)) == len(set(runs))
    assert shingles(text, width=width).tolist() == sorted(set(found))


@given(terms, terms, st.integers(1, 6))
def test_resemblance_is_that_of_the_sets_of_tuples(one: list[str], two: list[str], width: int) -> None:
    expected = jaccard(tuples(one, width), tuples(two, width))
    assert resemblance(shingles(one, width=width), shingles(two, width=width)) == pytest.approx(expected)


@given(sets_of_hashes, st.randoms(use_true_random=False), st.sampled_from([1, 7, 256]))
def test_equal_sets_have_equal_sketches_in_whatever_order_and_number(
    found: np.ndarray, chance: random.Random, minima: int
) -> None:
    mixed = found.tolist() * 2
    chance.shuffle(mixed)
    one, two = sketch(found, minima=minima), sketch(np.array(mixed, dtype=np.uint64), minima=minima)
    assert one.minima.tolist() == two.minima.tolist() == sorted(found.tolist())[:minima]
    assert one.size == two.size == len(found)
    assert estimate_resemblance(one, two) == 1
    assert one.bands == two.bands
    assert len(one.bands) == (BANDS if len(found) else 0)
    assert shingle_of(found) == shingle_of(np.array(mixed, dtype=np.uint64))


hashes = st.sampled_from([0, 1, 1 << 62, (1 << 62) - 1, 1 << 63, 3 << 62, 2**64 - 1]) | st.integers(
    0, 2**64 - 1
)


@given(st.lists(hashes, min_size=1, max_size=30), st.data())
def test_the_shingles_of_spans_are_those_of_each_by_itself(written: list[int], data: st.DataObject) -> None:
    text = np.array(written, dtype=np.uint64)
    bounds = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    spans = data.draw(st.lists(bounds.map(sorted).filter(lambda span: span[0] < span[1]).map(tuple)))
    expected = [shingle_of(combine(text[start:stop])) for start, stop in spans]
    assert shingles_of_spans(text, np.array(spans, dtype=np.intp).reshape(-1, 2)) == expected
    if spans:
        least = subject._least_of_quarters(text, np.array(spans))
        for (start, stop), row in zip(spans, least.tolist()):
            inside = sorted(written[start:stop])
            beyond = [[value for value in inside if value >= quarter << 62] or inside for quarter in range(4)]
            assert row == [values[0] for values in beyond]


@given(sets_of_hashes.filter(len), st.sampled_from([2, 4, 16]))
def test_an_empty_bin_borrows_from_the_next_one_and_tells_how_far_it_is(found: np.ndarray, bins: int) -> None:
    by_bin = {number: [v for v in found.tolist() if v * bins >> 64 == number] for number in range(bins)}
    rotation = int(subject._ROTATION)
    for number, least in enumerate(bin_minima(found, bins=bins).tolist()):
        distance = next(d for d in range(bins) if by_bin[(number + d) % bins])
        assert least == (min(by_bin[(number + distance) % bins]) + distance * rotation) % 2**64


small_sets = st.sets(st.integers(0, 60), max_size=40)


@given(small_sets, small_sets, st.integers(1, 50))
def test_the_estimate_asks_the_least_shingles_of_the_union(a: set[int], b: set[int], minima: int) -> None:
    """Exact where both sets are known in full; else of the least ``minima`` of both the share in common."""
    one, two = (sketch(np.array([*found], dtype=np.uint64), minima=minima) for found in (a, b))
    asked = sorted(a | b)
    if max(len(a), len(b)) > minima:
        asked = asked[:minima]
    expected = sum(value in a and value in b for value in asked) / len(asked) if asked else 1
    assert estimate_resemblance(one, two) == pytest.approx(expected)


@pytest.mark.parametrize("size", [300, 3000])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_the_estimate_is_near_the_resemblance_on_average_and_never_far(size: int, share: float) -> None:
    chance = random.Random(f"{size} {share}")
    errors = []
    for _ in range(40):
        both = round(2 * size * share / (1 + share))
        common = random_hashes(chance, both)
        a, b = (np.array(common + random_hashes(chance, size - both), dtype=np.uint64) for _ in "ab")
        errors.append(estimate_resemblance(sketch(a), sketch(b)) - resemblance(np.unique(a), np.unique(b)))
    assert abs(np.mean(errors)) < 0.03
    assert max(map(abs, errors)) < (0.1 if size > MINIMA else 1e-9)


def test_an_empty_text_has_no_shingles_and_resembles_only_an_empty_one() -> None:
    nothing, something = sketch(shingles([])), sketch(shingles(["tea"]))
    assert shingles([]).tolist() == []
    assert (nothing.size, something.size) == (0, 1)
    assert (nothing.bands, len(something.bands)) == ((), BANDS)
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
        for position in chance.sample(range(length), changes):
            changed[position] = "another"
        kept += shingle(text) == shingle(changed)
    return kept / 200


@pytest.mark.parametrize(("length", "changes"), [(50, 1), (200, 4), (1000, 20)])
def test_a_shingle_survives_small_changes_as_often_as_resemblance_to_the_fourth(
    length: int, changes: int
) -> None:
    shared = length - 4 - 5 * changes
    expected = (shared / (shared + 10 * changes)) ** 4
    assert share_of_texts_that_keep_their_shingle(length, changes) == pytest.approx(expected, abs=0.12)


def share_of_pairs_with_a_common_band(size: int, share: float, pairs: int) -> float:
    """Return how many of so many random pairs of sets of that resemblance have a band in common."""
    chance = np.random.default_rng([size, round(100 * share)])
    both = round(2 * size * share / (1 + share))
    found = 0
    for _ in range(pairs):
        drawn = chance.integers(0, 2**64, 2 * size - both, dtype=np.uint64)
        one, two = sketch(drawn[:size]), sketch(np.concatenate((drawn[:both], drawn[size:])))
        found += not set(one.bands).isdisjoint(two.bands)
    return found / pairs


@pytest.mark.parametrize("size", [400, 2000])
@pytest.mark.parametrize("share", [0.5, 0.85])
def test_texts_share_a_band_as_often_as_the_curve_says(size: int, share: float) -> None:
    expected = 1 - (1 - share**ROWS) ** BANDS
    assert share_of_pairs_with_a_common_band(size, share, 400) == pytest.approx(expected, abs=0.06)


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [62, 1000])
def test_of_near_duplicates_at_least_999_in_a_thousand_share_a_band(size: int) -> None:
    assert 1 - (1 - 0.85**ROWS) ** BANDS > 0.999
    assert share_of_pairs_with_a_common_band(size, 0.86, 2000) >= 0.999
