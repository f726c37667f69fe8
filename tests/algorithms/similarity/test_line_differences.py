"""Which lines differ: only those that have an altered run, each side in its order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.similarity.line_differences import Difference, differences, word_differences

lines = st.lists(st.sampled_from(["a tea", "b tea", "c tea", "d tea", "e tea"]), max_size=9)
words = st.lists(st.sampled_from("one two three four five six".split()), min_size=1, max_size=9)


def test_lines_of_the_template_are_left_out() -> None:
    old = ["Home | News", "A red tea", "It is hot", "2025"]
    new = ["Home | News | Shop", "A red tea", "It is cold", "And old", "2026"]
    parts = differences(old, new, ["It is hot"], ["It is cold", "And old"])
    assert parts == [Difference(("It is hot",), ("It is cold", "And old"))]
    assert differences(old, new, [], []) == []


def test_a_run_that_is_a_part_of_a_line_or_has_several_is_met() -> None:
    assert differences(["see the book"], ["see the map"], ["book"], ["map"]) == [
        Difference(("see the book",), ("see the map",))
    ]
    assert differences(["x = 1", "y = 2"], ["x = 1", "y = 3"], ["x = 1 y = 2"], ["x = 1 y = 3"]) == [
        Difference(("y = 2",), ("y = 3",))
    ]


@given(lines, lines)
def test_where_all_runs_are_altered_the_rest_is_in_both_in_one_order(old: list[str], new: list[str]) -> None:
    parts = differences(old, new, old, new)
    removed = [line for part in parts for line in part.removed]
    added = [line for part in parts for line in part.added]
    assert len(old) - len(removed) == len(new) - len(added)
    for line in {*old, *new}:
        assert old.count(line) - removed.count(line) == new.count(line) - added.count(line)


@given(words, words)
def test_words_of_a_line_are_all_there_and_those_that_are_kept_are_in_both(
    old: list[str], new: list[str]
) -> None:
    both = word_differences(" ".join(old), " ".join(new))
    if both is not None:
        assert [" ".join(text for text, _ in side) for side in both] == [" ".join(old), " ".join(new)]
        assert [t for t, differs in both[0] if not differs] == [t for t, differs in both[1] if not differs]


def test_lines_that_have_little_in_common_are_not_compared() -> None:
    assert word_differences("one two three", "four five six") is None
    assert word_differences("a " * 2_000, "a " * 2_000) is None
