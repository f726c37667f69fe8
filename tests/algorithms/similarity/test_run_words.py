"""Words of runs, hashes of their sequences, and runs that are cut differently: by hand, and at random."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.similarity import run_words as module
from templcrawl.algorithms.similarity.run_words import RunWords, recut_runs
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


ENDS = st.lists(st.booleans(), min_size=12, max_size=12)
WORDS = [f"word{number}" for number in range(12)]


def pieces(old: list[str], new: list[str]) -> dict[str, list[str]]:
    """Return text of one that the other cuts otherwise -> its pieces there."""
    before, after = words_of(*old), words_of(*new)
    named = dict(zip([*before.runs.tolist(), *after.runs.tolist()], [*old, *new]))
    cut = recut_runs(before.runs, after)
    return {named[run]: [named[piece] for piece in parts] for run, parts in cut.items()}


def recut(old: list[str], new: list[str]) -> set[str]:
    """Return the texts of both that are only cut otherwise, and their pieces."""
    return {text for run, parts in pieces(old, new).items() for text in (run, *parts)}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (["Flags:", "Action", "End"], ["Flags: Action", "End"], {"Flags:", "Action", "Flags: Action"}),
        (["Flags:", "Run", "Flags:"], ["Flags: Run", "Run"], {"Flags:", "Run", "Flags: Run"}),
        (["Red tea, hot"], ["Red", "tea", ", hot"], {"Red tea, hot", "Red", "tea", ", hot"}),
        (["Red", "tea"], ["Red", "hot tea"], set()),
        (["Red tea is hot"], ["Red", "tea was hot"], set()),
        (["Red", "tea"], ["Red tea", "is hot"], {"Red", "tea", "Red tea"}),
        (["Red", "Tea", "Tea is red"], ["Tea is red"], set()),
        (["Red", "tea", "is hot"], ["Red tea", "Red", "tea"], set()),
        (["Red tea"], ["Red tea"], set()),
        ([], ["Red tea"], set()),
        (["Red tea"], [], set()),
    ],
)
def test_by_hand(old: list[str], new: list[str], expected: set[str]) -> None:
    assert recut(old, new) == expected


def cut(words: list[str], ends: list[bool]) -> list[str]:
    runs: list[list[str]] = [[]]
    for word, is_end in zip(words, ends):
        runs[-1].append(word)
        if is_end:
            runs.append([])
    return [" ".join(run) for run in runs if run]


@given(ENDS, ENDS)
def test_what_is_only_split_or_only_joined_is_recut_throughout(some: list[bool], others: list[bool]) -> None:
    coarse, fine = cut(WORDS, some), cut(WORDS, [a or b for a, b in zip(some, others)])
    assert recut(coarse, fine) >= set(coarse) ^ set(fine)
    assert recut(fine, coarse) >= set(coarse) ^ set(fine)


@given(ENDS, ENDS)
def test_the_pieces_of_a_run_are_its_words_in_order(some: list[bool], others: list[bool]) -> None:
    for run, parts in pieces(cut(WORDS, some), cut(WORDS, others)).items():
        assert " ".join(parts) == run


@given(ENDS, ENDS, st.integers(0, 11))
def test_a_run_with_another_word_is_not(some: list[bool], others: list[bool], changed: int) -> None:
    new_words = [*WORDS[:changed], "other", *WORDS[changed + 1 :]]
    old, new = cut(WORDS, some), cut(new_words, others)
    said = recut(old, new)
    assert not any("other" in run.split() or f"word{changed}" in run.split() for run in said)


def test_more_pieces_than_are_looked_for_are_no_text_cut_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    for most, is_recut in ((12, True), (5, False)):
        monkeypatch.setattr(module, "MAX_PIECES", most)
        assert bool(recut([" ".join(WORDS)], WORDS)) is is_recut
        assert bool(recut(WORDS, [" ".join(WORDS)])) is is_recut
