"""The template of one page on demand: which pages to load, and what of the page is template.

Source: Alarte, Insa, Silva, Tamarit (2014): the complete subdigraph among the pages that a key page links to
(Algorithm 1, :mod:`templcrawl.algorithms.site_template.complete_subdigraph`), then the equal top-down
mapping of the key page with each page of it (Algorithm 2, :mod:`templcrawl.algorithms.site_template.etdm`).

Cost: the key page and each page loaded are read once; each page of the subdigraph is mapped once.
"""

from __future__ import annotations

from collections.abc import Callable

from templcrawl.algorithms.site_template.complete_subdigraph import MOST_PAGES, SIZE, SubdigraphSearch
from templcrawl.algorithms.site_template.etdm import separate_by_mapping
from templcrawl.algorithms.site_template.menu_order import menu_order, site_links
from templcrawl.algorithms.site_template.node_equality import Equality, weighted
from templcrawl.page.nodes import Nodes
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation


class TemplateSearch:
    """A search that asks for pages, is told them, and separates its key page.

    >>> menu = "<nav>" + "".join(f"<a href=/{name}>{name}</a> " for name in "abcde") + "</nav>"
    >>> site = {f"http://e.org/{name}": f"{menu}<p>Page {name}</p>" for name in "abcde"}
    >>> search = TemplateSearch(Page(site["http://e.org/a"], "http://e.org/a"), size=2)
    >>> while (url := search.next_url()) is not None:
    ...     search.tell(url, Page(site[url], url))
    >>> search.subdigraph, search.separation().content_text
    (['http://e.org/b', 'http://e.org/c'], 'Page a')
    """

    def __init__(
        self,
        key: Page,
        *,
        size: int = SIZE,
        most_pages: int = MOST_PAGES,
        menu_first: bool = True,
        equality: Equality = weighted,
        is_page: Callable[[str], bool] = lambda url: True,
    ) -> None:
        """Start from a key page.

        size        pages of the subdigraph sought
        most_pages  pages that are loaded at most, the key page not counted
        menu_first  whether the links of the menu come first, or all in document order
        equality    which nodes are equal
        is_page     URL -> whether it may lead to a page

        Raises InvalidOption for numbers that are not accepted.
        """
        self.key = key
        self.tree = Nodes(key)
        self._equality = equality
        self._is_page = is_page
        links = site_links(key)
        if menu_first:
            links = menu_order(self.tree, links)
        urls = [key.links.urls[number] for number in links]
        self._search = SubdigraphSearch(filter(is_page, urls), size=size, most_pages=most_pages)
        self._pages: dict[str, Page] = {}

    @property
    def loaded(self) -> list[str]:
        """The URLs that were told, in order."""
        return self._search.loaded

    @property
    def subdigraph(self) -> list[str]:
        """The largest complete subdigraph so far."""
        return self._search.best

    def next_url(self) -> str | None:
        """Return what is to be loaded next, None when the search is over."""
        return self._search.next_page()

    def tell(self, url: str, page: Page | None) -> None:
        """Take in the page behind a URL.

        page  None if it could not be loaded; it may have another URL, after redirects: one of another
              site, of the key page or of a page that was told before says nothing
        """
        told = {self.key.url, *(known.url for known in self._pages.values())}
        if page is None or page.host != self.key.host or page.url in told:
            self._search.tell(url, None)
            return
        self._pages[url] = page
        self._search.tell(url, [page.links.urls[number] for number in site_links(page)])

    def separation(self) -> Separation:
        """Return the key page told apart by the pages of the subdigraph; without one all is content."""
        others = [Nodes(self._pages[url]) for url in self.subdigraph]
        return Separation(self.key, separate_by_mapping(self.tree, others, self._equality))
