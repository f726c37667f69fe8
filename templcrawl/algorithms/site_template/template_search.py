"""The template of one page on demand: the search for pages to load, and the separation by them.

Source: Alarte, Insa, Silva, Tamarit (2014): the complete subdigraph among the pages that a key page links to
(Algorithm 1, :mod:`templcrawl.algorithms.site_template.complete_subdigraph`), then the equal top-down mapping
of the key page with each page of it (Algorithm 2, :mod:`templcrawl.algorithms.site_template.etdm`).  Ours:
the links of the menu are loaded first (:func:`menu_order`), then pages like the key page
(:func:`alike_first`).

m nodes, n links.  Cost: the key page and each page loaded are read once; each page of the subdigraph is
mapped once; O(m) and O(n log n) for the order of links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import takewhile

import numpy as np

from templcrawl.algorithms.site_template.complete_subdigraph import MAX_PAGES, SIZE, SubdigraphSearch
from templcrawl.algorithms.site_template.etdm import separate_by_mapping
from templcrawl.algorithms.site_template.nodes import Equality, Nodes, weighted
from templcrawl.page.addresses import host_of, path_and_query
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation


class TemplateSearch:
    """A search that asks for pages, takes them, and separates its key page.

    >>> menu = "<nav>" + "".join(f"<a href=/{name}>{name}</a> " for name in "abcde") + "</nav>"
    >>> site = {f"http://e.org/{name}": f"{menu}<p>Page {name}</p>" for name in "abcde"}
    >>> search = TemplateSearch(Page(site["http://e.org/a"], "http://e.org/a"), size=2)
    >>> while (url := search.next_url()) is not None:
    ...     search.add_page(url, Page(site[url], url))
    >>> search.subdigraph, search.separation().content_text
    (['http://e.org/b', 'http://e.org/c'], 'Page a')
    """

    def __init__(
        self,
        key: Page,
        *,
        size: int = SIZE,
        most_pages: int = MAX_PAGES,
        pages: int = 0,
        menu_first: bool = True,
        is_page: Callable[[str], bool] = lambda url: True,
    ) -> None:
        """Start from a key page.

        size        pages of the subdigraph sought
        most_pages  pages that are loaded at most, the key page not counted
        pages       pages that are loaded in all, where the key page links to so many (``most_pages`` at
                    most): beyond those that the subdigraph takes, the ones most like the key page
        menu_first  whether the links of the menu come first, or all in document order
        is_page     URL -> whether it may lead to a page

        Raises InvalidOption for numbers that are not accepted.
        """
        self.key = key
        self.tree = Nodes(key)
        links = site_links(key)
        ordered = menu_order(self.tree, links) if menu_first else links
        urls, by_order = ([key.links.urls[number] for number in numbers] for numbers in (links, ordered))
        self._search = SubdigraphSearch(filter(is_page, by_order), size=size, most_pages=most_pages)
        self._like = alike_first(key.url, filter(is_page, urls))
        self._pages_sought = min(pages, most_pages)
        self._pages: dict[str, Page | None] = {}

    @property
    def loaded(self) -> list[str]:
        """The URLs that were given, in order."""
        return list(self._pages)

    @property
    def pages(self) -> list[Page]:
        """The pages that were given and count, in order."""
        return [page for page in self._pages.values() if page is not None]

    @property
    def subdigraph(self) -> list[str]:
        """The largest complete subdigraph so far."""
        return self._search.best

    def next_url(self) -> str | None:
        """Return the URL to load next, None when the search is over."""
        url = self._search.next_page()
        if url is None and len(self._pages) < self._pages_sought:
            url = next((like for like in self._like if like not in self._pages), None)
        return url

    def add_page(self, url: str, page: Page | None) -> None:
        """Add the page behind a URL.

        page  None if it could not be loaded; it may have another URL, after redirects: one of another
              site, of the key page or of a page that was given before does not count
        """
        given = {self.key.url, *(other.url for other in self.pages)}
        if page is not None and (page.host != self.key.host or page.url in given):
            page = None
        self._pages[url] = page
        if not self._search.is_over:
            links = None if page is None else [page.links.urls[number] for number in site_links(page)]
            self._search.add_page(url, links)

    def separation(self, equality: Equality = weighted) -> Separation:
        """Return the key page's separation by the pages of the subdigraph; without these all is content."""
        members = map(self._pages.get, self.subdigraph)
        others = [Nodes(page) for page in members if page is not None]
        return Separation(self.key, separate_by_mapping(self.tree, others, equality))


