"""Contents that repeat an earlier one are found, against the resemblance of all pairs."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.sites.words import prose
from templcrawl.algorithms.similarity.near_duplicates import (
    MIN_RESEMBLANCE,
    MIN_TERMS,
)
from templcrawl.algorithms.similarity.shingles import MINIMA, Hashes, shingles
from templcrawl.memory.content_index import ContentIndex, Duplicate
from tests.memory.invariants import check
from tests.memory.values import content_of_text
from tests.oracles import resemblance


def changed(text: str, places: int, seed: int = 0) -> str:
    """Return a text with so many words changed."""
    words = text.split()
    for place in random.Random(seed).sample(range(len(words)), places):
        words[place] = f"changed{place}"
    return " ".join(words)


def known_texts(*texts: str, limit: int = 1000) -> ContentIndex:
    known = ContentIndex(limit=limit)
    for key, text in enumerate(texts):
        known.insert(key, content_of_text(text))
        check(known)
    return known


def find(known: ContentIndex, text: str, key: int = 99_999) -> Duplicate | None:
    found = known.find(key, content_of_text(text))
    check(known)
    return found


def test_an_exact_duplicate_a_near_one_and_another_text() -> None:
    texts = [prose(number, 600) for number in range(20)]
    known = known_texts(*texts)
    assert find(known, texts[7]) == Duplicate(7, exact=True)
    assert find(known, changed(texts[7], 3)) == Duplicate(7, exact=False)
    assert find(known, changed(texts[7], 60)) is None
    assert find(known, prose("another", 600)) is None


def test_a_short_content_has_exact_duplicates_only_and_an_empty_one_none() -> None:
    long, short = (prose(0, MIN_TERMS + more) for more in (0, -1))
    known = known_texts(long, short, "")
    assert find(known, changed(long, 1)) == Duplicate(0, exact=False)
    assert find(known, f"{short} once") == Duplicate(0, exact=False)  # of the long one
    assert known_texts(short).find(1, content_of_text(short.rpartition(" ")[0])) is None
    assert find(known, short) == Duplicate(1, exact=True)
    assert find(known, "") is None


def test_a_content_does_not_repeat_itself() -> None:
    text = prose(0, 200)
    known = known_texts(text)
    assert find(known, text, key=0) is None
    assert find(known, changed(text, 2), key=0) is None
    known.insert(1, content_of_text(text))
    assert find(known, text, key=0) == Duplicate(1, exact=True)
    assert find(known, changed(text, 2), key=0) == Duplicate(1, exact=False)


def test_a_page_whose_content_changed_is_known_by_the_new_one() -> None:
    known = known_texts(prose(0, 100), prose(1, 100))
    known.insert(0, content_of_text(prose(2, 100)))
    check(known)
    assert len(known) == 2
    assert find(known, prose(0, 100)) is None
    assert find(known, prose(2, 100)) == Duplicate(0, exact=True)


def test_pages_that_share_a_template_differ_by_too_much_if_that_is_bounded() -> None:
    template = prose("template", 1200)
    pages = [content_of_text(f"{template} {prose(number, 80)}") for number in range(10)]
    bounded, unbounded = ContentIndex(limit=10, max_difference=100), ContentIndex(limit=10)
    for key, page in enumerate(pages):
        assert bounded.find(key, page) is None
        assert (unbounded.find(key, page) is None) is (key == 0)
        bounded.insert(key, page)
        unbounded.insert(key, page)


def test_a_family_of_like_texts_does_not_hide_the_one_that_is_repeated() -> None:
    """Each two of sixty share four fifths of their shingles, and so a quarter of their bands."""
    common = prose("common", 800)
    family = [f"{common} {prose(number, 100)}" for number in range(60)]
    known = known_texts(*family)
    for key, text in enumerate(family):
        assert find(known, changed(text, 3, seed=key)) == Duplicate(key, exact=False)


def test_what_leaves_a_family_leaves_its_bands_to_the_others() -> None:
    """More texts share the bands of the common part than are filed under one."""
    common = prose("common", 800)
    known = ContentIndex(limit=12)
    for key in range(40):
        known.insert(key, content_of_text(f"{common} {prose(key, 100)}"))
        check(known)
    for key in range(28, 40):
        assert find(known, f"{common} {prose(key, 100)} more") == Duplicate(key, exact=False)
    assert find(known, f"{common} {prose(27, 100)} more") is None


def test_what_was_not_met_for_longest_leaves_with_its_bands() -> None:
    texts = [prose(number, 100) for number in range(9)]
    known = known_texts(*texts[:5], limit=5)
    assert find(known, changed(texts[0], 1)) == Duplicate(0, exact=False)
    for key in (5, 6, 7, 8):
        known.insert(key, content_of_text(texts[key]))
        check(known)
    assert len(known) == 5
    assert [find(known, text) is not None for text in texts] == [True] + 4 * [False] + 4 * [True]


texts = st.builds(
    lambda seed, length, changes, tail: changed(prose(seed, length), min(changes, length), tail),
    st.integers(0, 3),
    st.sampled_from([0, 1, 30, MIN_TERMS, 120, 300, 700]),
    st.integers(0, 8),
    st.integers(0, 3),
)


@given(st.lists(texts, max_size=12), st.integers(1, 6), st.booleans())
def test_it_is_bounded_consistent_and_the_same_after_a_snapshot(
    arriving: list[str], limit: int, keep_all: bool
) -> None:
    known = ContentIndex(limit=limit)
    for key, text in enumerate(arriving):
        again = ContentIndex(limit=limit)
        again.restore(known.snapshot())
        check(again)
        content = content_of_text(text)
        found = known.find(key, content)
        assert again.find(key, content) == found
        assert again.snapshot() == known.snapshot()
        if found is None or keep_all:
            known.insert(key, content)
        check(known)
        assert len(known) <= limit


@pytest.mark.parametrize("length", [MIN_TERMS, 380, 1500])
def test_all_pairs_agree_but_for_those_at_the_bound(length: int) -> None:
    """Long texts are sure to be found, or not to be, where the resemblance is .07 or more away from .85."""
    chance = random.Random(length)
    margin = 0.07 if length > MINIMA else 1e-9
    known = ContentIndex(limit=1000)
    kept: dict[int, tuple[str, Hashes]] = {}
    sure = 0
    for key in range(100):
        text = prose(f"{length} {chance.randrange(8)}", length)
        text = changed(text, chance.choice((0, 1, 2, length // 20)), seed=key)
        ours = shingles(text.split())
        alike = {other: resemblance(ours, its) for other, (_, its) in kept.items()}
        found = find(known, text, key)
        if found is None:
            assert max(alike.values(), default=0) < MIN_RESEMBLANCE + margin
            known.insert(key, content_of_text(text))
            kept[key] = text, ours
        else:
            assert alike[found.key] >= MIN_RESEMBLANCE - margin
            assert found.exact == (kept[found.key][0] == text)
        sure += max(alike.values(), default=0) >= MIN_RESEMBLANCE + margin
    assert sure > 15
    assert len(kept) > 8
