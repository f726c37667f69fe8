"""Every wrong value in every place of a snapshot, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from templcrawl.memory.snapshot_values import Snapshot, pack

MISSING = object()

Way = tuple[Any, ...]
"""The keys and numbers that lead to a place."""

_OF_ALL_KINDS = [
    None,
    True,
    -1,
    0.5,
    float("nan"),
    float("inf"),
    10**30,
    2**64,
    "?",
    "",
    [],
    {},
    [[1]],
    {"a": 1},
]


def places(value: Any, most: int = 3) -> Iterator[Way]:
    """Yield the ways to all places of a snapshot; of a list the first ones and the last."""
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = [*range(min(most, len(value)))]
        keys += [len(value) - 1] if len(value) > most else []
    for key in keys:
        yield (key,)
        yield from ((key, *way) for way in places(value[key], most))


def at(snapshot: Snapshot, way: Way) -> Any:
    """Return what stands in a place."""
    value: Any = snapshot
    for key in way:
        value = value[key]
    return value


def with_value(snapshot: Snapshot, way: Way, value: object) -> Snapshot:
    """Return a copy of a snapshot with another value in a place, or with none there."""
    damaged = deepcopy(snapshot)
    inner = at(damaged, way[:-1])
    if value is MISSING:
        del inner[way[-1]]
    else:
        inner[way[-1]] = value
    return damaged


def wrong_values(right: object) -> list[object]:
    """Return what does not belong where this stands, of other kinds and of its own."""
    wrong: list[object] = [MISSING, *_OF_ALL_KINDS]
    if isinstance(right, bool | int | float):
        wrong += [right + 1, -right - 1, right * 2**70, str(right), float(right) + 0.25, [right]]
    elif isinstance(right, str):
        zeros, most = pack([0, 0]), pack([2**64 - 1])
        wrong += [
            right[:-1],
            right[:-12],
            right + right,
            right + zeros,
            right + most,
            zeros,
            most,
            right[::-1],
        ]
        wrong += [pack([1], "B"), "\ud800", "ü", [right], 7]
    elif isinstance(right, list):
        wrong += [
            right[1:],
            right[:-1],
            right + right[-1:],
            [*right, None],
            [*right, -1],
            right[::-1],
            [right],
        ]
    return [value for value in wrong if repr(value) != repr(right)]
