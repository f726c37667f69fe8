"""Snapshots as plain values: numbers packed into text, and readers that name what is wrong.

A snapshot is a tree of dicts, lists, strings and ints that JSON carries unchanged.  Long lists of
numbers are packed: little-endian, base 64.

A part that is large is *frozen*: what it holds is copied, flat, at once, and the snapshot can be made of the
copy later, in another thread too, whatever is learned meanwhile.
"""

from __future__ import annotations

import sys
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidSnapshot

Plain = dict[str, Any]
Frozen = Callable[[], Plain]
"""What makes a snapshot of how things were when it was made, each time a new one."""

T = TypeVar("T")


class Part(Protocol):
    """A part of a site's memory: checked, saved and read back like every other."""

    def check(self) -> None:
        """Raise BrokenInvariant if it is inconsistent or over its limit."""

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


def unpack(text: str, kind: str = "Q") -> array[int]:
    """Unpack what :func:`pack` made; raises InvalidSnapshot."""
    numbers: array[int] = array(kind)
    try:
        numbers.frombytes(b64decode(text, validate=True))
    except (TypeError, ValueError) as error:
        raise InvalidSnapshot("packed numbers", str(error)) from error
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def entry(snapshot: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """Return an entry of a snapshot; raises InvalidSnapshot if it is missing or of another type."""
    value = snapshot.get(name) if isinstance(snapshot, Mapping) else None
    if not isinstance(value, kind):
        raise InvalidSnapshot(name, f"expected {kind.__name__}, found {type(value).__name__}")
    return value
