"""Arrays: what elements inherit from their ancestors; sums, products, edges and stretches; lazy attributes.

Depth, flags and the key of a path are inherited by pointer jumping (Wyllie 1979): after step i each element
has the value over its nearest 2^i ancestors, itself included.  m elements of depth d.  Cost: O(m log d).

The rest are calls of numpy that cost least where an array is short.  Cost: O(length).

A *lazy* attribute is computed when it is first read.  ``cached_property`` would take a lock before
Python 3.12; this takes none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import pack
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Keys = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_Value = TypeVar("_Value")

MIX = 0x9E3779B97F4A7C15  # an odd number whose bits look random, to mix keys with
MASK = 0xFFFFFFFFFFFFFFFF  # what keeps 64 bits of a number
_ALONE = 450_000  # multiplications of a product for which BLAS starts no thread
_FACTORS = [np.uint64(pow(MIX, 1 << step, MASK + 1)) for step in range(64)]


def signed(key: int) -> int:
    """Return a 64-bit key as tables have it whose numbers have a sign: SQLite's, those of an archive.

    >>> signed(2**64 - 1), signed(7)
    (-1, 7)
    """
    return key - (key >> 63 << 64)


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


def nearest(is_meant: Flags, parents: Indices) -> Indices:
    """Return element -> the innermost of itself and its ancestors that is meant, or the first element."""
    around = np.where(is_meant, np.arange(len(parents)), np.maximum(parents, 0))
    while np.count_nonzero((further := around[around]) != around):
        around = further
    return around


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


def equal_rows(flags: npt.NDArray[Any]) -> tuple[Indices, Indices, Indices]:
    """Return (the first row of each distinct one, row -> its distinct one, how many rows each is)."""
    packed = np.ascontiguousarray(np.packbits(flags, axis=1))
    rows = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, firsts, numbers, sizes = np.unique(rows, return_index=True, return_inverse=True, return_counts=True)
    return firsts, numbers.ravel(), sizes


def look_up(keys: npt.NDArray[Any], table: npt.NDArray[Any]) -> tuple[Indices, Flags]:
    """Return for each key its place in a table, ascending, and whether it is there.

    >>> places, is_there = look_up(np.array([7, 5]), np.array([2, 5, 9]))
    >>> places.tolist(), is_there.tolist()
    ([2, 1], [False, True])
    """
    if not len(table):
        return np.zeros(len(keys), dtype=np.intp), np.zeros(len(keys), dtype=bool)
    places = np.minimum(table.searchsorted(keys), len(table) - 1)
    return places, table[places] == keys


def powers(base: int, count: int) -> Keys:
    """Return the powers 0 to ``count`` - 1 of a number, modulo 2^64; at least one.

    >>> powers(3, 4).tolist()
    [1, 3, 9, 27]
    """
    factors = np.full(count, base, dtype=np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def indices(numbers: Sequence[int]) -> Indices:
    """Return numbers as an array, in half the time of ``np.array``."""
    return np.frombuffer(pack(f"{len(numbers)}n", *numbers), dtype=np.intp)


def dot(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a product of finite numbers.

    BLAS may say that some are invalid though all are finite (numpy issue 24067, OpenBLAS issue 1924).  It
    starts threads for a large product, and each waits for more in a loop, 60 ms of CPU for a product of one;
    so a large one is made of halves.
    """
    rows = len(left) if left.ndim == 2 else 1
    columns = right.shape[1] if right.ndim == 2 else 1
    if left.size * columns > _ALONE and max(rows, columns) > 1:
        if rows < columns:
            return np.concatenate([dot(left, half) for half in np.array_split(right, 2, axis=1)], axis=-1)
        return np.concatenate([dot(half, right) for half in np.array_split(left, 2)])
    with np.errstate(invalid="ignore"):
        product: npt.NDArray[Any] = left.dot(right)
    return product


def before(counts: npt.NDArray[np.bool_] | Indices) -> Indices:
    """Return the sum of all counts before each; and of all.

    >>> before(np.array([1, 0, 2])).tolist()
    [0, 1, 1, 3]
    """
    padded = np.zeros(len(counts) + 1, np.intp)
    padded[1:] = counts
    return padded.cumsum()


def stretches(values: npt.NDArray[np.generic]) -> tuple[Indices, Indices]:
    """Return the start and the stop of each stretch of equal values.

    >>> [bounds.tolist() for bounds in stretches(np.array([5, 5, 2, 5]))]
    [[0, 2, 3], [2, 3, 4]]
    """
    is_edge = np.ones(len(values) + 1, dtype=bool)
    np.not_equal(values[1:], values[:-1], out=is_edge[1:-1])
    edges = is_edge.nonzero()[0]
    return edges[:-1], edges[1:]


def edges_of(flags: npt.NDArray[np.bool_]) -> Indices:
    """Return the starts and stops, in turn, of the stretches of set flags.

    >>> edges_of(np.array([True, True, False, True])).tolist()
    [0, 2, 3, 4]
    """
    padded = np.zeros(len(flags) + 2, dtype=bool)
    padded[1:-1] = flags
    edges: Indices = (padded[1:] != padded[:-1]).nonzero()[0]
    return edges


class _Lazy:
    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self._compute = compute
        self.__doc__, self.__module__ = compute.__doc__, compute.__module__  # its examples are tested

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, read: Any, owner: type) -> Any:
        if read is None:
            return self
        value = read.__dict__[self._name] = self._compute(read)
        return value


def lazy(compute: Callable[[Any], _Value]) -> _Value:
    """Return an attribute of a class that is computed when it is first read."""
    return cast("_Value", _Lazy(compute))


def lazy_list(array: str) -> Any:
    """Return a lazy attribute: the array of that name as a list."""
    return _Lazy(lambda read: getattr(read, array).tolist())
