"""Tag paths as text, and the one that best separates a group of pages from the others.

A step of a path is a tag name, or a tag name with a class word; digits are read as ``#``.  Each visible
element has the path of its tag names, and one more for each of its first class words, in which every step
above it carries its own first class word::

    <body class="page-7 wide"><main>      html > body    html > body.page-#    html > body.wide
                                          html > body > main    html > body.page-# > main

The path that tells a group from the rest has the largest difference of two shares: of the group's pages that
have it, and of the other pages that do.  Equal ones: the fewest steps, then the shortest.

When all paths are known that may be, the half that fewest pages have is forgotten; one that comes back is
counted from then on, so a share may be too small, never too large.

Source: our own; forgetting as in the lossy counting of Manku & Motwani (VLDB 2002).  m elements, P distinct
paths of a page, C known paths, each at most ``MAX_PATHS``, G groups.  Cost: of a page O(m + P) beyond tokens
and elements; a choice O(G C).  Memory: O(G C), 4 bytes each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.page.elements import Elements
from templcrawl.page.tokens import Tag, TokenStream

Array = npt.NDArray[Any]

MAX_PATHS = 4_096  # of a page, and known at a time
MAX_DEPTH = 32  # steps of a path

_MAX_WORDS = 3  # first class words of a tag
_LONGEST_WORD = 40  # characters of a class word
_DIGITS = re.compile(r"\d+")


class PathChoice(NamedTuple):
    """A tag path, and the shares of a group's pages that have it, and of the other pages."""

    path: str
    here: float
    elsewhere: float


def tag_paths(tokens: TokenStream, elements: Elements) -> list[str]:
    """Return the distinct tag paths of the visible elements of a page, in order, none below depth 32."""
    paths: dict[str, None] = {}
    numbers: dict[tuple[int, str, tuple[str, ...]], int] = {}
    steps: dict[int, tuple[str, tuple[str, ...]]] = {}
    above = [("", "", 0)]  # a path of tag names alone, with the first class words, and how many steps it has
    path_of = [0]
    for element in range(1, len(elements)):
        parent = path_of[elements.parents[element]]
        if parent < 0 or not elements.visible[element] or above[parent][2] == MAX_DEPTH:
            path_of.append(-1)
            continue
        form = tokens.form_of[elements.opens[element]]
        if form not in steps:
            steps[form] = tag_steps(tokens.form_tags[form])
        name, words = steps[form]
        step = parent, name, words
        if step not in numbers:
            plain, worded, depth = above[parent]
            numbers[step] = len(above)
            above.append((_join(plain, name), _join(worded, words[0] if words else name), depth + 1))
            paths.update(dict.fromkeys((above[-1][0], *(_join(worded, word) for word in words or (name,)))))
            if len(paths) >= MAX_PATHS:
                break
        path_of.append(numbers[step])
    return list(paths)[:MAX_PATHS]


def _join(above: str, step: str) -> str:
    return f"{above} > {step}" if above else step


def tag_steps(tag: Tag) -> tuple[str, tuple[str, ...]]:
    """Return the name of a tag, and that name with each of its first class words."""
    words = [_DIGITS.sub("#", word[:_LONGEST_WORD]) for word in tag.classes[:_MAX_WORDS]]
    return tag.name, tuple(f"{tag.name}.{word}" for word in words)


