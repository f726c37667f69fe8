"""The score of a text run: by hand, and against an oracle run by run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.run_scores import WEIGHTS, Weights, neighbour_means, run_scores
from templcrawl.page.page import Page
from templcrawl.page.runs import TextRuns

BY_HAND = Weights(
    content=3.0,
    repeated=-1.5,
    on_every_page=-2.25,
    common=-2.0,
    linked=-2.25,
    furniture=-3.5,
    named=-1.0,
    named_repeated=-3.0,
    dialog=-2.0,
)


@pytest.mark.parametrize(
    ("html", "share", "many", "score"),
    [
        ("<p>one", 0.0, True, 3.0),
        ("<a href=/>one", 0.0, True, 0.75),
        ("<p>one", 0.5, True, 3 - 0.75 - 0.28125),
        ("<p>one", 1.0, False, -0.75),
        ("<p>one", 1.0, True, -2.75),
        ("<nav>one", 0.0, True, -0.5),
        ("<div class=header>one</div><p>two three", 1.0, False, 3 - 3.75 - 1 - 3),
        ("<nav class=nav>one", 0.0, True, -0.5),
        ("<div role=dialog>one", 0.0, True, 1.0),
    ],
)
def test_what_a_run_says_itself(html: str, share: float, many: bool, score: float) -> None:
    runs = Page(html, "").text_runs
    scores = run_scores(runs, np.full(len(runs), share), many, weights=BY_HAND)
    assert scores[0] == pytest.approx(score * math.log(2))


@pytest.mark.parametrize(
    ("part", "many", "scores"),
    [
        ("article", True, [1, 0, 0]),
        ("level", True, [2, 2, 1]),
        ("near_start", True, [1, 50 / 51, 50 / 52]),
        ("near_end", True, [50 / 52, 50 / 51, 1]),
        ("linked_neighbours", True, [0.5, 0, 0.5]),
        ("linked_neighbours", False, [0, 0, 0]),
        ("repeated_neighbours", True, [0.5, 0.25, 0.25]),
        ("repeated_neighbours", False, [0, 0, 0]),
    ],
)
def test_what_its_place_and_its_neighbours_say(part: str, many: bool, scores: list[float]) -> None:
    runs = Page("<main><p>one</p></main><div><a href=/>two</a></div><p>three", "").text_runs
    said = run_scores(runs, np.array([0.0, 0.5, 0.5]), many, weights=Weights(**{part: 1.0}))
    assert said.tolist() == pytest.approx([score * math.log(2) for score in scores])


def test_hints_that_do_not_count_say_nothing() -> None:
    runs = Page("<main><nav><a href=/>one</a></nav> two</main>", "").text_runs
    weights = Weights(linked=1, furniture=1, article=1, linked_neighbours=1)
    assert run_scores(runs, np.zeros(2), True, 0, weights).tolist() == [0, 0]


@given(st.data(), st.integers(1, 40), st.booleans())
def test_a_score_is_the_sum_of_what_each_part_says(data: st.DataObject, count: int, many: bool) -> None:
    numbers = st.lists(st.integers(0, 63), min_size=count, max_size=count)
    words, hints, shares = (np.array(data.draw(numbers)) for _ in range(3))
    runs = TextRuns()
    runs.words, runs.hints, runs.elements = words, hints.astype(np.uint8), np.arange(count)
    runs.depths = np.array(data.draw(numbers), dtype=np.uint8)
    parts = [
        run_scores(runs, shares / 63, many, weights=Weights(**{name: weight}))
        for name, weight in WEIGHTS._asdict().items()
    ]
    assert run_scores(runs, shares / 63, many) == pytest.approx(sum(parts))


@given(st.lists(st.floats(0, 1), max_size=40), st.integers(1, 20))
def test_neighbours_are_those_within_reach(values: list[float], reach: int) -> None:
    around = [values[max(0, at - reach) : at] + values[at + 1 : at + 1 + reach] for at in range(len(values))]
    expected = [sum(few) / len(few) if few else values[at] for at, few in enumerate(around)]
    assert neighbour_means(np.array(values), reach).tolist() == pytest.approx(expected, abs=1e-9)
