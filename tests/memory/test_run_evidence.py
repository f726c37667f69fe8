"""Whether an alteration is the template's: what other pages say of it, by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from templcrawl.algorithms.similarity.alterations import RunSketch
from templcrawl.memory.run_evidence import RunEvidence

MENU, OLD_YEAR, NEW_YEAR, BANNER = 1, 2, 3, 4
YEAR, VISITS = 91, 92


def sketch(content: set[int], rest: set[int], masks: dict[int, int] | None = None) -> RunSketch:
    sides = (np.array(sorted(side), dtype=np.uint32) for side in (content, rest))
    return RunSketch(hash((frozenset(content), frozenset(rest))) & 0xFFFF, *sides, masks or {})


def left(evidence: RunEvidence, old: RunSketch, new: RunSketch) -> tuple[set[int], set[int]]:
    """Return what of a page's alterations is of the content, and remember the page."""
    reread = evidence.compare(old, new)
    added, removed = evidence.of_content(reread, old, new)
    evidence.note(reread)
    evidence.learn(new, old)
    assert evidence.of_content(reread, old, new, noted=True) == evidence.of_content(
        reread, old, new, noted=True
    )
    return set(added), set(removed)


def learned(pages: list[RunSketch]) -> RunEvidence:
    evidence = RunEvidence()
    for page in pages:
        evidence.learn(page, None)
    return evidence


def test_what_is_template_elsewhere_is_no_content_that_went() -> None:
    old = sketch({10, MENU}, set())
    for others, went in ((1, {MENU}), (2, set())):
        evidence = learned([sketch({20 + n}, {MENU}) for n in range(others)])
        assert left(evidence, old, sketch({10}, set())) == (set(), went)


def test_a_banner_is_a_change_on_two_pages_and_a_word_of_its_own_on_all() -> None:
    evidence = learned([])
    for number in range(100, 110):
        old, new = sketch({number}, {MENU}), sketch({number, BANNER, number + 50}, {MENU})
        expected = {number + 50, BANNER} if number < 102 else {number + 50}
        assert left(evidence, old, new) == (expected, set())


def test_a_text_that_comes_and_goes_on_few_of_its_pages_stays_a_change() -> None:
    evidence = learned([])
    for number in range(100, 140):
        old, new = ((7, 8), (8, 7), (7, 7), (8, 8), (7, 7))[number % 5]
        altered = left(evidence, sketch({number, old}, {MENU}), sketch({number, new}, {MENU}))
        assert any(altered) == (old != new)


def test_a_year_that_takes_the_place_of_a_year_of_the_template_is_template_at_once() -> None:
    masks = {OLD_YEAR: YEAR, NEW_YEAR: YEAR}
    old, new = sketch({10}, {MENU, OLD_YEAR}, masks), sketch({10, NEW_YEAR}, {MENU}, masks)
    assert left(learned([]), old, new) == (set(), set())
    other = {**masks, NEW_YEAR: YEAR + 5}
    assert left(learned([]), old, sketch({10, NEW_YEAR}, {MENU}, other)) == ({NEW_YEAR}, set())


def counts(number: int, masks: dict[int, int]) -> tuple[RunSketch, RunSketch]:
    before, after = 1_000 + number, 2_000 + number
    masks.update({before: VISITS, after: VISITS})
    return sketch({number, before}, {MENU}, masks), sketch({number, after}, {MENU}, masks)


def test_a_count_that_moves_on_all_pages_is_none_after_three_of_them() -> None:
    evidence, masks = learned([]), dict[int, int]()
    said = [left(evidence, *counts(number, masks)) for number in range(100, 108)]
    assert all(added and removed for added, removed in said[:3])
    assert said[3:] == [(set(), set())] * 5


def test_a_number_that_stays_on_some_pages_is_content() -> None:
    evidence, masks = learned([]), dict[int, int]()
    for number in range(100, 120):
        old, new = counts(number, masks)
        altered = left(evidence, old, new if number % 3 else old)
        assert any(altered) == bool(number % 3)


def test_what_rotates_comes_and_goes_and_stays_on_few() -> None:
    evidence = learned([])
    adverts = [7, 8, 9]
    said = []
    for number in range(100, 130):
        before, after = adverts[number % 3], adverts[(number + 1) % 3]
        said.append(left(evidence, sketch({number, before}, {MENU}), sketch({number, after}, {MENU})))
    assert said[0] == ({8}, {7}) or any(said[0])
    assert said[3:] == [(set(), set())] * 27


def test_pages_leave_the_window_and_what_was_counted_of_them_too() -> None:
    evidence = RunEvidence(window=3)
    for number in range(100, 120):
        left(evidence, sketch({number}, {MENU}), sketch({number + 1}, {MENU}))
    assert len(evidence._added) == len(evidence._removed) == 3
    assert evidence._reread == 3
    endless = RunEvidence(window=None)
    for number in range(100, 120):
        left(endless, sketch({number}, {MENU}), sketch({number + 500}, {MENU}))
    assert (endless._reread, len(endless._added), len(endless._window)) == (20, 20, 0)


@pytest.mark.parametrize("limit", [2, 50])
def test_it_is_saved_but_for_its_window(limit: int) -> None:
    evidence = RunEvidence(limit=limit)
    for number in range(5):
        evidence.learn(sketch({number}, {MENU, 30 + number}), None)
    again = RunEvidence(limit=limit)
    again.restore(json.loads(json.dumps(evidence.snapshot())))
    assert again.snapshot() == evidence.snapshot()
    assert again._template_pages.get(MENU) == 5
    assert len(again._template_pages) == min(limit, 6)
