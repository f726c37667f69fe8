"""Which runs are only cut otherwise: by hand, and of texts that are cut and joined at random."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.similarity import recut_runs as module
from templcrawl.algorithms.similarity.recut_runs import recut_runs
from tests.algorithms.similarity.test_run_words import words_of

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
        monkeypatch.setattr(module, "MOST_PIECES", most)
        assert bool(recut([" ".join(WORDS)], WORDS)) is is_recut
        assert bool(recut(WORDS, [" ".join(WORDS)])) is is_recut
