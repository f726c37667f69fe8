"""The kinds of a site's pages: a classifier judges each page, and pages that are built alike vote.

The votes of a page (:mod:`templcrawl.algorithms.page_kinds.kind_chances`) are added to those of its leaf.
The kind of a page is by the sum over the leaves near it (:mod:`templcrawl.memory.leaves`).  Where its own has
``MIN_OF_LEAF`` votes, it is by the sum over the leaf, and as one more page the mean of the near ones.  A page
that says itself that it is an error page is one, whatever its leaf is.  A page whose content has fewer than
``MIN_OF_ARTICLE`` words outside links is not an article, but ``other``, whatever its leaf is.

The first ``SURE`` pages of near leaves are judged, and of the next ones every sixteenth, and those whose
title or headings may be an error's.

While a site has ``FEW_LEAVES`` leaves or fewer, it is not sure which leaves are near: each of the first
``MIN_OF_LEAF`` pages of a leaf is judged when it comes, and its name is by its own votes and, as one more
page, the mean of the near leaves.

K kinds.  Cost: O(K) for each near leaf, beyond the classifier.  Memory: 200 bytes a leaf.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from templcrawl.algorithms.page_kinds.classifier import classify_kind, may_be_error
from templcrawl.algorithms.page_kinds.evidence import page_names
from templcrawl.algorithms.page_kinds.kind_chances import ERROR, KINDS, PageKind, kind_of
from templcrawl.memory.leaves import LeafDistances
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.observation import Observation
from templcrawl.memory.sections import SeenPage, SiteSection
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, Numbers, Snapshot
from templcrawl.page.separation import Separation
from templcrawl.page.vocabulary import LINKED

NEAR, FAR = 0.5, 0.55
SURE = 4
EVERY = 16
MIN_OF_LEAF = 3
MIN_OF_ARTICLE = 10
FEW_LEAVES = 8
MAX_LEAVES = 4_096
ARTICLE, OTHER = "article", "other"
_HUNDREDTHS = 100

_SIZE = 2 + len(KINDS)
_NO_VOTES = (0,) * len(KINDS)
_NONE = (0,) * _SIZE

Votes = list[int]


class KindTable(SiteSection):
    """The votes of the leaves of one site, in hundredths: whole numbers, so that their order does not matter.

    _votes  leaf -> how many pages have voted, how many were counted, and for each kind the votes against it
    """

    def __init__(self, options: MemoryOptions) -> None:
        self._votes: dict[int, Votes] = {}

    def page_seen(self, seen: SeenPage) -> Mapping[str, Any]:
        """Return the kind of a page: its name, and its confidence."""
        return _answers(self.classify(seen.judged, seen.place, learn=seen.is_new))

    def page_seen_again(self, seen: SeenPage, earlier: Observation) -> Mapping[str, Any]:
        """Return the kind of a page that is read again, by what is known now."""
        return _answers(self.classify(seen.judged, seen.place, learn=False))

    def classify(self, separation: Separation, place: LeafDistances, *, learn: bool) -> PageKind:
        """Return the kind of a page as known now.

        place  its leaf, and those that are near
        learn  whether the page is new, and votes
        """
        kind = self._classify(separation, place, learn=learn)
        is_bare = kind.name == ARTICLE and _content_words(separation, linked=False) < MIN_OF_ARTICLE
        return PageKind(OTHER, 0.5) if is_bare else kind

    def _classify(self, separation: Separation, place: LeafDistances, *, learn: bool) -> PageKind:
        """Return the kind of a page by its own evidence and by the votes of its leaf and those near."""
        leaf, total = place.leaf, self._near_votes(place)
        voted, counted, *_ = total
        is_drawn = voted < SURE or counted % EVERY == 0 or _may_be_error(separation)
        is_few = learn and len(self._votes) <= FEW_LEAVES
        is_early = is_few and self._votes.get(leaf, _NONE)[1] < MIN_OF_LEAF
        judged = None
        if not learn or is_drawn or is_early:
            judged = classify_kind(separation)
            if judged.is_error:
                return PageKind(KINDS[ERROR], float(np.exp(judged.logs[ERROR])))
            if not learn and not voted:
                return kind_of(judged.logs)
        if learn:
            votes = judged.votes.tolist() if judged is not None and is_drawn else _NO_VOTES
            page_votes = [int(is_drawn), 1, *(round(-_HUNDREDTHS * vote) for vote in votes)]
            self._add(leaf, page_votes)
            total = _sum((total, page_votes))
        if is_early and judged is not None:
            return kind_of(judged.votes + np.array(total[2:]) / (-_HUNDREDTHS * max(1, total[0])), 2)
        return _kind_by(self._votes.get(leaf), total) or PageKind(KINDS[ERROR], 0.5)

    def _near_votes(self, place: LeafDistances) -> Votes:
        """Return the sum of the votes near a page; farther leaves are added until there are enough votes."""
        distances = sorted((place.distance(leaf), leaf) for leaf in self._votes)
        total = self._sum_of(leaf for distance, leaf in distances if distance <= NEAR)
        for distance, leaf in distances:
            if NEAR < distance <= FAR and total[0] < SURE:
                total = _sum((total, self._votes[leaf]))
        return total

    def _add(self, leaf: int, votes: Votes) -> None:
        if leaf not in self._votes and len(self._votes) >= MAX_LEAVES:
            self._votes.pop(next(iter(self._votes)))
        self._votes[leaf] = _sum((self._votes.get(leaf, _NONE), votes))

    def _sum_of(self, leaves: Iterable[int]) -> Votes:
        return _sum(self._votes[leaf] for leaf in leaves)

    def name_of(self, leaves: Collection[int]) -> str | None:
        """Return the kind of the pages of some leaves, None where none of them has voted."""
        kind = _kind_by(None, self._sum_of(self._votes.keys() & set(leaves)))
        return kind and kind.name

    def columns(self) -> Frozen:
        """Return the leaves and their votes."""
        return {"leaves": Numbers(list(self._votes)), "votes": Numbers(list(self._votes.values()))}

    def load(self, snapshot: Snapshot) -> None:
        """Restore the leaves and their votes."""
        votes = snapshot.numbers("votes", width=_SIZE, below=MAX_COUNT)[:MAX_LEAVES].tolist()
        self._votes = dict(zip(snapshot.numbers("leaves", count=len(votes)).tolist(), votes))


def _answers(kind: PageKind) -> Mapping[str, Any]:
    return {"kind": kind, "page_kind": kind.name, "page_kind_confidence": round(kind.confidence, 4)}


def _sum(several: Iterable[Sequence[int]]) -> Votes:
    return list(map(sum, zip(_NONE, *several)))


def _kind_by(own: Votes | None, total: Votes) -> PageKind | None:
    """Return the kind by the votes of a leaf, and as one more page by the mean of all near leaves."""
    if not total[0]:
        return None
    sums = np.array(total[2:]) / -_HUNDREDTHS
    if own is None or own[0] < MIN_OF_LEAF:
        return kind_of(sums, total[0])
    return kind_of(np.array(own[2:]) / -_HUNDREDTHS + sums / total[0], own[0] + 1)


def _may_be_error(separation: Separation) -> bool:
    return may_be_error(page_names(separation.page), _content_words(separation))


def _content_words(separation: Separation, *, linked: bool = True) -> int:
    """Return how many words the content of a page has.

    linked  whether those in links count
    """
    runs = separation.page.text_runs
    is_counted = np.frombuffer(separation.content_mask, dtype=np.uint8)[runs.positions] > 0
    if not linked:
        is_counted &= runs.hints & np.uint8(LINKED) == 0
    return int(runs.words[is_counted].sum())
