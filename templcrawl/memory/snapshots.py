"""Snapshots: what is learned of a site as named arrays.

A *section* of the memory names its columns, and the sections in it.  All else follows from them:

freeze      on the event loop, the data is copied, flat; it becomes bytes later, in another thread too
restore     what is read is not trusted, so a reader of a column checks the kind, length and range of its
            numbers; whatever is wrong in a snapshot raises InvalidSnapshot and nothing else

What can be computed again is not saved.  :mod:`templcrawl.memory.states` writes snapshots as bytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, ClassVar, NamedTuple, final

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidSnapshot

FORMAT = 28  # of all that is stored; another one with every change of what a snapshot holds

MAX_COUNT = 2**53  # no number that was counted or measured reaches it; the sums of many such stay finite

_SIZES, _BITS = ".sizes", ".bits"

Array = npt.NDArray[Any]


class Numbers(NamedTuple):
    """A column of numbers, or of rows of as many numbers each."""

    values: Sequence[Any] | Array
    kind: str = "u8"

    def write(self, name: str) -> Iterable[tuple[str, StoredColumn]]:
        """Return the column."""
        return [(name, StoredColumn(self.kind, np.asarray(self.values, f"<{self.kind}").tobytes()))]


class Lists(NamedTuple):
    """Lists of numbers of one kind: tuples, sets, arrays, or byte strings."""

    lists: Sequence[Any]
    kind: str = "u8"

    def write(self, name: str) -> Iterable[tuple[str, StoredColumn]]:
        """Return a column of all numbers, those of a set ascending, and one of the lengths of the lists."""
        lists: Sequence[Any] = self.lists
        if lists and isinstance(lists[0], frozenset):
            lists = [tuple(sorted(numbers)) for numbers in lists]
        if lists and isinstance(lists[0], tuple):
            column = Numbers(list(chain.from_iterable(lists)), self.kind)
        else:
            column = Numbers(np.frombuffer(b"".join(lists), self.kind), self.kind)
        sizes = Numbers(array("I", map(len, lists)), "u4")
        return [*column.write(name), *sizes.write(name + _SIZES)]


class ListRows(NamedTuple):
    """Rows of as many lists each: a column of lists, row after row."""

    rows: Sequence[Sequence[Any]]
    kind: str = "u8"

    def write(self, name: str) -> Iterable[tuple[str, StoredColumn]]:
        """Return the columns of the lists."""
        return Lists(list(chain.from_iterable(self.rows)), self.kind).write(name)


class Text(NamedTuple):
    """A text."""

    text: str

    def write(self, name: str) -> Iterable[tuple[str, StoredColumn]]:
        """Return the column of its bytes."""
        return [(name, StoredColumn("u1", self.text.encode("utf-8", "surrogatepass")))]


class Sparse(NamedTuple):
    """A table of whole numbers, most of them zero."""

    table: Array

    def write(self, name: str) -> Iterable[tuple[str, StoredColumn]]:
        """Return a column of a bit for each number, whether it is there, and one of those that are."""
        is_there = self.table != 0
        bits = Numbers(np.packbits(is_there), "u1")
        return [*bits.write(name + _BITS), *Numbers(self.table[is_there], "u4").write(name)]


Frozen = dict[str, "Numbers | Lists | ListRows | Text | Sparse"]  # name -> data that nothing changes any more


class StoredColumn(NamedTuple):
    """A column of a snapshot."""

    kind: str
    data: bytes


class Snapshot(dict[str, StoredColumn]):
    """The columns of a snapshot, or of a section of it, by their names.

    Each method raises InvalidSnapshot for what is missing, or is not as its reader has to find it.
    """

    def section(self, name: str) -> Snapshot:
        """Return the columns of a section."""
        start = f"{name}/"
        return Snapshot((key.removeprefix(start), self[key]) for key in self if key.startswith(start))

    def numbers(
        self,
        name: str,
        kind: str = "u8",
        *,
        count: int | None = None,
        width: int | None = None,
        least: float = 0,
        below: float | None = None,
    ) -> Array:
        """Return the numbers of a column; they cannot be changed.

        count         how many there are, or rows; None: any number
        width         numbers of a row; None where there are no rows
        least, below  the range in which they are; by default that of their kind
        """
        data = self._data(name, kind)
        values: Array = np.frombuffer(data, f"<{kind}")
        if width is not None:
            if len(values) % width:
                raise InvalidSnapshot(name, f"{len(values)} numbers, {width} in a row")
            values = values.reshape(-1, width)
        if count is not None and len(values) != count:
            raise InvalidSnapshot(name, f"{len(values)} numbers, expected {count}")
        is_real = kind == "f8"
        if is_real and below is None:
            below = MAX_COUNT
        is_within = below is None or bool((values < below).all())  # False for what is not a number
        if not is_within or ((least or is_real) and (values < least).any()):
            raise InvalidSnapshot(name, f"a number is not in {least} <= n < {below}")
        return values

    def arrays(self, name: str, kind: str = "u8", **sizes: int | None) -> list[Array]:
        """Return the lists of a column as arrays, each by itself.

        sizes  ``count``, ``least`` and ``below`` of the numbers of their lengths
        """
        return [numbers.copy() for numbers in self._lists(name, self.numbers(name, kind), sizes)]

    def tuples(self, name: str, **sizes: int | None) -> list[tuple[int, ...]]:
        """Return the lists of a column as tuples; ``sizes`` as for :meth:`arrays`."""
        return self._lists(name, tuple(self.numbers(name).tolist()), sizes)

    def strings(self, name: str, **sizes: int | None) -> list[bytes]:
        """Return the byte strings of a column; ``sizes`` as for :meth:`arrays`."""
        return self._lists(name, self._data(name, "u1"), sizes)

    def text(self, name: str) -> str:
        """Return a column as text."""
        try:
            return self._data(name, "u1").decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise InvalidSnapshot(name, str(error)) from error

    def sparse(self, name: str, rows: int, columns: int) -> Array:
        """Return a table of so many rows and columns; the reader has checked that there can be so many."""
        size = rows * columns
        bits = self.numbers(name + _BITS, "u1", count=(size + 7) // 8)
        is_there = np.unpackbits(bits, count=size).reshape(rows, columns).astype(bool)
        table = np.zeros((rows, columns), dtype=np.float32)
        table[is_there] = self.numbers(name, "u4", count=int(is_there.sum()))
        return table

    def _data(self, name: str, kind: str) -> bytes:
        column = self.get(name)
        if column is None or column.kind != kind:
            raise InvalidSnapshot(name, f"there is no such column of the kind {kind}")
        return column.data

    def _lists(self, name: str, whole: Any, checks: Mapping[str, int | None]) -> list[Any]:
        sizes = self.numbers(name + _SIZES, "u4", **checks).tolist()  # type: ignore[arg-type]
        if sum(sizes) != len(whole):
            raise InvalidSnapshot(name, f"{len(whole)} numbers, {sum(sizes)} counted")
        return [whole[stop - size : stop] for size, stop in zip(sizes, accumulate(sizes))]


class Section:
    """A section of a site's memory.

    sections  names of the sections of it, with their own columns: attributes, unless ``part`` says otherwise
    optional  those of them that a snapshot need not have
    """

    sections: ClassVar[Sequence[str]] = ()
    optional: ClassVar[Sequence[str]] = ()

    def part(self, name: str) -> Section:
        """Return a section of it."""
        section: Section = getattr(self, name)
        return section

    def columns(self) -> Frozen:
        """Return a copy of its own data."""
        return {}

    def load(self, snapshot: Snapshot) -> None:
        """Restore its own data from a snapshot, while it is empty; raises InvalidSnapshot, or any error."""

    @final
    def freeze(self, at: str = "") -> Frozen:
        """Return a copy of all of its data; names begin with ``at``."""
        frozen = {at + name: column for name, column in self.columns().items()}
        for name in self.sections:
            frozen |= self.part(name).freeze(f"{at}{name.strip('_')}/")
        return frozen

    @final
    def snapshot(self) -> Snapshot:
        """Return its snapshot."""
        return written(self.freeze())

    @final
    def restore(self, snapshot: Snapshot) -> None:
        """Restore itself from a snapshot, while it is empty; raises InvalidSnapshot."""
        try:
            for name in self.sections:
                stored = snapshot.section(name.strip("_"))
                if stored or name not in self.optional:
                    self.part(name).restore(stored)
            self.load(snapshot)
        except InvalidSnapshot:
            raise
        except Exception as error:
            raise InvalidSnapshot(type(self).__name__, f"{type(error).__name__}: {error}") from error


def written(frozen: Frozen) -> Snapshot:
    """Return the snapshot of data that was copied."""
    return Snapshot(chain.from_iterable(column.write(name) for name, column in frozen.items()))