class PathCounts:
    """How many pages of each group have each tag path.

    >>> counts = PathCounts()
    >>> for group, paths in [(0, ["html", "html > p"]), (1, ["html"]), (0, ["html", "html > p"])]:
    ...     _ = counts.count(group, paths)
    >>> counts.best({0: 0, 1: 1})
    {0: PathChoice(path='html > p', here=1.0, elsewhere=0.0), 1: None}

    pages  group -> pages
    """

    def __init__(self, *, limit: int = MAX_PATHS) -> None:
        self.limit = limit
        self.pages: dict[int, int] = {}
        self._paths: list[str] = []
        self._columns: dict[str, int] = {}
        self._rows: dict[int, Array] = {}

    def count(self, group: int, paths: Sequence[str]) -> tuple[str, ...]:
        """Count a page of a group by its distinct paths; return them, the same strings for every page."""
        new = [path for path in paths if path not in self._columns]
        if len(self._paths) + len(new) > self.limit:
            self._prune()
            new = [path for path in paths if path not in self._columns]
        for path in new[: self.limit - len(self._paths)]:
            self._columns[path] = len(self._paths)
            self._paths.append(path)
        columns = [self._columns[path] for path in paths if path in self._columns]
        row = self._rows.get(group)
        if row is None or len(row) < len(self._paths):
            row = self._rows[group] = _widened(row, min(self.limit, 2 * len(self._paths)))
        row[columns] += 1
        self.pages[group] = self.pages.get(group, 0) + 1
        return tuple(self._paths[column] for column in columns)

    def merge(self, current: Callable[[int], int]) -> None:
        """Make one of the groups that ``current`` gives the same number."""
        rows, pages = self._rows, self.pages
        self._rows, self.pages = {}, {}
        for group, row in rows.items():
            cluster = current(group)
            self.pages[cluster] = self.pages.get(cluster, 0) + pages[group]
            other = self._rows.get(cluster)
            width = max(len(row), len(row if other is None else other))
            self._rows[cluster] = _widened(row, width) + (0 if other is None else _widened(other, width))

    def best(self, cluster_of: Mapping[int, int]) -> dict[int, PathChoice | None]:
        """Return cluster -> the path that separates it from the others, None if none does.

        cluster_of  group -> its cluster
        """
        clusters, counts, sizes = self._by_cluster(cluster_of)
        others = sizes.sum() - sizes
        here = counts / sizes[:, None]
        elsewhere = (counts.sum(axis=0) - counts) / np.maximum(others, 1)[:, None]

        def simplicity(column: int) -> tuple[int, int, str]:
            path = self._paths[column]
            return path.count(" > "), len(path), path

        order = sorted(range(len(self._paths)), key=simplicity)
        choices: dict[int, PathChoice | None] = dict.fromkeys(clusters)
        for row, cluster in enumerate(clusters if order else ()):
            gains = np.round(here[row] - elsewhere[row], 9)[order]
            column = order[int(gains.argmax())]
            if others[row] and gains.max() > 0:
                shares = float(here[row, column]), float(elsewhere[row, column])
                choices[cluster] = PathChoice(self._paths[column], *shares)
        return choices

    def most_typical(
        self, cluster_of: Mapping[int, int], samples: Mapping[int, Sequence[Collection[str]]]
    ) -> dict[int, int]:
        """Return cluster -> the one of its given pages that is nearest to its profile; ties go to the first.

        The profile is path -> share of the cluster's pages that have it; nearness is Jaccard's, weighted.

        cluster_of  group -> its cluster
        samples     cluster -> pages of it, each by its distinct paths; at least one
        """
        clusters, counts, sizes = self._by_cluster(cluster_of)
        nearest = {}
        for row, cluster in enumerate(clusters):
            profile = counts[row] / sizes[row]
            total = float(profile.sum())
            nearness = []
            for paths in samples[cluster]:
                columns = [self._columns[path] for path in paths if path in self._columns]
                shared = float(profile[columns].sum())
                nearness.append(round(shared / max(total + len(paths) - shared, 1e-9), 9))
            nearest[cluster] = nearness.index(max(nearness))
        return nearest

    def _by_cluster(self, cluster_of: Mapping[int, int]) -> tuple[list[int], Array, Array]:
        clusters = list(dict.fromkeys(cluster_of[group] for group in self._rows))
        row_of = {cluster: row for row, cluster in enumerate(clusters)}
        counts, sizes = np.zeros((len(clusters), len(self._paths))), np.zeros(len(clusters))
        for group, row in self._rows.items():
            at = row_of[cluster_of[group]]
            counts[at, : len(row)] += row[: len(self._paths)]
            sizes[at] += self.pages[group]
        return clusters, counts, sizes

    def _prune(self) -> None:
        total = np.zeros(len(self._paths))
        for row in self._rows.values():
            total[: len(row)] += row[: len(self._paths)]
        retained = np.sort(np.argsort(-total, kind="stable")[: self.limit // 2])
        self._rows = {group: _widened(row, len(self._paths))[retained] for group, row in self._rows.items()}
        self._paths = [self._paths[column] for column in retained.tolist()]
        self._columns = {path: column for column, path in enumerate(self._paths)}


def _widened(row: Array | None, width: int) -> Array:
    wider = np.zeros(width, dtype=np.uint32)
    if row is not None:
        wider[: len(row)] = row[:width]
    return wider
