"""The text-based two-pass algorithm."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms.similarity.shingles import combine
from templcrawl.page.page import Page
from templcrawl.page.text import hashes_of
from templcrawl.tools.whole_site.two_pass_text import (
    TwoPassText,
    covered_words,
    run_words,
)
from tests.memory.pages import article
from tests.strategies import soups, terms

windows = st.integers(1, 5)


def learned(pages: list[Page], **options: float) -> TwoPassText:
    site = TwoPassText(**options)  # type: ignore[arg-type]
    for page in pages:
        site.learn(page)
    return site


@settings(deadline=None)
@given(soups)
def test_the_words_of_leaves_are_those_of_their_runs(html) -> None:
    page = Page(html, "")
    runs = [
        page.tokens.forms[page.tokens.form_of[position]].split()
        for position in page.text_runs.positions.tolist()
    ]
    words, lengths = run_words(page)
    assert lengths.tolist() == list(map(len, runs))
    assert words.tolist() == hashes_of([word for run in runs for word in run]).tolist()


@settings(deadline=None)
@given(st.lists(terms, max_size=6), windows, st.integers(1, 4), st.randoms())
def test_frequent_fragments_are_those_of_a_counter(texts, window, density, chance) -> None:
    pages = [Page(f"<p>{' '.join(words)}", str(number)) for number, words in enumerate(texts)]
    fragments = [
        {tuple(words[start : start + window]) for start in range(max(1, len(words) - window + 1))}
        for words in texts
        if words
    ]
    counts = Counter(one for found in fragments for one in found)
    hash_of = {one: int(combine(hashes_of(one), width=window)[0]) for one in counts}
    least = max(2, 0.5 * len(texts))
    expected = {hash_of[one] for one, many in counts.items() if many >= least and hash_of[one] % density == 0}
    chance.shuffle(pages)
    site = learned(pages, window=window, density=density, frequency=0.5)
    assert set(site.frequent.tolist()) == expected


@settings(deadline=None)
@given(terms, windows, st.data())
def test_covered_are_the_words_of_frequent_fragments(words, window, data) -> None:
    hashes = hashes_of(words)
    every = combine(hashes, width=window).tolist()
    frequent = set(data.draw(st.lists(st.sampled_from(every)))) if every else set()
    expected = [
        any(
            every[start] in frequent
            for start in range(max(0, position - window + 1), position + 1)
            if start < len(every)
        )
        for position in range(len(words))
    ]
    found = covered_words(hashes, np.array(sorted(frequent), dtype=np.uint64), window=window)
    assert found.tolist() == expected


def test_a_phrase_across_elements_is_one_fragment_and_a_run_goes_by_its_larger_part() -> None:
    htmls = [
        "<b>All</b> <i>rights</i> reserved and gone",
        "<p>All <u>rights</u></p> reserved for tea at five",
    ]
    site = learned([Page(html, str(number)) for number, html in enumerate(htmls)], window=3)
    assert site.separate(Page(htmls[0], "0")).content_text == "reserved and gone"
    assert site.separate(Page(htmls[1] * 1, "1")).template_text == "All rights"


def test_only_so_many_pages_are_counted() -> None:
    pages = [article(number) for number in range(20)]
    site = learned(pages, sample=5, window=4)
    assert site.observe(pages[0]).pages_known == 5
    assert site.separate(pages[7]).template_text.startswith("Home\nNews")
