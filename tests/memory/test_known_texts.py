"""Near-duplicates are recognised, different pages with one template are not."""

from __future__ import annotations

import random

from templcrawl.algorithms.shingles import Sketch, combine, sketch, term_hashes
from templcrawl.memory.known_texts import KnownTexts


def words(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [f"w{chance.randrange(5000)}" for _ in range(count)]


def text_sketch(terms: list[str]) -> Sketch:
    return sketch(combine(term_hashes(terms)))


def test_a_page_with_a_few_changed_words_repeats_the_first() -> None:
    known = KnownTexts(limit=100)
    for page in range(20):
        known.add(page, text_sketch(words(page, 600)))
    changed = words(7, 600)
    changed[100:103] = ["printed", "version", "of"]
    assert known.near_duplicate(99, text_sketch(changed)) == 7


def test_pages_that_share_a_heavy_template_do_not_repeat_each_other() -> None:
    template = words(1, 1200)
    known = KnownTexts(limit=100)
    for page in range(30):
        text = text_sketch(template[:900] + words(100 + page, 80) + template[900:])
        assert known.near_duplicate(page, text) is None
        known.add(page, text)


def test_a_text_does_not_repeat_itself_and_an_empty_one_repeats_nothing() -> None:
    known = KnownTexts(limit=10)
    for key in (1, 2):
        known.add(key, text_sketch([]))
    assert known.near_duplicate(3, text_sketch([])) is None
    known.add(4, text_sketch(words(1, 50)))
    assert known.near_duplicate(4, text_sketch(words(1, 50))) is None
    assert known.near_duplicate(5, text_sketch(words(1, 50))) == 4


def test_it_is_bounded_and_survives_a_snapshot() -> None:
    known = KnownTexts(limit=5)
    for page in range(9):
        known.add(page, text_sketch(words(page, 100)))
    known.check()
    assert len(known) == 5
    again = KnownTexts(limit=5)
    again.restore(known.snapshot())
    assert again.snapshot() == known.snapshot()
    assert again.near_duplicate(50, text_sketch(words(8, 100))) == 8
    assert again.near_duplicate(50, text_sketch(words(0, 100))) is None
