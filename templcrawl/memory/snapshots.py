"""Snapshots: a part of a site's memory says by which columns it is saved, and no more.

A *column* ties entries of the snapshot (:mod:`templcrawl.memory.entries`) to what they are made of.  To
save a part its columns are *frozen*: what they are made of is copied, flat, at once, and the snapshot is made
of the copy later, in another thread too, whatever is learned meanwhile.

What is read back is not believed: all is taken up under one guard and checked then.  So a snapshot with
anything wrong in it is InvalidSnapshot and nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Protocol, final

import numpy as np

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.entries import NUMBERS, Kind, Plain, entry, numbers, read_row, write_row
from templcrawl.memory.lru_dict import LruDict

Frozen = Callable[[], Plain]
"""What makes a snapshot of how things were when it was made, each time a new one."""


class Column(Protocol):
    """Entries of a part's snapshot, tied to what they are made of."""

    def freeze(self) -> Frozen:
        """Copy what they are made of, flat; return what makes the entries of the copy."""

    def take_up(self, snapshot: Plain) -> None:
        """Set what they were made of; raises InvalidSnapshot, or whatever else."""

    def validate(self) -> None:
        """Raise BrokenInvariant if what they are made of is inconsistent by itself."""


class Part(ABC):
    """A part of a site's memory: it says which columns it has; by them it is saved, read back and checked."""

    @abstractmethod
    def columns(self) -> list[Column]:
        """Return what it is saved by, in the order in which it is read back."""

    def validate(self) -> None:
        """Raise BrokenInvariant if it is inconsistent or over its limit."""
        for column in self.columns():
            column.validate()

    @final
    def snapshot(self) -> Plain:
        """Return all of it as plain values that JSON carries unchanged."""
        return self.freeze()()

    @final
    def freeze(self) -> Frozen:
        """Return what makes the snapshot of how it is now, in another thread too."""
        frozen = [column.freeze() for column in self.columns()]
        return lambda: {name: value for make in frozen for name, value in make().items()}

    @final
    def restore(self, snapshot: Plain) -> None:
        """Take up a snapshot into a part that is empty, and check it; raises InvalidSnapshot."""
        self.take_up(snapshot)
        with _blaming(self):
            self.validate()

    def take_up(self, snapshot: Plain) -> None:
        """Take up a snapshot unchecked; raises InvalidSnapshot."""
        with _blaming(self):
            for column in self.columns():
                column.take_up(snapshot)


@contextmanager
def _blaming(part: Part) -> Iterator[None]:
    """Guard the body: whatever fails in it is the fault of the snapshot of a part, InvalidSnapshot."""
    try:
        with np.errstate(all="ignore"):
            yield
    except InvalidSnapshot:
        raise
    except Exception as error:
        raise InvalidSnapshot(type(part).__name__, f"{type(error).__name__}: {error}") from error


class Columns:
    """Entries that are taken up together.

    kinds    name of each -> what it is
    copy     returns what each is made of, which nothing changes any more
    take_up  is given what was read of each
    """

    def __init__(
        self, kinds: Mapping[str, Kind], copy: Callable[[], Sequence[Any]], take_up: Callable[..., object]
    ) -> None:
        self._kinds = kinds
        self._copy = copy
        self._take_up = take_up

    def freeze(self) -> Frozen:
        """Copy what they are made of; return what makes the entries of the copy."""
        copied = self._copy()
        return lambda: write_row(self._kinds, copied)

    def take_up(self, snapshot: Plain) -> None:
        """Read them all, then take them up."""
        self._take_up(*read_row(self._kinds, snapshot))

    def validate(self) -> None:
        """Leave it to the part."""


class Attribute(Columns):
    """An entry that is an attribute, by the name of it without an underscore before it."""

    def __init__(self, owner: object, name: str, kind: Kind) -> None:
        super().__init__(
            {name.removeprefix("_"): kind},
            lambda: [copy(getattr(owner, name))],
            lambda value: setattr(owner, name, value),
        )


class Table(Columns):
    """A table of numbers by 64-bit keys, the least recently used first.

    keys    name of the column of keys
    values  names of the columns of values: none where they are None, several where they are tuples
    """

    def __init__(self, recent: LruDict[int, Any], keys: str, *values: str) -> None:
        self._recent = recent
        self._values = values
        kinds = [NUMBERS] if len(values) == 1 else [_numbers_at(index) for index in range(len(values))]
        super().__init__(dict(zip((keys, *values), (NUMBERS, *kinds))), self._rows, self._set)

    def _rows(self) -> Sequence[Any]:
        return [list(self._recent), *([list(self._recent.values())] * len(self._values))]

    def _set(self, keys: Sequence[int], *columns: Sequence[int]) -> None:
        rows: Sequence[Any] = [None] * len(keys)
        if columns:
            rows = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
        self._recent.restore(keys, rows)

    def validate(self) -> None:
        """Raise BrokenInvariant if it is over its limit."""
        self._recent.validate()


def _numbers_at(index: int) -> Kind:
    return numbers(of=lambda rows: (row[index] for row in rows))


class Nested:
    """An entry that is the snapshot of a part."""

    def __init__(self, name: str, part: Part) -> None:
        self._name = name
        self._part = part

    def freeze(self) -> Frozen:
        """Freeze the part."""
        make = self._part.freeze()
        return lambda: {self._name: make()}

    def take_up(self, snapshot: Plain) -> None:
        """Let the part take its snapshot up."""
        self._part.take_up(entry(snapshot, self._name, dict))

    def validate(self) -> None:
        """Raise BrokenInvariant if the part is inconsistent."""
        self._part.validate()
