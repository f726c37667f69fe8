"""What a page costs grows no faster than the page, however it is made, on its whole way and in every pattern.

A step fails that costs more than ``MOST`` times as much on a page four times as large: linear work costs 4
times as much, quadratic work 16 times.  What is measured is the CPU time of this thread, the least of up to
``TRIES`` measurements of each step; what costs next to nothing does not grow.  Patterns are tried on short
texts first, so that one of exponential cost fails and does not hang.
"""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

import pytest

from lab.sites.hostile_shapes import SHAPES
from tests.pattern_attacks import ON_ALL, Attack, attacks_on, patterns, text_of
from tests.way_of_a_page import Way

pytestmark = pytest.mark.exhaustive

SIZE = 8_000
SIZES_OF_ATTACK = (30, 120, 2_000)
MOST = 8.0
TRIES = 3
NEXT_TO_NOTHING = 0.002
FEW_CHARACTERS = 1_000
PATTERNS = patterns()


def growing(small: dict[str, float], large: dict[str, float], least: float) -> dict[str, tuple[float, float]]:
    """Return the steps that grow too fast."""
    return {
        step: (small[step], large[step])
        for step in large
        if large[step] + least > MOST * (small.get(step, 0.0) + least)
    }


def merged(first: dict[str, float], second: dict[str, float]) -> dict[str, float]:
    return {step: min(first.get(step, seconds), seconds) for step, seconds in second.items()}


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("name", SHAPES)
def test_the_way_of_a_page_costs_linear_time_and_writes_linear_text(name: str) -> None:
    shape = SHAPES[name]
    small: dict[str, float] = {}
    large: dict[str, float] = {}
    for _ in range(TRIES):
        one, four = Way(shape(SIZE)), Way(shape(4 * SIZE))
        assert not growing(dict(one.characters), dict(four.characters), FEW_CHARACTERS)
        small, large = merged(small, one.seconds), merged(large, four.seconds)
        too_fast = growing(small, large, NEXT_TO_NOTHING)
        if not too_fast:
            break
    assert not too_fast


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_costs_linear_time(name: str) -> None:
    pattern, apply = PATTERNS[name]
    for attack in (*attacks_on(pattern), *ON_ALL):
        for size in SIZES_OF_ATTACK:
            assert any(_is_linear(apply, attack, size) for _ in range(TRIES)), (attack, size)


def _is_linear(apply: Callable[[str], object], attack: Attack, size: int) -> bool:
    small, large = (_seconds(apply, text_of(attack, characters)) for characters in (size, 4 * size))
    return large <= MOST * (small + NEXT_TO_NOTHING / 4)


def _seconds(apply: Callable[[str], object], text: str) -> float:
    started = thread_time()
    apply(text)
    return thread_time() - started
