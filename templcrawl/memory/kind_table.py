"""The kinds of a site's pages: a classifier judges each page, and pages that look alike vote.

The votes of a page (:mod:`templcrawl.algorithms.page_kinds.kinds`) are added to those of its leaf.  The kind
of a page is by the sum over its whole template.  Where its own leaf has ``LEAST_OF_LEAF`` votes, it is by the
sum over the leaf, and as one more page the mean of the template.  So a page type of many small leaves has one
name.  A page that says itself that it is none is an error, whatever its leaf is.  A page whose content has
fewer than ``LEAST_OF_ARTICLE`` words outside links is no article, but ``other``, whatever its leaf is.

The first ``SURE`` pages of a template are judged, and of its next pages every sixteenth, and those whose
title or headings may be an error's.  Sums over templates are kept until their view is renewed.

While a site has ``FEW_LEAVES`` leaves or fewer, the template of a new one is not sure: each of the first
``LEAST_OF_LEAF`` pages of a leaf is judged when it comes, and its name is by its own votes and, as one more
page, the mean of its template.

L leaves, K kinds.  Cost: O(K) a page beyond the classifier, and O(L K) once after each view.  Memory: 200
bytes a leaf.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from operator import add
from typing import Protocol

import numpy as np

from templcrawl.algorithms.page_kinds.classifier import classify_kind, may_be_error
from templcrawl.algorithms.page_kinds.evidence import page_names
from templcrawl.algorithms.page_kinds.kinds import ERROR, KINDS, PageKind, kind_of
from templcrawl.errors import BrokenInvariant
from templcrawl.memory.snapshot_parts import Entries, Part, Section
from templcrawl.memory.snapshot_values import COUNTS
from templcrawl.page.separation import Separation
from templcrawl.page.vocabulary import LINKED

SURE = 4
EVERY = 16
LEAST_OF_LEAF = 3
LEAST_OF_ARTICLE = 10
FEW_LEAVES = 8
MOST_LEAVES = 4_096
ARTICLE, OTHER = "article", "other"
_HUNDREDTHS = 100

_SIZE = 2 + len(KINDS)
_NO_VOTES = (0,) * len(KINDS)
_NONE = (0,) * _SIZE

Votes = list[int]


class Templates(Protocol):
    """The templates of a site's leaves, as known now."""

    @property
    def view(self) -> object:
        """What stays the same object until the template of an earlier leaf may have changed."""

    def template(self, leaf: int) -> int:
        """Return the template of a leaf."""


class KindTable(Section):
    """The votes of the leaves of one site, in hundredths: whole numbers, so that their order does not matter.

    _votes  leaf -> how many pages have voted, how many were counted, and for each kind the votes against it
    _sums   template -> the sum of the votes of its leaves, as of ``_view``
    """

    def __init__(self) -> None:
        self._votes: dict[int, Votes] = {}
        self._sums: defaultdict[int, Votes] = defaultdict(_no_votes)
        self._view: object = None

    def classify(
        self, separation: Separation, leaf: int | None, templates: Templates, *, learn: bool
    ) -> PageKind:
        """Return the kind of a page as known now.

        leaf       its leaf; None where pages have no labels: then the page is judged alone
        templates  those of the site
        learn      whether the page is new, and votes
        """
        kind = self._classify(separation, leaf, templates, learn=learn)
        is_bare = kind.name == ARTICLE and _content_words(separation, linked=False) < LEAST_OF_ARTICLE
        return PageKind(OTHER, 0.5) if is_bare else kind

    def _classify(
        self, separation: Separation, leaf: int | None, templates: Templates, *, learn: bool
    ) -> PageKind:
        """Return the kind of a page by its own evidence and by the votes of its leaf and template."""
        if leaf is None:
            return kind_of(classify_kind(separation).logs)
        voted, counted, *_ = self._sum_of(leaf, templates)
        is_drawn = voted < SURE or counted % EVERY == 0 or _may_be_error(separation)
        is_few = learn and len(self._votes) <= FEW_LEAVES
        is_early = is_few and self._votes.get(leaf, _NONE)[1] < LEAST_OF_LEAF
        judged = None
        if not learn or is_drawn or is_early:
            judged = classify_kind(separation)
            if judged.is_error:
                return PageKind(KINDS[ERROR], float(np.exp(judged.logs[ERROR])))
            if not learn and not voted:
                return kind_of(judged.logs)
        if learn:
            votes = judged.votes.tolist() if judged is not None and is_drawn else _NO_VOTES
            self._add(leaf, [int(is_drawn), 1, *(round(-_HUNDREDTHS * vote) for vote in votes)], templates)
        if is_early and judged is not None:
            total = self._sum_of(leaf, templates)
            return kind_of(judged.votes + np.array(total[2:]) / (-_HUNDREDTHS * max(1, total[0])), 2)
        return self.kind_of_leaf(leaf, templates) or PageKind(KINDS[ERROR], 0.5)

    def _add(self, leaf: int, votes: Votes, templates: Templates) -> None:
        """Add a page to its leaf and its template."""
        if leaf not in self._votes and len(self._votes) >= MOST_LEAVES:
            self._votes.pop(next(iter(self._votes)))
            self._view = None
        own, total = self._votes.setdefault(leaf, _no_votes()), self._sum_of(leaf, templates)
        for column, vote in enumerate(votes):
            own[column] += vote
            total[column] += vote

    def _sum_of(self, leaf: int, templates: Templates) -> Votes:
        """Return the sum of the votes of a leaf's template, which changes with them."""
        if self._view is None or self._view is not templates.view:
            self._view = templates.view
            self._sums.clear()
            for other, votes in self._votes.items():
                total = self._sums[templates.template(other)]
                total[:] = map(add, total, votes)
        return self._sums[templates.template(leaf)]

    @property
    def leaves(self) -> Collection[int]:
        """The leaves that have pages."""
        return self._votes.keys()

    def kind_of_leaf(self, leaf: int, templates: Templates) -> PageKind | None:
        """Return the kind of the pages of a leaf, None where none of its template has voted."""
        total, own = self._sum_of(leaf, templates), self._votes.get(leaf)
        if not total[0]:
            return None
        sums = np.array(total[2:]) / -_HUNDREDTHS
        if own is None or own[0] < LEAST_OF_LEAF:
            return kind_of(sums, total[0])
        return kind_of(np.array(own[2:]) / -_HUNDREDTHS + sums / total[0], own[0] + 1)

    def parts(self) -> Sequence[Part]:
        """Return the leaves and their votes."""
        return [
            Entries(
                {"kind_leaves": COUNTS, "kind_votes": COUNTS},
                lambda: [list(self._votes), [vote for votes in self._votes.values() for vote in votes]],
                self._set,
            )
        ]

    def _set(self, leaves: Sequence[int], votes: Sequence[int]) -> None:
        rows = [[*votes[start : start + _SIZE]] for start in range(0, len(votes), _SIZE)]
        self._votes = dict(zip(leaves, rows, strict=True))
        self._view = None

    def validate(self) -> None:
        """Raise BrokenInvariant where votes are missing or over their limit."""
        super().validate()
        if len(self._votes) > MOST_LEAVES or any(len(votes) != _SIZE for votes in self._votes.values()):
            raise BrokenInvariant(
                "KindTable", f"{len(self._votes)} leaves, or votes of another number of kinds"
            )


def _no_votes() -> Votes:
    return [0] * _SIZE


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
