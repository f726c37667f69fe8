"""The state of the order ``distiller`` for a site: relevant pages, and the pagelets that lead to them.

Source: :mod:`templcrawl.algorithms.crawl_order.distiller`.  Hubs are computed anew each time that the number
of pages has grown by a tenth, and by ``MIN_GROWTH``.  So all runs together cost about ten times the last one.
Relevance and scores are stored in thousandths, so that they are the same after every restart.

Cost: O(links) a page, O(1) a link; a run O(``MAX_REACHED``) an iteration.  Memory: 100 bytes a link target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from templcrawl.algorithms.crawl_order.distiller import hub_scores, promise_of
from templcrawl.memory.key_tables import CountTable, NumberList
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, Numbers, Section, Snapshot

MAX_REACHED = 1_000  # relevant pages, those met last, that make hubs: a run stays below some 30 ms
MIN_GROWTH = 10  # pages of the site between two runs
_GROWTH = 1.1
_UNIT = 1_000


class HubTable(Section):
    """The hubs of a site.

    >>> table = HubTable(limit=100)
    >>> table.note_links([1, 2], 0.25)
    >>> table.reach(3, 1.0)
    >>> table.distill({3: (7,)}.__getitem__)
    >>> table.promise(1, (8,), is_template=False), table.promise(4, (7, 8), is_template=False)
    (0.625, 1.0)
    """

    sections = ("_parents", "_reached", "_hubs")

    def __init__(self, limit: int) -> None:
        """Make an empty table; ``limit`` link targets may have a parent."""
        self._parents = CountTable(limit)  # target -> relevance of the most relevant page with a link to it
        self._reached = CountTable(MAX_REACHED)  # relevant page that a link of the site led to -> relevance
        self._hubs = CountTable(limit)  # pagelet -> hub score, by the last run
        self._pages = 0
        self._next_run = MIN_GROWTH

    @property
    def is_due(self) -> bool:
        """True once the pages have grown enough since the last run."""
        return self._pages >= self._next_run

    def note_links(self, targets: Iterable[int], relevance: float) -> None:
        """Note the links of a page of the site."""
        self._pages += 1
        if own := round(relevance * _UNIT):
            for target in dict.fromkeys(targets):
                self._parents[target] = max(own, self._parents.get(target))

    def reach(self, page: int, relevance: float) -> None:
        """Note a page, of this or another site, that links of the site led to."""
        if own := round(relevance * _UNIT):
            self._reached[page] = own

    def distill(self, pagelets: Callable[[int], Iterable[int]]) -> None:
        """Compute the hubs anew.

        pagelets  page -> pagelets with a link to it that are not template
        """
        relevance = {page: own / _UNIT for page, own in self._reached.items()}
        scores = hub_scores(((page, pagelets(page)) for page in relevance), relevance)
        self._hubs = CountTable(self._hubs.limit)
        for pagelet, score in scores.items():
            if own := round(score * _UNIT):
                self._hubs[pagelet] = own
        self._next_run = max(self._pages + MIN_GROWTH, round(_GROWTH * self._pages))

    def promise(self, target: int, pagelets: NumberList, *, is_template: bool) -> float:
        """Return how promising a link is.

        pagelets     those with a link to the target
        is_template  whether these are all template
        """
        hubs = (self._hubs.get(pagelet) / _UNIT for pagelet in pagelets)
        return promise_of(self._parents.get(target) / _UNIT, hubs, is_template=is_template)

    def columns(self) -> Frozen:
        """Return the number of pages, and the number at which hubs are computed anew."""
        return {"pages": Numbers([self._pages, self._next_run])}

    def load(self, snapshot: Snapshot) -> None:
        """Restore the numbers."""
        self._pages, self._next_run = snapshot.numbers("pages", count=2, below=MAX_COUNT).tolist()
