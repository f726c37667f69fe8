"""The kinds of a site's pages: a classifier judges each page, and pages that look alike vote.

The votes of a page (:mod:`templcrawl.algorithms.page_kinds.kinds`) are added to those of its leaf.  The kind
of a page is by the sum over its own leaf, and as one more page the mean of its whole template.  So a page
type of many small leaves has one name.  A page that says itself that it is none is an error, whatever its
leaf is.

A leaf that two pages and whose page type ``SURE`` pages have voted for is sure: of its next pages only every
eighth is judged, and those whose title or headings may be an error's.

L leaves, K kinds.  Cost: O(L K) a page beyond the classifier.  Memory: 100 bytes a leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from templcrawl.algorithms.page_kinds.classifier import classify_kind
from templcrawl.algorithms.page_kinds.error_pages import may_be_error
from templcrawl.algorithms.page_kinds.evidence import headings
from templcrawl.algorithms.page_kinds.kinds import ERROR, KINDS, PageKind, kind_of
from templcrawl.errors import BrokenInvariant
from templcrawl.memory.columns import Column, Columns, Section
from templcrawl.memory.kinds import COUNTS
from templcrawl.page.separation import Separation

SURE = 12
LEAST_OF_LEAF = 2
EVERY = 8
MOST_LEAVES = 4_096
_HUNDREDTHS = 100

Votes = list[int]


class KindTable(Section):
    """The votes of the leaves of one site, in hundredths: whole numbers, so that their order does not matter.

    _votes  leaf -> how many pages have voted, how many were counted, and for each kind the votes against it
    """

    def __init__(self) -> None:
        self._votes: dict[int, Votes] = {}

    def classify(
        self, separation: Separation, leaf: int | None, template: Callable[[int], int], *, learn: bool
    ) -> PageKind:
        """Return the kind of a page as known now.

        leaf      its leaf; None where pages have no labels: then the page is judged alone
        template  leaf -> its template, as known now
        learn     whether the page is new, and votes
        """
        if leaf is None:
            return kind_of(classify_kind(separation).logs)
        votes = self._votes.get(leaf)
        if votes is None:
            if len(self._votes) >= MOST_LEAVES:
                self._votes.pop(next(iter(self._votes)))
            votes = self._votes[leaf] = [0] * (2 + len(KINDS))
        if not learn or votes[1] % EVERY == 0 or self._is_unsure(votes, leaf, template, separation):
            judged = classify_kind(separation)
            if judged.is_error:
                return PageKind(KINDS[ERROR], float(np.exp(judged.logs[ERROR])))
            if learn:
                votes[0] += 1
                for kind, vote in enumerate(judged.votes.tolist(), 2):
                    votes[kind] += round(-_HUNDREDTHS * vote)
            elif not votes[0]:
                return kind_of(judged.logs)
        votes[1] += learn
        return self.kind_of_leaf(leaf, template) or PageKind(KINDS[ERROR], 0.5)

    def _is_unsure(
        self, votes: Votes, leaf: int, template: Callable[[int], int], separation: Separation
    ) -> bool:
        """Return whether a page of a leaf is to be judged."""
        page, wanted = separation.page, template(leaf)
        if votes[0] < LEAST_OF_LEAF or may_be_error(
            (page.title, *headings(page)), page.text_runs.words.sum()
        ):
            return True
        return sum(of_it[0] for other, of_it in self._votes.items() if template(other) == wanted) < SURE

    @property
    def leaves(self) -> Collection[int]:
        """The leaves that have pages."""
        return self._votes.keys()

    def kind_of_leaf(self, leaf: int, template: Callable[[int], int]) -> PageKind | None:
        """Return the kind of the pages of a leaf, None where none of them has voted."""
        wanted = template(leaf)
        alike = [votes for other, votes in self._votes.items() if votes[0] and template(other) == wanted]
        if not alike:
            return None
        total = np.array(alike).sum(axis=0)
        own = np.array(self._votes.get(leaf) or total)
        pages = int(own[0]) + 1
        sums = own[2:] + total[2:] / max(1, int(total[0]))
        return kind_of(sums / -_HUNDREDTHS, pages)

    def columns(self) -> Sequence[Column]:
        """Return the leaves and their votes."""
        return [
            Columns(
                {"kind_leaves": COUNTS, "kind_votes": COUNTS},
                lambda: [list(self._votes), [vote for votes in self._votes.values() for vote in votes]],
                self._set,
            )
        ]

    def _set(self, leaves: Sequence[int], votes: Sequence[int]) -> None:
        size = 2 + len(KINDS)
        rows = [[*votes[start : start + size]] for start in range(0, len(votes), size)]
        self._votes = dict(zip(leaves, rows, strict=True))

    def validate(self) -> None:
        """Raise BrokenInvariant where votes are missing or over their limit."""
        super().validate()
        size = 2 + len(KINDS)
        if len(self._votes) > MOST_LEAVES or any(len(votes) != size for votes in self._votes.values()):
            raise BrokenInvariant(
                "KindTable", f"{len(self._votes)} leaves, or votes of another number of kinds"
            )
