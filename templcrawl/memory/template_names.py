"""The names of a site's templates: a name stays with the pages that it was assigned to.

A view of a site says which leaves are one template; views change as pages arrive.  A template of a new view
takes the name that was assigned to most of its pages at their arrival: the greatest overlap first, each name
once.  A template without a free name gets a new one, made of the key of its oldest leaf, so it is the same in
every process.  So an assigned name is the current name of most of its pages, too.

L leaves, N names, N <= 16 a leaf.  Cost: O(L N log) for a view.  Memory: about 100 bytes a name of a leaf.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from xxhash import xxh3_64_intdigest

from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.snapshot_parts import Entries, Part, Section
from templcrawl.memory.snapshot_values import NUMBERS, numbers, split_by

MOST_NAMES = 16
"""Names stored of a leaf: those that were assigned to most of its pages."""

_ENTRY_BYTES = 100
_MANY = 4

Group = Sequence[int]
"""The leaves of one template."""


class TemplateNames(Section):
    """Which names were assigned to the pages of each leaf.

    >>> names = TemplateNames()
    >>> for leaf, name in ((0, 7), (0, 7), (1, 7), (2, 9)):
    ...     names.assign(leaf, name)
    >>> names.choose([[0], [1, 2]], keys=[11, 12, 13])
    [7, 9]
    """

    def __init__(self) -> None:
        self._assigned: dict[int, dict[int, int]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._assigned.values()))

    @property
    def nbytes(self) -> int:
        """Bytes that they take, about."""
        return _ENTRY_BYTES * len(self)

    def assign(self, leaf: int, name: int, pages: int = 1) -> None:
        """Assign a name to a page of a leaf, or to several."""
        assigned = self._assigned.setdefault(leaf, {})
        assigned[name] = assigned.get(name, 0) + pages

    def assigned(self, leaf: int) -> Counter[int]:
        """Return the names that were assigned to pages of a leaf -> how many pages."""
        return Counter(self._assigned.get(leaf, {}))

    def merge_leaves(self, into: int, leaves: Iterable[int]) -> None:
        """Merge leaves into one."""
        names = self.assigned(into)
        for leaf in leaves:
            names.update(self._assigned.pop(leaf, {}))
        self._assigned[into] = dict(_most_frequent(names))

    def choose(self, groups: Sequence[Group], keys: Sequence[int], *, agreed: bool = False) -> list[int]:
        """Return the name of each template.

        groups  the leaves of each
        keys    leaf -> its key
        agreed  whether workers that have seen fewer pages, or other ones, are to find the same names:
                then the smallest of the names that were assigned to many of its pages goes first
        """
        overlaps = []
        for number, group in enumerate(groups):
            oldest, pages_of = min(group), self._names_in(group)
            many = max(pages_of.values(), default=0) / _MANY
            for name, pages in pages_of.items():
                rank = 0 if not agreed else name if pages >= many else 1 << 64
                overlaps.append((rank, -pages, oldest, name, number))
        name_of: dict[int, int] = {}
        taken = set[int]()
        for *_, name, number in sorted(overlaps):
            if number not in name_of and name not in taken:
                name_of[number] = name
                taken.add(name)
        if len(name_of) < len(groups):
            taken.update(*self._assigned.values())
        for number, group in enumerate(groups):
            if number not in name_of:
                name_of[number] = new_name(keys[min(group)], taken)
                taken.add(name_of[number])
        return [name_of[number] for number in range(len(groups))]

    def aliases(self, groups: Sequence[Group], names: Sequence[int]) -> dict[int, int]:
        """Return name, of all that there ever were -> the name of the template that most of its pages are in.

        names  the current ones of the templates
        """
        best: dict[int, tuple[int, bool, int]] = {}
        for group, current in zip(groups, names):
            for name, pages in self._names_in(group).items():
                best[name] = max(best.get(name, (0, False, 0)), (pages, name == current, current))
        return {name: current for name, (_, _, current) in best.items()}

    def _names_in(self, group: Group) -> dict[int, int]:
        """Return the names that were assigned to pages of a template -> how many pages."""
        total = dict(self._assigned.get(group[0], {}))
        for leaf in group[1:]:
            for name, pages in self._assigned.get(leaf, {}).items():
                total[name] = total.get(name, 0) + pages
        return total

    def parts(self) -> Sequence[Part]:
        """Return for each leaf its names, and to how many pages each was assigned."""
        kinds = {
            "leaves": NUMBERS,
            "counts": numbers("H"),
            "names": NUMBERS,
            "pages": NUMBERS,
        }
        return [Entries(kinds, self._copied, self._set)]

    def _copied(self) -> Sequence[list[int]]:
        assigned = self._assigned.values()
        return [
            list(self._assigned),
            list(map(len, assigned)),
            [name for names in assigned for name in names],
            [pages for names in assigned for pages in names.values()],
        ]

    def _set(
        self, leaves: Sequence[int], counts: Sequence[int], names: Sequence[int], pages: Sequence[int]
    ) -> None:
        self._assigned = {
            leaf: dict(zip(*row, strict=True))
            for leaf, *row in zip(leaves, split_by(names, counts), split_by(pages, counts), strict=True)
        }
        if len(self._assigned) < len(leaves) or len(self) < len(names):
            raise InvalidSnapshot("names", "a leaf, or a name of it, comes twice")

    def check_leaves(self, pages: dict[int, int]) -> None:
        """Raise BrokenInvariant if names were assigned to more pages of a leaf than it has.

        pages  leaf -> its pages
        """
        for leaf, names in self._assigned.items():
            total = sum(names.values())
            if not 0 < min(names.values(), default=1) <= total <= pages.get(leaf, 0):
                raise BrokenInvariant("TemplateNames", f"leaf {leaf} has {total} names")


def new_name(key: int, taken: set[int]) -> int:
    """Return a name made of the key of a leaf, the first that is not taken."""
    number = 0
    while (name := xxh3_64_intdigest(key.to_bytes(8, "little"), seed=number)) in taken:
        number += 1
    return name


def _most_frequent(names: Counter[int]) -> list[tuple[int, int]]:
    return sorted(names.items(), key=lambda item: (-item[1], item[0]))[:MOST_NAMES]
