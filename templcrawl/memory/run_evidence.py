"""What the pages of a site say about an altered run: whether it is the template that has changed.

A detector judges the first pages of a site with little to go by, and when a template changes all that it
knows is the old one.  So what was altered on a page (:mod:`templcrawl.algorithms.similarity.alterations`) is
held against other pages.  It is the template's

- where the run is template on ``_PAGES`` other pages;
- where it was altered alike on ``_PAGES``, and on half, of the pages that were read again lately: a banner;
- where a run of the template has given way to it that differs in its numbers alone: the year of a footer;
- where runs of its mask are altered on ``_MANY``, and nine tenths, of these that have it: a count of visits;
- where it comes and goes: it went from one of these where it came here, or the other way round, and was
  altered on ``_PAGES``, and on twice as many as it stayed on: what rotates.

Who is the first to show an alteration is taken for changed: that is some pages for each change of a template.

Bounded: the last ``window`` pages that were read again, and ``_RUNS`` runs.  The window is not saved.
Cost: O(runs) a page.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from operator import add
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.similarity.alterations import Alterations, RunSketch, alterations
from templcrawl.memory.recent import Recent, united
from templcrawl.memory.snapshots import Column, Part, Table

_PAGES = 2
_MANY = 3
_WINDOW = 16
_RUNS = 16_384
_ALIKE, _NEARLY_ALL = 1 / 2, 9 / 10


class Reread(NamedTuple):
    """A page that was read again.

    altered  what is altered on it
    stayed   runs of its content that are not
    moving   masks of what is altered in its numbers
    masks    masks that its content has
    """

    altered: Alterations
    stayed: frozenset[int]
    moving: frozenset[int]
    masks: frozenset[int]


class RunEvidence(Part):
    """What is known of the runs of a site."""

    def __init__(self, *, window: int | None = _WINDOW, limit: int = _RUNS) -> None:
        """Start with nothing known.

        window  pages that were read again, of which the last are known; None: all of them
        limit   runs that are known
        """
        self._template_pages: Recent[int, int] = Recent(limit)
        self._window: deque[Reread] = deque()
        self._length = window
        self._reread = 0
        self._added: Counter[int] = Counter()
        self._removed: Counter[int] = Counter()
        self._stayed: Counter[int] = Counter()
        self._moving: Counter[int] = Counter()
        self._masks: Counter[int] = Counter()

    def learn(self, page: RunSketch, known: RunSketch | None) -> None:
        """Count the runs of a page's template.

        known  the page as it was counted before, None if it was not
        """
        pages = self._template_pages
        for run in np.setdiff1d(page.rest, known.rest if known is not None else ()).tolist():
            pages[run] = (pages.get(run) or 0) + 1

    def compare(self, old: RunSketch, new: RunSketch) -> Reread:
        """Return what is altered on a page."""
        altered = alterations(old, new)
        moving = {old.masks.get(run, 0) for run in altered.removed}
        moving &= {new.masks.get(run, 0) for run in altered.added}
        content = frozenset(new.content.tolist())
        masks = frozenset(new.masks.get(run, 0) for run in content)
        return Reread(altered, content - altered.added, frozenset(moving - {0}), masks - {0})

    def note(self, reread: Reread) -> None:
        """Remember a page that was read again."""
        self._count(reread, 1)
        if self._length is not None:
            self._window.append(reread)
            if len(self._window) > self._length:
                self._count(self._window.popleft(), -1)

    def _count(self, reread: Reread, by: int) -> None:
        self._reread += by
        (added, removed), stayed, moving, masks = reread
        counters = (self._added, self._removed, self._stayed, self._moving, self._masks)
        for counter, members in zip(counters, (added, removed, stayed, moving, masks)):
            for member in members:
                counter[member] += by
                if not counter[member]:
                    del counter[member]

    def of_content(
        self, reread: Reread, old: RunSketch, new: RunSketch, *, noted: bool = False
    ) -> Alterations:
        """Return what of the alterations is not the template's.

        noted  whether the page is among those that are remembered as read again
        """
        ways = ((new, old, self._added, self._removed), (old, new, self._removed, self._added))
        kept = []
        for runs, (having, lacking, here, there) in zip(reread.altered, ways):
            given_way = _template_masks(lacking, having)
            masks = {run: having.masks.get(run, 0) for run in runs}
            of_template = frozenset(
                run
                for run, mask in masks.items()
                if (self._template_pages.get(run) or 0) >= _PAGES
                or here[run] - noted >= max(_PAGES, _ALIKE * (self._reread - noted))
                or mask in given_way
                or self._moves(mask, reread, noted=noted)
                or (there[run] and here[run] - noted + there[run] >= max(_PAGES, 2 * self._stayed[run]))
            )
            kept.append(runs - of_template)
        return Alterations(*kept)

    def _moves(self, mask: int, reread: Reread, *, noted: bool) -> bool:
        """Say whether runs of a mask are altered nearly wherever they are, this page left out."""
        if mask not in reread.moving:
            return False
        return self._moving[mask] - noted >= max(_MANY, _NEARLY_ALL * (self._masks[mask] - noted))

    def unite(self, known: Sequence[RunEvidence]) -> None:
        """Become, while empty, what several know together of the runs of templates."""
        pages = (evidence._template_pages.items() for evidence in known)
        self._template_pages = united(pages, add, self._template_pages.limit, lambda run, count: count)

    def columns(self) -> list[Column]:
        """Return the runs of templates, the least recently counted first."""
        return [Table(self._template_pages, "runs", "pages")]


def _template_masks(page: RunSketch, other: RunSketch) -> frozenset[int]:
    """Return the masks of the runs of a page's template that another page does not have."""
    rest = page.rest[~(np.isin(page.rest, other.content) | np.isin(page.rest, other.rest))]
    return frozenset(page.masks.get(run, 0) for run in rest.tolist()) - {0}
