"""Whether an alteration is the template's: what other pages say of it, by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from templcrawl.algorithms.similarity.alterations import Alterations, RunSketch, _missing
from templcrawl.memory.run_evidence import RunEvidence

MENU, OLD_YEAR, NEW_YEAR, BANNER = 1, 2, 3, 4
YEAR, VISITS = 91, 92


Numbers = dict[int, int]


def sketch(
    content: set[int], rest: set[int], masks: Numbers | None = None, slots: Numbers | None = None
) -> RunSketch:
    sides = (np.array(sorted(side), dtype=np.uint32) for side in (content, rest))
    return RunSketch(hash((frozenset(content), frozenset(rest))) & 0xFFFF, *sides, masks or {}, slots or {})


def left(evidence: RunEvidence, old: RunSketch, new: RunSketch) -> tuple[set[int], set[int]]:
    """Return what of a page's alterations is of the content, and remember the page."""
    altered = Alterations(_missing(new.content, old), _missing(old.content, new))
    reread = evidence.compare(old, new, altered)
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
    assert len(evidence._lately["added"]) == len(evidence._lately["removed"]) == 3
    assert evidence._reread == 3
    endless = RunEvidence(window=None)
    for number in range(100, 120):
        left(endless, sketch({number}, {MENU}), sketch({number + 500}, {MENU}))
    assert (endless._reread, len(endless._lately["added"]), len(endless._window)) == (20, 20, 0)


SLOT = 60


def rotated(number: int, step: int = 1) -> tuple[RunSketch, RunSketch]:
    """Return a page whose slot had a text, and now has that of the page ``step`` further on."""
    slots = [{5_000 + number: SLOT}, {5_000 + number + step: SLOT}]
    before, after = (sketch({number, *slot}, {MENU}, slots=slot) for slot in slots)
    return before, after


def test_a_slot_that_is_filled_in_turn_is_furniture_however_many_take_turns() -> None:
    """No text comes or goes more than once."""
    evidence = RunEvidence()
    said = [any(left(evidence, *rotated(number))) for number in range(100, 160)]
    assert said == [True] * 3 + [False] * 57


def test_a_slot_whose_texts_no_other_page_has_is_content_though_all_are_altered() -> None:
    evidence = RunEvidence()
    for number in range(100, 160):
        before, after = number + 1_000, number + 2_000
        old, new = (sketch({number, text}, {MENU}, slots={text: 60}) for text in (before, after))
        assert left(evidence, old, new) == ({after}, {before})


def test_a_slot_that_stays_on_half_of_its_pages_is_content() -> None:
    evidence = RunEvidence()
    for number in range(100, 160):
        old, new = rotated(number, 2)
        assert any(left(evidence, old, new if number % 2 else old)) == (number % 2 > 0)


def test_a_slot_is_there_where_what_fills_it_is_taken_for_template_too() -> None:
    evidence = RunEvidence()
    for number in range(100, 160):
        old, new = rotated(number, 3)
        (text,) = old.slots
        of_template = sketch({number}, {MENU, text}, slots={text: SLOT})
        assert any(left(evidence, old, of_template if number % 3 else new)) == (number % 3 == 0)


def test_where_a_text_stayed_before_it_was_altered_counts() -> None:
    evidence, in_stock, sold = RunEvidence(), 7, 8
    for number in range(100, 110):
        left(evidence, sketch({number, in_stock}, {MENU}), sketch({number, in_stock}, {MENU}))
    for number, (was, now) in enumerate([(in_stock, sold), (sold, in_stock), (in_stock, sold)]):
        assert any(left(evidence, sketch({number, was}, {MENU}), sketch({number, now}, {MENU})))


def test_what_went_from_all_pages_that_had_it_is_no_content() -> None:
    evidence, box = RunEvidence(), 77
    pages = [sketch({number, *([box] if number % 5 == 0 else [])}, {MENU}) for number in range(100, 140)]
    went = [left(evidence, page, sketch({100 + n}, {MENU}))[1] for n, page in enumerate(pages)]
    assert [bool(runs) for runs in went[::5]] == [True] * 3 + [False] * 5
    stays = RunEvidence()
    for number, page in enumerate(pages):
        new = page if number % 10 else sketch({100 + number}, {MENU})
        assert left(stays, page, new)[1] == (set() if number % 10 else {box})


def test_a_year_gives_way_to_another_where_the_page_itself_took_it_for_content() -> None:
    masks = {OLD_YEAR: YEAR, NEW_YEAR: YEAR}
    evidence = learned([sketch({number}, {OLD_YEAR}) for number in range(20, 22)])
    old, new = sketch({10, OLD_YEAR}, {MENU}, masks), sketch({10, NEW_YEAR}, {MENU}, masks)
    assert left(evidence, old, new) == (set(), set())


def test_what_moves_and_rotates_is_known_to_another_crawl() -> None:
    evidence, masks = RunEvidence(), dict[int, int]()
    for number in range(100, 140):
        left(evidence, *rotated(number))
        left(evidence, *counts(number + 100, masks))
    again = RunEvidence()
    again.restore(json.loads(json.dumps(evidence.snapshot())))
    for number in range(100, 140):
        assert left(again, *rotated(number + 1_000)) == (set(), set())
        assert left(again, *counts(number + 5_000, masks)) == (set(), set())


@pytest.mark.exhaustive
def test_late_pages_count_for_more() -> None:
    """What rotated once and has stayed for long since is content again."""
    evidence = RunEvidence()
    for number in range(100, 140):
        left(evidence, *rotated(number))
    for number in range(140, 3_000):
        old, _ = rotated(number)
        left(evidence, old, old)
    assert max(evidence._slots[SLOT]) <= 256
    assert any(left(evidence, *rotated(3_000)))


@pytest.mark.parametrize("limit", [3, 20])
def test_it_is_bounded_in_what_was_altered(limit: int) -> None:
    evidence = RunEvidence(altered=limit)
    for number in range(100, 150):
        before, after = sketch({number}, {MENU}, slots={number: number}), sketch({number + 500}, {MENU})
        left(evidence, before, after)
        left(evidence, *counts(number, {}))
        evidence.check()
    assert [len(table.known) for table in (evidence._runs, evidence._slots)] == [limit] * 2


def test_several_know_together_what_each_has_counted() -> None:
    parts = [RunEvidence(), RunEvidence()]
    for number in range(100, 104):
        left(parts[number % 2], *rotated(number))
    together = RunEvidence()
    together.unite(parts)
    together.check()
    assert together._slots[SLOT] == tuple(map(sum, zip(*(part._slots[SLOT] for part in parts))))
    assert together._runs[5_101] == (1, 1, 0)


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
