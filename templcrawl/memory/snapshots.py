"""Snapshots as plain values: numbers packed into text, and readers that name what is wrong.

A snapshot is a tree of dicts, lists, strings and ints that JSON carries unchanged.  Long lists of
numbers are packed: little-endian, base 64.

A part that is large is *frozen*: what it holds is copied, flat, at once, and the snapshot can be made of the
copy later, in another thread too, whatever is learned meanwhile.

What is read back is not believed: every part takes a snapshot up under :func:`reading`, the one guard, and is
checked then.  So a snapshot with anything wrong in it is InvalidSnapshot and nothing else.
"""

from __future__ import annotations

import math
import sys
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidSnapshot

Plain = dict[str, Any]
Frozen = Callable[[], Plain]
"""What makes a snapshot of how things were when it was made, each time a new one."""

T = TypeVar("T")

MOST_COUNT = 2**53
"""No count reaches it: counted on, it still is a number that every format carries."""


class Checked(Protocol):
    """What can say that it is inconsistent."""

    def check(self) -> None:
        """Raise BrokenInvariant if it is inconsistent or over its limit."""


class Part(Checked, Protocol):
    """A part of a site's memory: checked, saved and read back like every other."""

    def snapshot(self) -> Plain:
        """Return all of it as plain values."""

    def restore(self, snapshot: Plain) -> None:
        """Take up a snapshot; raises InvalidSnapshot."""


@runtime_checkable
class LargePart(Part, Protocol):
    """A part of which a snapshot takes too long for an event loop."""

    def freeze(self) -> Frozen:
        """Return what makes the snapshot of how it is now."""


def freeze(part: Part) -> Frozen:
    """Return what makes the snapshot of a part as it is now."""
    if isinstance(part, LargePart):
        return part.freeze()
    snapshot = part.snapshot()
    return lambda: snapshot


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


@contextmanager
def reading(part: Checked) -> Iterator[None]:
    """Guard the body, which takes a snapshot up into a part, and check the part behind it.

    Whatever fails is the fault of the snapshot: InvalidSnapshot.
    """
    try:
        with np.errstate(all="ignore"):
            yield
            part.check()
    except InvalidSnapshot:
        raise
    except Exception as error:
        raise InvalidSnapshot(type(part).__name__, f"{type(error).__name__}: {error}") from error


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


def amounts(snapshot: Mapping[str, Any], name: str, length: int) -> Sequence[float]:
    """Return so many finite numbers, from 0, that an entry of a snapshot lists; raises InvalidSnapshot."""
    values = entry(snapshot, name, list)
    if len(values) != length:
        raise InvalidSnapshot(name, f"expected {length} numbers, found {len(values)}")
    return [_amount(name, value) for value in values]


def _amount(name: str, value: object) -> float:
    if type(value) not in (int, float) or not 0 <= value < math.inf:  # type: ignore[operator]
        raise InvalidSnapshot(name, "expected a finite number from 0")
    return float(value)  # type: ignore[arg-type]
