"""How a site's memory is saved and shared: a section declares its parts, all else follows from them.

A *part* ties entries of the snapshot (:mod:`templcrawl.memory.snapshot_values`) to the data that they are
made of.  A *section* is a list of parts, and a part itself.

freeze      the data is copied, flat, at once; the snapshot is made of the copy later, in another thread too
restore     what is read is not trusted: all is loaded under one guard, then validated; whatever is wrong in a
            snapshot raises InvalidSnapshot and nothing else
merge       the data of several workers of a crawl becomes one; their order does not matter
set_remote  the merged data of the other workers is put beside the worker's own (``remote``)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.snapshot_values import NUMBERS, Kind, Snapshot, entry, numbers, read_row, write_row

if TYPE_CHECKING:
    from typing_extensions import Self

Frozen = Callable[[], Snapshot]  # makes a snapshot of the state at which it was frozen, each time a new one


class Part(Protocol):
    """Entries of a section's snapshot, tied to the data that they are made of."""

    def freeze(self) -> Frozen:
        """Copy the data, flat; return what makes the entries of the copy."""

    def load(self, snapshot: Snapshot) -> None:
        """Set the data, unvalidated; raises InvalidSnapshot, or whatever else."""

    def validate(self) -> None:
        """Raise BrokenInvariant if the data is inconsistent by itself."""

    def merge(self, parts: Sequence[Self]) -> None:
        """Become, while empty, the data of several workers, if it is shared."""

    def set_remote(self, part: Self) -> None:
        """Take the merged data of the other workers beside this, if it is shared."""


class Section(ABC):
    """A section of a site's memory.

    remote  the same section of the other workers of the crawl, merged; None without any
    """

    remote: Self | None = None

    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """Return its parts, in the order in which they are loaded."""

    def validate(self) -> None:
        """Raise BrokenInvariant if it is inconsistent or over its limit."""
        for part in self.parts():
            part.validate()

    @final
    def snapshot(self) -> Snapshot:
        """Return all of it as plain values that JSON carries unchanged."""
        return self.freeze()()

    @final
    def freeze(self) -> Frozen:
        """Return what makes the snapshot of its present state, in another thread too."""
        frozen = [part.freeze() for part in self.parts()]
        return lambda: {name: value for make in frozen for name, value in make().items()}

    @final
    def restore(self, snapshot: Snapshot) -> None:
        """Load a snapshot while empty, and validate it; raises InvalidSnapshot."""
        self.load(snapshot)
        with _blaming(self):
            self.validate()

    def load(self, snapshot: Snapshot) -> None:
        """Load a snapshot unvalidated; raises InvalidSnapshot."""
        with _blaming(self):
            for part in self.parts():
                part.load(snapshot)

    def merge(self, sections: Sequence[Self]) -> None:
        """Become, while empty, what several workers have learned, whatever their order."""
        for part, *others in zip(self.parts(), *(section.parts() for section in sections), strict=True):
            part.merge(others)

    def set_remote(self, remote: Self) -> None:
        """Take what the other workers have learned, merged, in the place of what they had learned before."""
        self.remote = remote
        for part, other in zip(self.parts(), remote.parts(), strict=True):
            part.set_remote(other)

    @final
    def everywhere(self) -> tuple[Self, ...]:
        """Return this section, and that of the other workers if there is one."""
        return (self,) if self.remote is None else (self, self.remote)


@contextmanager
def _blaming(section: Section) -> Iterator[None]:
    """Guard the body: whatever fails in it is the fault of the snapshot of a section, InvalidSnapshot."""
    try:
        with np.errstate(all="ignore"):
            yield
    except InvalidSnapshot:
        raise
    except Exception as error:
        raise InvalidSnapshot(type(section).__name__, f"{type(error).__name__}: {error}") from error


class Entries:
    """Entries that are loaded together.

    kinds  name of each -> its kind
    copy   returns the data of each, which nothing changes any more
    load   is given the values that were read
    """

    def __init__(
        self, kinds: Mapping[str, Kind], copy: Callable[[], Sequence[Any]], load: Callable[..., object]
    ) -> None:
        self._kinds = kinds
        self._copy = copy
        self._load = load

    def freeze(self) -> Frozen:
        """Copy the data; return what makes the entries of the copy."""
        copied = self._copy()
        return lambda: write_row(self._kinds, copied)

    def load(self, snapshot: Snapshot) -> None:
        """Read all entries, then load them."""
        self._load(*read_row(self._kinds, snapshot))

    def validate(self) -> None:
        """Leave it to the section."""

    def merge(self, parts: Sequence[Self]) -> None:
        """Leave it to the section: by default the data of a worker is not shared."""

    def set_remote(self, part: Self) -> None:
        """Leave it to the section."""


class Attribute(Entries):
    """An entry that is an attribute, by its name without a leading underscore.

    join  (value, value) -> value of two workers; None: it is not merged
    """

    def __init__(
        self, owner: object, name: str, kind: Kind, *, join: Callable[[Any, Any], Any] | None = None
    ) -> None:
        self._join = join
        self._get: Callable[[], Any] = lambda: getattr(owner, name)
        self._set: Callable[[Any], None] = lambda value: setattr(owner, name, value)
        super().__init__({name.removeprefix("_"): kind}, lambda: [copy(self._get())], self._set)

    def merge(self, parts: Sequence[Self]) -> None:
        """Join the values of several workers."""
        if self._join is not None:
            self._set(reduce(self._join, (part._get() for part in parts), self._get()))


class KeyedTable(Entries):
    """A bounded table of numbers by 64-bit keys, the least recently used first.

    keys    name of the column of keys
    values  names of the columns of values: none where all are True, several where they are tuples
    """

    def __init__(self, entries: LruDict[int, Any], keys: str, *values: str) -> None:
        self._entries = entries
        self._values = values
        kinds = [NUMBERS] if len(values) == 1 else [_numbers_at(index) for index in range(len(values))]
        super().__init__(dict(zip((keys, *values), (NUMBERS, *kinds))), self._rows, self._fill)

    def _rows(self) -> Sequence[Any]:
        return [list(self._entries), *([list(self._entries.values())] * len(self._values))]

    def _fill(self, keys: Sequence[int], *columns: Sequence[int]) -> None:
        rows: Sequence[Any] = [True] * len(keys)
        if columns:
            rows = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
        self._entries.fill(keys, rows)

    def validate(self) -> None:
        """Raise BrokenInvariant if it is over its limit."""
        self._entries.validate()


def _numbers_at(index: int) -> Kind:
    return numbers(of=lambda rows: (row[index] for row in rows))


class Nested:
    """An entry that is the snapshot of a section."""

    def __init__(self, name: str, section: Section) -> None:
        self._name = name
        self._section = section

    def freeze(self) -> Frozen:
        """Freeze the section."""
        make = self._section.freeze()
        return lambda: {self._name: make()}

    def load(self, snapshot: Snapshot) -> None:
        """Let the section load its snapshot."""
        self._section.load(entry(snapshot, self._name, dict))

    def validate(self) -> None:
        """Validate the section."""
        self._section.validate()

    def merge(self, parts: Sequence[Self]) -> None:
        """Merge the sections of several workers."""
        self._section.merge([part._section for part in parts])

    def set_remote(self, part: Self) -> None:
        """Hand on the section of the other workers."""
        self._section.set_remote(part._section)
