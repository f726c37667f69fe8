"""The pages of a site's menu: a complete subdigraph among the pages that a key page links to.

Pages that all link to each other are as a rule those of the site's menu, so they share its template.

Source: Alarte, Insa, Silva, Tamarit, "Web Template Extraction Based on Hyperlink Analysis" (2014), Algorithm
1.  The key page's links R are loaded one by one.  After each, the largest set of loaded pages is looked for
that contains the newest and in which every two link to each other; the search ends with the first of n pages,
else with the largest found.  n = 4 as in the paper.  One page alone counts as a set of one.

Departures: which page is next (:class:`SubdigraphSearch`), and maximal cliques in place of all subsets
(:func:`largest_clique`).  Cost: O(|R| log |R|) a page beyond the cliques.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from templcrawl.errors import InvalidOption

SIZE = 4  # pages sought, as in the paper
MAX_PAGES = 20  # that are loaded
PATIENCE = 8  # pages loaded, of which no two link to each other
MAX_BRANCHES = 10_000  # of one search for a clique, whatever links to what

T = TypeVar("T", bound=Hashable)


class SubdigraphSearch(Generic[T]):
    """A search that asks for pages and takes their links.

    By default the next page is the one that most of the loaded pages link to, the first of R among equals,
    since every page links to the pages of the menu (``follow_links=False`` goes through R as printed); at
    most ``most_pages`` are loaded, none that cannot be in a larger set than the best, and none after
    ``patience`` pages that no two link to each other.

    links   what the key page links to, in the order in which it is to be tried
    loaded  the pages whose links were given, in order
    best    the largest complete subdigraph so far, in the order of loading

    >>> site = {"tea": ["milk", "news"], "milk": ["tea", "jobs"], "jobs": []}
    >>> search = SubdigraphSearch(["tea", "milk", "jobs"], size=2)
    >>> while (page := search.next_page()) is not None:
    ...     search.add_page(page, site[page])
    >>> search.best, search.loaded
    (['tea', 'milk'], ['tea', 'milk'])
    """

    def __init__(
        self,
        links: Iterable[T],
        *,
        size: int = SIZE,
        most_pages: int = MAX_PAGES,
        patience: int = PATIENCE,
        follow_links: bool = True,
    ) -> None:
        """Start a search.

        links         what the key page links to, without itself
        size          pages sought
        most_pages    pages that are loaded at most
        patience      pages after which a search ends that has not found two that link to each other
        follow_links  whether pages that loaded pages link to come first

        Raises InvalidOption for a number below 1, and for fewer ``most_pages`` than ``size``.
        """
        for name, value in (("size", size), ("most_pages", most_pages), ("patience", patience)):
            if value < 1:
                raise InvalidOption(name, value, "a whole number of 1 or more")
        if most_pages < size:
            raise InvalidOption("most_pages", most_pages, f"{size} or more, the size of the subdigraph")
        self.links = list(dict.fromkeys(links))
        self.loaded: list[T] = []
        self.best: list[T] = []
        self._size = size
        self._most = most_pages
        self._patience = patience
        self._follows = follow_links
        self._waiting = dict.fromkeys(self.links, 0)
        self._out: dict[T, frozenset[T]] = {}
        self._mutual: dict[T, set[T]] = {}

    @property
    def is_over(self) -> bool:
        """True if no further page is wanted."""
        return (
            len(self.best) >= self._size
            or len(self.loaded) >= self._most
            or (len(self.best) < min(2, self._size) and len(self.loaded) >= self._patience)
            or not self._waiting
        )

    def next_page(self) -> T | None:
        """Return the page that is to be loaded next, None when the search is over."""
        if self.is_over:
            return None
        waiting = list(self._waiting)
        if self._follows:  # the page that most of the loaded pages link to comes next
            waiting.sort(key=lambda page: -self._waiting[page])
        for page in waiting:
            if self._may_improve(page):
                return page
        self._waiting.clear()
        return None

    def add_page(self, page: T, links: Iterable[T] | None) -> None:
        """Add the links of a loaded page.

        links  None for a page that could not be loaded: it is in no set

        Raises InvalidOption for a page that is not waiting.
        """
        if page not in self._waiting:
            raise InvalidOption("page", page, "a page of the search whose links were not added before")
        del self._waiting[page]
        self.loaded.append(page)
        if links is None:
            return
        self._out[page] = frozenset(links) - {page}
        for target in self._out[page]:
            if target in self._waiting:
                self._waiting[target] += 1
        mutual = {other for other in self._mutual if other in self._out[page] and page in self._out[other]}
        self._mutual[page] = mutual
        for other in mutual:
            self._mutual[other].add(page)
        clique = largest_clique(self._mutual, page, self._size, at_least=len(self.best) + 1)
        if clique:
            self.best = [member for member in self.loaded if member in clique]

    def _may_improve(self, page: T) -> bool:
        """Return whether a page can be in a larger set than the best, as far as its links are not known.

        The others of the set are loaded and link to it, or are not loaded yet.
        """
        to_come = min(len(self._waiting), self._most - len(self.loaded))
        if to_come + self._waiting[page] <= len(self.best):
            return False
        needed = len(self.best) + 1 - to_come
        if needed < 1:
            return True
        linking = [member for member in self._mutual if page in self._out[member]]
        among = {member: self._mutual[member] & set(linking) for member in linking}
        return any(largest_clique(among, member, needed, at_least=needed) for member in linking)


def largest_clique(neighbours: dict[T, set[T]], vertex: T, enough: int, *, at_least: int = 1) -> frozenset[T]:
    """Return a largest clique that contains a vertex, or the first of ``enough`` vertices.

    The paper's text runs through all subsets.  We run through the maximal cliques (Bron & Kerbosch 1973)
    around the vertex, those left out early that cannot be larger than the best, and at most ``MAX_BRANCHES``
    of them.

    neighbours  vertex -> the vertices it has an edge to
    at_least    smaller ones are not wanted: then the answer is empty

    Of equal ones the first in the order of ``neighbours``.  After ``MAX_BRANCHES`` branches the best so far.

    >>> graph = {1: {2, 3}, 2: {1, 3}, 3: {1, 2, 4}, 4: {3}}
    >>> sorted(largest_clique(graph, 3, 4)), sorted(largest_clique(graph, 4, 4))
    ([1, 2, 3], [3, 4])
    """
    order = {candidate: number for number, candidate in enumerate(neighbours)}
    best: frozenset[T] = frozenset()
    branches = 0
    waiting = [(frozenset({vertex}), sorted(neighbours[vertex], key=order.__getitem__))]
    while waiting and len(best) < enough and branches < MAX_BRANCHES:
        clique, candidates = waiting.pop()
        branches += 1
        if len(clique) + len(candidates) < max(at_least, len(best) + 1):
            continue
        if len(clique) > len(best) and len(clique) >= at_least:
            best = clique
        for index in reversed(range(len(candidates))):
            near = neighbours[candidates[index]]
            beyond = [other for other in candidates[index + 1 :] if other in near]
            waiting.append((clique | {candidates[index]}, beyond))
    return best