def alike_first(key: str, urls: Iterable[str]) -> list[str]:
    """Return URLs, those most like a key page's first, equals in their order.

    The pages of a site's menu are often of other kinds than the key page, and lack what the template of its
    own kind has besides.  So the search can go on with the pages that are most like it, by their addresses:
    pages of one kind stand in one directory as a rule.  An address is the more like another the larger the
    share of *directories* (the parts of its path but the last) that both begin with, in those of the deeper
    one; among equals, the nearer in depth; then, where both have a query or neither.

    >>> alike_first("http://e.org/tea/green", ["http://e.org/shop", "http://e.org/tea/black"])
    ['http://e.org/tea/black', 'http://e.org/shop']
    """
    own, has_query = _directories(key)

    def unlikeness(url: str) -> tuple[float, int, bool]:
        directories, queried = _directories(url)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, directories)))
        deeper = max(len(own), len(directories))
        return -common / deeper if deeper else -1.0, abs(len(own) - len(directories)), has_query != queried

    return sorted(urls, key=unlikeness)


def _directories(url: str) -> tuple[list[str], bool]:
    path, query = path_and_query(url)
    return [part for part in path.split("/") if part][:-1], bool(query)


LEAST = 4  # links that make an element a possible menu: pages sought of a complete subdigraph


def site_links(page: Page) -> list[int]:
    """Return the links of a page to other pages of its host, the first to each page: numbers of links.

    >>> page = Page("<a href=/b>B</a><a href=/a>A</a><a href=/b#c>B</a><a href=//x.org/>X</a>", "http://e.org/a")
    >>> [page.links.urls[number] for number in site_links(page)]
    ['http://e.org/b']
    """
    host = page.host
    own = page.url.partition("#")[0]
    first: dict[str, int] = {}
    for number, url in enumerate(page.links.urls):
        if url != own and url not in first and host_of(url) == host:
            first[url] = number
    return list(first.values())


def menu_order(tree: Nodes, links: list[int], *, least: int = LEAST) -> list[int]:
    """Return the links in another order: those first that stand where links are densest.

    A page's menu has one of its highest shares of links among its nodes, so it can be found on the page
    itself (section 6, as future work).  Here each element with at least ``LEAST`` links has a *ratio*, of the
    links in it to the nodes in it, in fifths: what is finer tells long lists from short ones, not menus from
    lists.  A link has the highest ratio of the elements around it; links come by that ratio, then in document
    order.

    tree   nodes of the page
    links  numbers of links of that page

    >>> menu = "".join(f"<li><a href={n}>{n}</a>" for n in range(4))
    >>> page = Page(f"<p>See<br><br><br><a href=z>z</a><br><br></p><ul>{menu}</ul>", "http://e.org/")
    >>> menu_order(Nodes(page), [0, 1, 2, 3, 4])
    [1, 2, 3, 4, 0]
    """
    page = tree.page
    node_of = np.zeros(len(page.elements), dtype=np.intp)
    is_element = ~tree.texts
    node_of[tree.elements[is_element]] = np.flatnonzero(is_element)
    nodes = node_of[[page.links.elements[number] for number in links]]
    counts = np.concatenate(([0], np.cumsum(np.bincount(nodes, minlength=len(tree)))))
    inside = counts[tree.stops] - counts[:-1]
    sizes = tree.stops - np.arange(len(tree))
    ratios = np.where(inside >= least, np.round(5 * inside / sizes), 0.0).tolist()
    for node, parent in enumerate(tree.parents.tolist()):
        if parent >= 0:
            ratios[node] = max(ratios[node], ratios[parent])
    highest = {number: ratios[node] for number, node in zip(links, nodes.tolist())}
    return sorted(links, key=lambda number: (-highest[number], number))
