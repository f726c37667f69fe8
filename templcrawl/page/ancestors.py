"""Values that an element inherits from its ancestors, by pointer jumping: depth, flags, a key of its path.

Pointer jumping (Wyllie 1979): after step i each element has the value over its nearest 2^i ancestors, itself
included.  m elements of depth d.  Cost: O(m log d), in numpy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Keys = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.intp]

MIX = 0x9E3779B97F4A7C15
"""An odd number whose bits look random, to mix keys with."""

MASK = 0xFFFFFFFFFFFFFFFF
"""What keeps 64 bits of a number."""

_FACTORS = [np.uint64(pow(MIX, 1 << step, MASK + 1)) for step in range(64)]


def jumps(parents: Indices) -> list[Indices]:
    """Return for i = 0, 1, ... element -> its ancestor 2^i levels up, until there are none."""
    above = []
    parents = np.maximum(parents, 0)
    while np.count_nonzero(parents):
        above.append(parents)
        parents = parents[parents]
    return above


def depths_of(is_level: npt.NDArray[np.bool_], above: Sequence[Indices]) -> Bytes:
    """Return element -> how many levels its ancestors and itself are, at most 255."""
    depths = is_level.astype(np.intp)
    for ancestors in above:
        depths = depths + depths[ancestors]
    return np.minimum(depths, 255).astype(np.uint8)


def inherited(flags: Bytes, above: Sequence[Indices]) -> Bytes:
    """Return element -> the bits of all its ancestors and its own."""
    for ancestors in above:
        flags = flags | flags[ancestors]
    return flags


def path_keys(steps: Keys, above: Sequence[Indices]) -> Keys:
    """Return element -> the polynomial of its ancestors' steps, modulo 2^64."""
    for factor, ancestors in zip(_FACTORS, above):
        steps = steps + factor * steps[ancestors]
    return steps


def distinct(keys: Keys) -> Keys:
    """Return the distinct keys, ascending (several times as fast as ``np.unique``)."""
    ordered = np.sort(keys)
    first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def powers(base: int, count: int) -> Keys:
    """Return the powers 0 to ``count`` - 1 of a number, modulo 2^64; at least one.

    >>> powers(3, 4).tolist()
    [1, 3, 9, 27]
    """
    factors = np.full(count, base, dtype=np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)
