"""What the pages of a site say about an altered run: whether it is the template that has changed.

A detector judges the first pages of a site with little to go by, and when a template changes all that it
knows is the old one.  So what was altered on a page (:mod:`templcrawl.algorithms.similarity.alterations`) is
held against other pages.  It is the template's

- where the run is template on ``_PAGES`` other pages;
- where it was altered alike on ``_PAGES``, and on half, of the pages that were read again lately: a banner;
- where a run of the template has given way to it that differs in its numbers alone: the year of a footer;
- where runs of its mask are altered on ``_MANY``, and nine tenths, of these that have it: a count of visits;
- where it comes and goes: it went from one of these where it came here, or the other way round, and was
  altered on ``_PAGES``, and on twice as many as it stayed on: what rotates;
- where it went from ``_MANY``, and from nine tenths, of these that had it: what is there no more;
- where it stands in a slot that was altered on ``_MANY``, and two thirds, of these that have the slot,
  and on a quarter of them by texts that had been altered on others: what rotates among many.

Who is the first to show an alteration is taken for changed: that is some pages for each change of a template.
What moves and what rotates is known when the site is crawled again.

Bounded: the last ``_WINDOW`` pages that were read again, which are not saved, ``_RUNS`` runs of templates and
``_ALTERED`` runs, masks and slots each that were altered; what was counted of these is halved when it is more
than ``_MOST``, so that late pages count for more.  Cost: O(runs) a page.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import add
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.similarity.alterations import Alterations, RunSketch
from templcrawl.memory.recent import Recent, united
from templcrawl.memory.snapshots import Column, Part, Table

_PAGES = 2
_MANY = 3
_WINDOW = 16
_RUNS = 16_384
_ALTERED = 4_096
_MOST = 256
_ALIKE, _NEARLY_ALL, _MOSTLY, _SHARED = 1 / 2, 9 / 10, 2 / 3, 1 / 4


class Reread(NamedTuple):
    """A page that was read again.

    added      runs that came into its content
    removed    runs that went from it
    stayed     runs of its content that are not altered
    moving     masks of what is altered in its numbers
    masks      masks that its content has
    filled     slot -> the runs by which it was altered
    slots      slots that its content has
    """

    added: frozenset[int]
    removed: frozenset[int]
    stayed: frozenset[int]
    moving: frozenset[int]
    masks: frozenset[int]
    filled: Mapping[int, Collection[int]]
    slots: frozenset[int]


class Altered:
    """Keys that were altered: how often, each kind by itself, and lastly how often they were there.

    A key that has never been altered is not known, and what is altered again stays longest.
    """

    def __init__(self, limit: int, kinds: int) -> None:
        self.known: Recent[int, tuple[int, ...]] = Recent(limit)
        self._nothing = (0,) * (kinds + 1)

    def __getitem__(self, key: int) -> tuple[int, ...]:
        return self.known.get(key) or self._nothing

    def note(
        self, kinds: Sequence[Collection[int]], there: Collection[int], before: Mapping[int, int]
    ) -> None:
        """Count what was altered on a page, and what was there.

        kinds   keys of each kind that were altered
        before  how often a key was there lately
        """
        for kind, keys in enumerate(kinds):
            for key in keys:
                self._add(key, self.known.get(key) or (*self._nothing[1:], before[key]), kind)
        for key in there:
            known = self.known.get(key)
            if known is not None:
                self._add(key, known, -1)

    def _add(self, key: int, counts: Iterable[int], kind: int) -> None:
        counted = list(counts)
        counted[kind] += 1
        self.known[key] = tuple(count // 2 for count in counted) if max(counted) > _MOST else tuple(counted)

    def unite(self, parts: Sequence[Altered]) -> None:
        """Become, while empty, what several have counted together."""
        tables = (part.known.items() for part in parts)
        self.known = united(tables, _sums, self.known.limit, lambda key, counts: sum(counts))


class RunEvidence(Part):
    """What is known of the runs of a site."""

    def __init__(self, *, window: int | None = _WINDOW, limit: int = _RUNS, altered: int = _ALTERED) -> None:
        """Start with nothing known.

        window   pages that were read again, of which the last are known; None: all of them
        limit    runs of templates that are known
        altered  runs, masks and slots each that were altered and are known
        """
        self._template_pages: Recent[int, int] = Recent(limit)
        self._runs = Altered(altered, 2)
        self._masks = Altered(altered, 1)
        self._slots = Altered(altered, 2)
        self._window: deque[Reread] = deque()
        self._length = window
        self._reread = 0
        self._lately: dict[str, Counter[int]] = {name: Counter() for name in Reread._fields}

    def learn(self, page: RunSketch, known: RunSketch | None) -> None:
        """Count the runs of a page's template.

        known  the page as it was counted before, None if it was not
        """
        pages = self._template_pages
        for run in np.setdiff1d(page.rest, known.rest if known is not None else ()).tolist():
            pages[run] = (pages.get(run) or 0) + 1

    @staticmethod
    def compare(old: RunSketch, new: RunSketch, altered: Alterations) -> Reread:
        """Return what is to be known of a page that was read again."""
        moving = {old.masks.get(run, 0) for run in altered.removed}
        moving &= {new.masks.get(run, 0) for run in altered.added}
        content = frozenset(new.content.tolist())
        masks = frozenset(new.masks.get(run, 0) for run in content)
        filled: dict[int, list[int]] = {}
        for page, runs in ((old, altered.removed), (new, altered.added)):
            for run in page.slots.keys() & runs:
                filled.setdefault(page.slots[run], []).append(run)
        slots = frozenset(new.slots.values()) | filled.keys()
        return Reread(*altered, content - altered.added, frozenset(moving - {0}), masks - {0}, filled, slots)

    def note(self, reread: Reread) -> None:
        """Remember a page that was read again."""
        filled, known = reread.filled, self._runs.known
        shared = [slot for slot, runs in filled.items() if any(run in known for run in runs)]
        self._runs.note((reread.added, reread.removed), reread.stayed, self._lately["stayed"])
        self._masks.note((reread.moving,), reread.masks, self._lately["masks"])
        self._slots.note((filled, shared), reread.slots, self._lately["slots"])
        self._turn(reread, 1)
        if self._length is not None:
            self._window.append(reread)
            if len(self._window) > self._length:
                self._turn(self._window.popleft(), -1)

    def _turn(self, reread: Reread, by: int) -> None:
        """Let a page come into the window, or leave it."""
        self._reread += by
        for counter, members in zip(self._lately.values(), reread):
            for member in members:
                counter[member] += by
                if not counter[member]:
                    del counter[member]

    def of_content(
        self, reread: Reread, old: RunSketch, new: RunSketch, *, noted: bool = False
    ) -> tuple[frozenset[int], frozenset[int]]:
        """Return which runs that were added and which that were taken away are not the template's.

        noted  whether the page is among those that are remembered as read again
        """
        rotating = {
            run for slot, runs in reread.filled.items() if self._rotates(slot, noted=noted) for run in runs
        }
        sides = ((reread.added, new, "added"), (reread.removed, old, "removed"))
        kept = []
        for (runs, page, name), (others, other, _) in zip(sides, reversed(sides)):
            given_way, lately = self._given_way(others, other, page), self._lately[name]
            alike = max(_PAGES, _ALIKE * (self._reread - noted)) + noted
            kept.append(
                frozenset(
                    run
                    for run in runs - rotating
                    if not self._is_template(run)
                    and lately[run] < alike
                    and page.masks.get(run) not in given_way
                    and not self._moves(page.masks.get(run, 0), reread, noted=noted)
                    and not self._comes_and_goes(run, name == "added", noted=noted)
                    and not (name == "removed" and self._is_no_more(run, noted=noted))
                )
            )
        added, removed = kept
        return added, removed

    def _is_template(self, run: int) -> bool:
        return (self._template_pages.get(run) or 0) >= _PAGES

    def _given_way(self, altered: Collection[int], page: RunSketch, other: RunSketch) -> set[int]:
        """Return the masks of the runs of the template that one version of a page has, and the other has not.

        altered  runs of its content that the other has not
        """
        rest = page.rest[~(np.isin(page.rest, other.content) | np.isin(page.rest, other.rest))].tolist()
        runs = chain(rest, filter(self._is_template, altered))
        return {page.masks[run] for run in runs if run in page.masks}

    def _moves(self, mask: int, reread: Reread, *, noted: bool) -> bool:
        """Say whether runs of a mask are altered nearly wherever they are, this page left out."""
        moved, there = self._masks[mask]
        return mask in reread.moving and moved - noted >= max(_MANY, _NEARLY_ALL * (there - noted))

    def _comes_and_goes(self, run: int, came: bool, *, noted: bool) -> bool:
        """Say whether a run that came here has gone elsewhere, or the other way round, this page left out."""
        added, removed, stayed = self._runs[run]
        return (removed if came else added) > 0 and added + removed - noted >= max(_PAGES, 2 * stayed)

    def _is_no_more(self, run: int, *, noted: bool) -> bool:
        """Say whether a run went from nearly all pages that had it, this page left out."""
        _, removed, stayed = self._runs[run]
        return removed - noted >= max(_MANY, _NEARLY_ALL * (removed - noted + stayed))

    def _rotates(self, slot: int, *, noted: bool) -> bool:
        """Say whether a slot is filled with texts that pages share, in turn, this page left out."""
        filled, shared, there = (count - noted for count in self._slots[slot])
        return filled >= max(_MANY, _MOSTLY * there) and shared >= max(_PAGES, _SHARED * filled)

    def unite(self, known: Sequence[RunEvidence]) -> None:
        """Become, while empty, what several know together of the runs of a site."""
        pages = (evidence._template_pages.items() for evidence in known)
        self._template_pages = united(pages, add, self._template_pages.limit, lambda run, count: count)
        for name in ("_runs", "_masks", "_slots"):
            getattr(self, name).unite([getattr(evidence, name) for evidence in known])

    def columns(self) -> list[Column]:
        """Return the runs of templates, then all that was altered, the least recently counted first."""
        return [
            Table(self._template_pages, "runs", "pages"),
            Table(self._runs.known, "altered", "added", "removed", "stayed"),
            Table(self._masks.known, "masks", "moved", "masks_there"),
            Table(self._slots.known, "slots", "filled", "shared", "slots_there"),
        ]


def _sums(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(add, first, second))
