"""The words of runs, and hashes of their sequences: by hand, and against slices of a list."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.similarity.run_words import RunWords
from templcrawl.page.page import Page

texts = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), min_size=1, max_size=6)


def words_of(*runs: str) -> RunWords:
    return RunWords(Page("".join(f"<p>{run}</p>" for run in runs), "https://example.org/"))


def test_a_text_that_is_written_or_spaced_otherwise_has_the_same_words() -> None:
    written = ("Caf\u00e9 &amp; tea.", "Cafe\u0301 \n&#38;&nbsp;tea .", "Caf&eacute; & tea.")
    hashes = {words_of(text).runs.item() for text in written}
    assert len(hashes) == 1
    assert hashes.isdisjoint(
        words_of("Cafe & tea.", "Café & tea", "café & tea.", "tea & Café.").runs.tolist()
    )


def test_what_has_no_words_has_no_hash() -> None:
    assert words_of("Tea", "&nbsp;", "&#8203;").runs[1] == 0
    empty = words_of()
    assert len(empty.runs) == len(empty.keys) == 0


def test_the_text_is_its_words_in_order_however_they_are_cut() -> None:
    assert words_of("One two", "three").text() == words_of("One", "two three").text()
    assert words_of("One two").text() != words_of("two One").text()
    some = np.array([True, False, True])
    assert words_of("One", "two", "three").text(some) == words_of("One three").text()


@given(texts)
def test_a_sequence_of_words_has_the_hash_of_a_run_of_these_words(runs: list[list[str]]) -> None:
    words = [word for run in runs for word in run]
    spans = [(start, stop) for start in range(len(words)) for stop in range(start + 1, len(words) + 1)]
    starts, stops = np.array(spans).T
    alone = words_of(*(" ".join(words[start:stop]) for start, stop in spans)).runs
    assert words_of(*map(" ".join, runs)).hashes(starts, stops).tolist() == alone.tolist()
