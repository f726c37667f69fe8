"""Serialisation of snapshot entries: how each kind of value becomes plain data, and how it is read back.

A *snapshot* is a tree of dicts, lists, strings and ints that JSON carries unchanged.  Long lists of numbers
are packed: little-endian, base 64.  Input is not trusted: a reader names what is wrong with it.
"""

from __future__ import annotations

import math
import sys
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, islice, pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidSnapshot

Snapshot = dict[str, Any]

T = TypeVar("T")

MOST_COUNT = 2**53  # no count reaches it: counted on, it still is a number that every format carries


class Kind(NamedTuple):
    """The kind of an entry.

    write  makes its value plain
    read   (snapshot, name of the entry) -> its value; raises InvalidSnapshot
    """

    write: Callable[[Any], object]
    read: Callable[[Snapshot, str], Any]


def pack(numbers: Iterable[int] | npt.NDArray[np.unsignedinteger], kind: str = "Q") -> str:
    """Pack unsigned numbers into text.

    kind  how wide they are: type code of ``array``, "Q" for 64 bits

    Cost: next to nothing for a NumPy array, else some 50 ns a number.

    >>> unpack(pack([1, 2**64 - 1])).tolist(), pack([1], "H")
    ([1, 18446744073709551615], 'AQA=')
    """
    if isinstance(numbers, np.ndarray):
        return b64encode(numbers.astype(f"<{kind}", casting="unsafe").tobytes()).decode("ascii")
    packed = array(kind, numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return b64encode(packed.tobytes()).decode("ascii")


def unpack(text: object, kind: str = "Q") -> array[int]:
    """Unpack what :func:`pack` made; raises InvalidSnapshot."""
    numbers: array[int] = array(kind)
    try:
        numbers.frombytes(b64decode(text, validate=True))  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise InvalidSnapshot("packed numbers", str(error)) from error
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def entry(snapshot: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """Return an entry of a snapshot; raises InvalidSnapshot if it is missing or of another type."""
    value = snapshot.get(name) if isinstance(snapshot, Mapping) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InvalidSnapshot(name, f"expected {kind.__name__}, found {type(value).__name__}")
    return value


def packed(snapshot: Mapping[str, Any], name: str, kind: str = "Q") -> array[int]:
    """Return the numbers that an entry of a snapshot has packed; raises InvalidSnapshot."""
    return unpack(entry(snapshot, name, str), kind)


def ascending(snapshot: Mapping[str, Any], name: str) -> array[int]:
    """Return the distinct numbers that an entry has packed, ascending; raises InvalidSnapshot."""
    numbers = packed(snapshot, name)
    if not all(a < b for a, b in pairwise(numbers)):
        raise InvalidSnapshot(name, "its numbers do not ascend")
    return numbers


def count(snapshot: Mapping[str, Any], name: str, below: int = MOST_COUNT) -> int:
    """Return a whole number that an entry of a snapshot is, from 0; raises InvalidSnapshot."""
    value = entry(snapshot, name, int)
    if not 0 <= value < below:
        raise InvalidSnapshot(name, f"expected a number from 0, below {below}")
    return value


def key_of(snapshot: Mapping[str, Any], name: str) -> int:
    """Return a 64-bit number that an entry of a snapshot is; raises InvalidSnapshot."""
    return count(snapshot, name, 1 << 64)


def counts(snapshot: Mapping[str, Any], name: str) -> list[int]:
    """Return the whole numbers that an entry of a snapshot lists; raises InvalidSnapshot."""
    values: list[int] = list(entry(snapshot, name, list))
    if not all(type(value) is int and 0 <= value < MOST_COUNT for value in values):
        raise InvalidSnapshot(name, "expected whole numbers from 0")
    return values


def amount(snapshot: Mapping[str, Any], name: str) -> float:
    """Return the finite number that an entry of a snapshot is, from 0; raises InvalidSnapshot."""
    return _amount(name, snapshot.get(name) if isinstance(snapshot, Mapping) else None)


def amounts(snapshot: Mapping[str, Any], name: str) -> list[float]:
    """Return the finite numbers, from 0, that an entry of a snapshot lists; raises InvalidSnapshot."""
    return [_amount(name, value) for value in entry(snapshot, name, list)]


def _amount(name: str, value: object) -> float:
    if type(value) not in (int, float) or not 0 <= value < math.inf:  # type: ignore[operator]
        raise InvalidSnapshot(name, "expected a finite number from 0")
    return float(value)  # type: ignore[arg-type]


def split_by(numbers: Sequence[int], counts: Sequence[int]) -> list[tuple[int, ...]]:
    """Return numbers as tuples of these lengths; raises InvalidSnapshot if they are more or fewer."""
    if sum(counts) != len(numbers):
        raise InvalidSnapshot("counts", f"{len(numbers)} numbers, {sum(counts)} counted")
    left = iter(numbers)
    return [tuple(islice(left, count)) for count in counts]


def numbers(code: str = "Q", of: Callable[[Any], Iterable[int]] | None = None) -> Kind:
    """Return the kind of packed numbers.

    code  how wide they are
    of    how they are made of what was copied; None: they are that
    """
    return Kind(
        lambda copied: pack(copied if of is None else of(copied), code),
        lambda snapshot, name: packed(snapshot, name, code),
    )


def write_row(kinds: Mapping[str, Kind], row: Iterable[Any]) -> Snapshot:
    """Return values, of a kind each, as entries by name."""
    return {name: kind.write(value) for (name, kind), value in zip(kinds.items(), row, strict=True)}


def read_row(kinds: Mapping[str, Kind], snapshot: Snapshot) -> tuple[Any, ...]:
    """Return the values that entries have; raises InvalidSnapshot."""
    return tuple(kind.read(snapshot, name) for name, kind in kinds.items())


def records(**kinds: Kind) -> Kind:
    """Return the kind of a list of rows, each with its entries."""
    return Kind(
        lambda rows: [write_row(kinds, row) for row in rows],
        lambda snapshot, name: [read_row(kinds, row) for row in entry(snapshot, name, list)],
    )


def _write_bytes(records: Sequence[bytes]) -> Snapshot:
    joined = np.frombuffer(b"".join(records), dtype=np.uint8)
    return {"sizes": pack(map(len, records)), "bytes": pack(joined, "B")}


def _read_bytes(snapshot: Snapshot, name: str) -> list[bytes]:
    plain = entry(snapshot, name, dict)
    sizes, joined = packed(plain, "sizes"), packed(plain, "bytes", "B").tobytes()
    if sum(sizes) != len(joined):
        raise InvalidSnapshot(name, f"{len(joined)} bytes, {sum(sizes)} counted")
    return [joined[stop - size : stop] for size, stop in zip(sizes, accumulate(sizes))]


COUNT, COUNTS = Kind(int, count), Kind(list, counts)
KEY = Kind(int, key_of)
TEXT = Kind(str, lambda snapshot, name: entry(snapshot, name, str))
AMOUNTS = Kind(list, amounts)
NUMBERS = numbers()
BYTES = Kind(_write_bytes, _read_bytes)  # the kind of a list of byte strings
KEY_SET = Kind(lambda keys: pack(sorted(keys)), lambda snapshot, name: frozenset(ascending(snapshot, name)))
SORTED_KEYS = Kind(pack, lambda snapshot, name: np.array(ascending(snapshot, name), dtype=np.uint64))
