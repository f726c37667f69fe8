"""The spider that extracts the template of one page: it loads as few further pages as it can, one by one.

:class:`~templcrawl.algorithms.site_template.template_search.TemplateSearch` selects these pages.  Their vote
separates the template of the key page.  The paper's way (``etdm``) maps the key page onto pages that link to
each other, and loads no others.  With the memory of a crawl that has seen the site no page is loaded: what
the crawl has learned separates the page.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.settings import BaseSettings
from scrapy.utils.url import url_has_any_extension
from twisted.python.failure import Failure

from templcrawl.algorithms.site_template.complete_subdigraph import MAX_PAGES, SIZE
from templcrawl.algorithms.site_template.nodes import EQUALITIES, Nodes
from templcrawl.algorithms.site_template.template_search import TemplateSearch, menu_order, site_links
from templcrawl.crawl.response_page import page_of
from templcrawl.crawl.saved_site import SavedSite, saved_start
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.page.page import Page
from templcrawl.page.saved_pages import host_named_after
from templcrawl.page.separation import Separation, whole
from templcrawl.page.template_page import template_page
from templcrawl.page.text import storable

_DENIED = ["." + extension for extension in IGNORED_EXTENSIONS]
_MIDDLEWARES = "DOWNLOADER_MIDDLEWARES"
_EQUALITIES = tuple(EQUALITIES)
_ORDERS = ("menu", "plain")
WAYS = ("vote", "etdm")
PAGES = 10  # pages that vote, if the key page links to as many


@dataclass
class TemplateItem:
    """The template of a page.

    url             address of the key page, after redirects
    pages_loaded    pages that were loaded in addition to the key page
    subdigraph      the loaded pages that link to each other
    template_html   the template as a page that opens in a browser
    template_nodes  elements and text runs of the key page that are template
    content_nodes   elements and text runs of the key page that are content
    pages_compared  further pages that the key page was compared with
    menu_links      ``url`` and ``text`` of the template's links to other pages of the site, the menu's first
    truncated       names of the limits that the key page hit: what is beyond them was not read
    """

    url: str
    pages_loaded: int
    subdigraph: list[str]
    template_html: str
    template_nodes: int
    content_nodes: int
    pages_compared: int = 0
    menu_links: list[dict[str, str]] = field(default_factory=list)
    truncated: list[str] = field(default_factory=list)


class TemplateSpider(Spider):
    """Extract the template of a page.

    url         the key page: a URL; or the path of a saved site's folder, or of one of its pages
    folder      folder of a saved site, if the page is in a subfolder; by default the folder around the
                page that is named after a host, or else the folder of the page
    host        host that a saved site was saved from; by default the name of the folder
    size        pages sought that link to each other
    most_pages  pages loaded at most, the key page not counted
    way         vote: the loaded pages vote on the template; etdm: the paper's mapping
    equality    of etdm, when two nodes of one name are equal: weighted, tag or name
    pages       pages loaded to vote, if the page links to as many
    order       menu: the links of the menu first; plain: in the order of the page
    scripts     1: scripts stay in the template

    ``failure`` is the reason why there is no item, "" if nothing failed.
    """

    name = "template"

    def __init__(
        self,
        url: str = "",
        *,
        folder: str = "",
        host: str = "",
        size: str = str(SIZE),
        most_pages: str = str(MAX_PAGES),
        way: str = WAYS[0],
        equality: str = _EQUALITIES[0],
        pages: str = str(PAGES),
        order: str = _ORDERS[0],
        scripts: str = "0",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not url:
            raise ValueError("name the page: url=URL-or-path")
        named = (("order", order, _ORDERS), ("way", way, WAYS), ("equality", equality, _EQUALITIES))
        for option, value, accepted in named:
            if value not in accepted:
                raise InvalidOption(option, value, f"one of {', '.join(accepted)}")
        self.failure = ""
        self.saved_folder: Path | None = None
        self._base: str | None = None
        self._url = url
        if "://" not in url:
            self.saved_folder, page = saved_start(Path(url), Path(folder) if folder else None)
            site = host or f"{host_named_after(self.saved_folder)}.saved"
            self._url = f"http://{site}/{quote(page)}"
            self._base = None if host else (self.saved_folder / page).as_uri()
        self._size = _number("size", size)
        self._most_pages = _number("most_pages", most_pages)
        if self._most_pages < self._size:
            raise InvalidOption("most_pages", most_pages, f"{size} or more, the size of the subdigraph")
        self._way, self._equality = way, EQUALITIES[equality]
        self._pages = _number("pages", pages) if way == "vote" else 0
        self._menu_first = order == "menu"
        self._scripts = scripts == "1"

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Answer requests for a saved site from its folder; switch the memory of a crawl off."""
        super().update_settings(settings)
        settings.setdefault_in_component_priority_dict(_MIDDLEWARES, SavedSite, 950)
        settings.set(_MIDDLEWARES, settings.getdict(_MIDDLEWARES), priority="spider")
        settings.set("TEMPLCRAWL_ENABLED", False, priority="spider")

    async def start(self) -> AsyncIterator[Request]:
        """Yield the request for the key page."""
        yield Request(self._url, callback=self.parse, errback=self.fail)

    def fail(self, failure: Failure) -> None:
        """Log why the key page could not be loaded."""
        self._fail(f"cannot load {self._url}: {failure.getErrorMessage()}")

    def _fail(self, reason: str) -> None:
        self.failure = reason
        self.logger.error(reason)

    def parse(self, response: Response) -> Iterator[TemplateItem | Request]:
        """Start from the key page."""
        key = _page(response)
        if key is None:
            self._fail(f"{response.url} is not an HTML page")
        else:
            yield self._next(
                TemplateSearch(
                    key,
                    size=self._size,
                    most_pages=self._most_pages,
                    pages=self._pages,
                    menu_first=self._menu_first,
                    is_page=lambda url: not url_has_any_extension(url, _DENIED),
                )
            )

    def parse_further(self, response: Response, search: TemplateSearch) -> Iterator[TemplateItem | Request]:
        """Update the search with a further page."""
        search.add_page(response.meta["searched_url"], _page(response))
        yield self._next(search)

    def skip(self, failure: Failure) -> Iterator[TemplateItem | Request]:
        """Update the search without a page that could not be loaded."""
        request: Request = failure.request  # type: ignore[attr-defined]
        search: TemplateSearch = request.cb_kwargs["search"]
        search.add_page(request.meta["searched_url"], None)
        yield self._next(search)

    def _next(self, search: TemplateSearch) -> TemplateItem | Request:
        """Return the request for the next page, or the item when the search is over."""
        url = search.next_url()
        if url is None and self._way == "etdm":
            return self._item(search.separation(self._equality), search)
        if url is None:
            options = replace(self._memory_options, detector="vote")
            return self._item(separate_by_pages(search.key, search.pages, options), search)
        return Request(
            url,
            callback=self.parse_further,
            errback=self.skip,
            cb_kwargs={"search": search},
            meta={"searched_url": url},
            dont_filter=True,
        )

    @property
    def _memory_options(self) -> MemoryOptions:
        return TemplcrawlSettings.from_settings(self.settings).memory

    def _item(self, separation: Separation, search: TemplateSearch) -> TemplateItem:
        page, mask = separation.page, separation.content_mask
        tree = Nodes(page)
        content = int(tree.content_nodes(mask).sum())
        template = template_page(page, mask, base=self._base, scripts=self._scripts)
        links = (page.links[number] for number in menu_order(tree, site_links(page)))
        opens = page.elements.opens
        voting = search.pages if self._way == "vote" else search.subdigraph
        return TemplateItem(
            url=page.url,
            pages_loaded=len(search.loaded),
            subdigraph=list(search.subdigraph),
            template_html=storable(template),
            template_nodes=len(tree) - content,
            content_nodes=content,
            pages_compared=len(voting),
            menu_links=[
                {"url": link.url, "text": storable(link.text)}
                for link in links
                if not mask[opens[link.element]]
            ],
            truncated=list(page.truncated),
        )


def separate_by_pages(key: Page, siblings: Sequence[Page], options: MemoryOptions) -> Separation:
    """Separate a page by other pages of its site; without any, all of it is content.

    options  how to compare them; the answer does not depend on a salt that is drawn
    """
    if not siblings:
        return Separation(key, whole(key.tokens))
    memory = SiteMemory(key.host, replace(options, sample_salt=options.sample_salt or 0))
    for other in siblings:
        memory.observe(other)
    return memory.observe(key).separation


def _page(response: Response) -> Page | None:
    return page_of(response) if isinstance(response, HtmlResponse) else None


def _number(name: str, written: str) -> int:
    if not written.isascii() or not written.isdigit() or not int(written):
        raise InvalidOption(name, written, "a whole number of 1 or more")
    return int(written)
