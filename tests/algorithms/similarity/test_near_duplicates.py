"""Contents: the same words, or nearly the same; whole pages: apart by less than a short paragraph besides."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.similarity.near_duplicates import (
    MIN_RESEMBLANCE,
    MIN_TERMS,
    Content,
    are_near_duplicates,
    content_of,
    content_of_terms,
    difference,
    whole_text_of,
)
from templcrawl.algorithms.similarity.shingles import Sketch, shingles, sketch
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.text import hashes_of
from tests.memory.values import content_of_text
from tests.oracles import resemblance

pytestmark = pytest.mark.usefixtures("reader")

hashes = st.sets(st.integers(0, 40), min_size=1)


def of_words(*words: str) -> Sketch:
    return sketch(shingles(words))


def words(start: int, count: int) -> list[str]:
    return [f"word{number}" for number in range(start, start + count)]


def same(one: Content, two: Content) -> bool:
    """Whether two values are equal; arrays do not say."""
    sketches = [s and (s.minima.tolist(), s.size, s.bands) for s in (one.sketch, two.sketch)]
    return one[:2] == two[:2] and sketches[0] == sketches[1]


@given(hashes, hashes)
def test_the_difference_is_the_symmetric_difference_of_the_sets(a: set[int], b: set[int]) -> None:
    alike = len(a & b) / len(a | b)
    assert difference(alike, len(a), len(b)) == pytest.approx(len(a ^ b))


@pytest.mark.parametrize(
    ("common", "size", "most", "answer"),
    [
        (92, 100, 99, True),  # 92 / 108 = .852, 16 apart
        (91, 100, 99, False),  # 91 / 109 = .835
        (92, 100, 16, True),
        (92, 100, 15, False),
        (100, 117, 99, True),  # 100 / 117 = .855: one holds the other
        (100, 118, 99, False),  # 100 / 118 = .847
    ],
)
def test_both_bounds_hold(common: int, size: int, most: int, answer: bool) -> None:
    """Two sets of 100 and ``size`` shingles have ``common`` ones: few enough to be compared exactly."""
    shared = np.arange(common, dtype=np.uint64)
    one = sketch(np.concatenate((shared, np.arange(1000, 1100 - common, dtype=np.uint64))))
    two = sketch(np.concatenate((shared, np.arange(2000, 2000 + size - common, dtype=np.uint64))))
    assert (one.size, two.size) == (100, size)
    assert are_near_duplicates(one, two, max_difference=most + 0.001) is answer


@given(st.randoms(use_true_random=False), st.integers(0, 60), st.integers(0, 60))
def test_it_does_not_matter_which_page_came_first(chance: random.Random, a: int, b: int) -> None:
    text = [chance.choice("tea milk sugar cup".split()) for _ in range(60)]
    one, two = of_words(*text[:a]), of_words(*text[:b])
    assert are_near_duplicates(one, two) == are_near_duplicates(two, one)


def test_a_content_is_as_short_as_one_changed_word_makes_too_much_of_a_difference() -> None:
    for length, enough in ((MIN_TERMS, True), (MIN_TERMS - 1, False)):
        text = words(0, length)
        changed = [*text[:30], "another", *text[31:]]
        assert (resemblance(shingles(text), shingles(changed)) >= MIN_RESEMBLANCE) is enough
        assert (content_of_text(" ".join(text)).sketch is not None) is enough


@given(
    st.lists(st.sampled_from("tea milk sugar".split())), st.lists(st.sampled_from("tea milk sugar".split()))
)
def test_two_texts_have_the_same_hash_if_they_have_the_same_words_in_order(one: list, two: list) -> None:
    assert (content_of_text(" ".join(one)).hash == content_of_text("\n ".join(two)).hash) == (one == two)


def separated(html: str, *content: str) -> Separation:
    """Return a page of which the text runs that are named are content, and all tags."""
    page = Page(html, "https://example.org/")
    texts = [page.tokens.forms[form] for form in page.tokens.form_of]
    spans = [(n, n + 1) for n, text in enumerate(texts) if text in content or text.startswith("<")]
    return Separation(page, spans)


def test_a_content_is_its_visible_words_without_template_and_addresses() -> None:
    html = "<body><ul><li>Menu<p>One two <a href=/x>three</a> four<script>five()</script><p>six</body>"
    found = content_of(separated(html, "One two ", "three", " four", "five()", "six"))
    assert same(found, content_of_text("One two three four six"))
    assert found.terms == 5


def test_the_whole_text_of_a_page_is_all_its_visible_words() -> None:
    page = Page("<title>T</title><body><p>One <a href=/x>two</a><style>p</style><p> three</body>", "")
    assert same(whole_text_of(page), content_of_text("One two three"))


def test_a_page_without_content_has_an_empty_one() -> None:
    found = content_of(separated("<body><p>Menu</body>"))
    assert same(found, content_of_text(""))
    assert (found.terms, found.sketch) == (0, None)


def test_a_long_content_has_the_sketch_of_its_words() -> None:
    text = words(0, 200)
    html = f"<body><p>Menu<p>{' '.join(text)}</body>"
    found = content_of(separated(html, " ".join(text)))
    again = content_of_terms(hashes_of(text))
    assert same(found, content_of_text(" ".join(text)))
    assert same(found, again)
    assert found.sketch is not None
    assert found.sketch.minima.tolist() == shingles(text).tolist()
