"""The template of one page on demand: which pages to load, and what of the page is template.

Source: Alarte, Insa, Silva, Tamarit (2014): the complete subdigraph among the pages that a key page links to
(Algorithm 1, :mod:`templcrawl.algorithms.site_template.complete_subdigraph`), then the equal top-down
mapping of the key page with each page of it (Algorithm 2, :mod:`templcrawl.algorithms.site_template.etdm`).

Ours: for whatever compares pages in another way, the search can go on with the pages that are most like the
key page (:mod:`templcrawl.algorithms.site_template.like_pages`), which those of its menu often are not.

Cost: the key page and each page loaded are read once; each page of the subdigraph is mapped once.
"""

from __future__ import annotations

from collections.abc import Callable

from templcrawl.algorithms.site_template.complete_subdigraph import MOST_PAGES, SIZE, SubdigraphSearch
from templcrawl.algorithms.site_template.etdm import separate_by_mapping
from templcrawl.algorithms.site_template.like_pages import alike_first
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
        pages: int = 0,
        menu_first: bool = True,
        equality: Equality = weighted,
        is_page: Callable[[str], bool] = lambda url: True,
    ) -> None:
        """Start from a key page.

        size        pages of the subdigraph sought
        most_pages  pages that are loaded at most, the key page not counted
        pages       pages that are loaded in all, where the key page links to so many (``most_pages`` at
                    most): beyond those that the subdigraph takes, the ones most like the key page
        menu_first  whether the links of the menu come first, or all in document order
        equality    which nodes are equal
        is_page     URL -> whether it may lead to a page

        Raises InvalidOption for numbers that are not accepted.
        """
        self.key = key
        self.tree = Nodes(key)
        self._equality = equality
        links = site_links(key)
        ordered = menu_order(self.tree, links) if menu_first else links
        urls, by_order = ([key.links.urls[number] for number in numbers] for numbers in (links, ordered))
        self._search = SubdigraphSearch(filter(is_page, by_order), size=size, most_pages=most_pages)
        self._like = alike_first(key.url, filter(is_page, urls))
        self._pages_sought = min(pages, most_pages)
        self._pages: dict[str, Page | None] = {}

    @property
    def loaded(self) -> list[str]:
        """The URLs that were told, in order."""
        return list(self._pages)

    @property
    def pages(self) -> list[Page]:
        """The pages that were told and say something, in order."""
        return [page for page in self._pages.values() if page is not None]

    @property
    def subdigraph(self) -> list[str]:
        """The largest complete subdigraph so far."""
        return self._search.best

    def next_url(self) -> str | None:
        """Return what is to be loaded next, None when the search is over."""
        url = self._search.next_page()
        if url is None and len(self._pages) < self._pages_sought:
            url = next((like for like in self._like if like not in self._pages), None)
        return url

    def tell(self, url: str, page: Page | None) -> None:
        """Take in the page behind a URL.

        page  None if it could not be loaded; it may have another URL, after redirects: one of another
              site, of the key page or of a page that was told before says nothing
        """
        told = {self.key.url, *(known.url for known in self.pages)}
        if page is not None and (page.host != self.key.host or page.url in told):
            page = None
        is_for_subdigraph = not self._search.is_over
        self._pages[url] = page
        if is_for_subdigraph:
            links = None if page is None else [page.links.urls[number] for number in site_links(page)]
            self._search.tell(url, links)

    def separation(self) -> Separation:
        """Return the key page told apart by the pages of the subdigraph; without one all is content."""
        of_subdigraph = map(self._pages.get, self.subdigraph)
        others = [Nodes(page) for page in of_subdigraph if page is not None]
        return Separation(self.key, separate_by_mapping(self.tree, others, self._equality))
