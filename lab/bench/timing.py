"""Time several ways to do one thing side by side, so that a noisy machine is equally unfair to all.

Imported by benchmarks, not run.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import TypeVar

T = TypeVar("T")


def side_by_side(
    ways: Mapping[str, Callable[[T], object]],
    inputs: Sequence[T],
    rounds: int = 7,
    before: Callable[[], object] = gc.collect,
) -> dict[str, float]:
    """Return way -> CPU milliseconds an input: the median over interleaved rounds (A B C A B C ...).

    before  called before each round of each way, untimed
    """
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            gc.collect()
            before()
            started = time.process_time()
            for value in inputs:
                way(value)
            seconds[name].append(time.process_time() - started)
    return {name: 1000 * median(times) / len(inputs) for name, times in seconds.items()}
