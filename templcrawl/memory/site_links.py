"""The evidence of a site's pages about its links: pagelets and roles.

A page's pagelets are counted, and its links are filed under the pagelets and the roles that they sit in.  A
page that is reached credits the classes of the links that led to it with what it pays, the words on it that
are new to the site.  The value of a queued link comes from what similar links have led to so far, unless a
:class:`~templcrawl.memory.sections.LinkSection` knows better.

The pagelets of a page that nearly repeats an earlier one do not count: repetition of a whole page is no
evidence of templates.

Sources: Bar-Yossef & Rajagopalan (WWW 2002) for pagelets; :mod:`templcrawl.algorithms.crawl_order` for the
rest.
Cost: O(length of the page) for a page, O(1) for a link.  Memory: bounded by the ``max_*`` options.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from templcrawl.algorithms.crawl_order.link_value import (
    MIN_LINKS,
    POOR_SHARE,
    ClassRecord,
    directory_class,
    pay_of,
)
from templcrawl.algorithms.pagelets.partition import link_places
from templcrawl.memory.key_tables import SeenTexts
from templcrawl.memory.link_tables import LinkTable, PageletTable, PayTable, RoleRecord
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.sections import FiledPage, LinkSection, SeenPage, SiteSection, WaitingLink
from templcrawl.memory.snapshots import Section
from templcrawl.page.addresses import host_of, url_key
from templcrawl.page.arrays import MASK, MIX, Keys
from templcrawl.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from templcrawl.memory.key_tables import NumberList

MAX_REACHED = 8_192  # targets of which the anchors are kept where nothing else of links is


class LinkAnswers(NamedTuple):
    """The evidence of links to a page and on it; empty where links are not evidence.

    pages     link of the page -> pages that carry its pagelet; 0 outside template pagelets
    pay       what it pays, in words; None if it was seen before
    leads_on  whether it has links to its own site, and none that an earlier page has
    """

    pages: Sequence[int] = ()
    pay: int | None = None
    leads_on: bool = False


class SiteLinks(Section):
    """The links of one site.

    version  changes whenever values of links may have changed
    """

    sections: ClassVar[Sequence[str]] = ("_pagelets", "_links", "_pay", "_texts")

    def __init__(self, options: MemoryOptions, asked: Iterable[SiteSection] = ()) -> None:
        """Make it empty; ``asked`` are the sections of the site."""
        self._options = options
        self._pagelets = PageletTable(template_pages=options.template_pages, limit=options.max_pagelets)
        self._asked = next((section for section in asked if isinstance(section, LinkSection)), None)
        self._is_evidence = options.link_evidence or self._asked is not None
        most = options.max_links if self._is_evidence else min(options.max_links, MAX_REACHED)
        self._links = LinkTable(limit=most)
        self._pay = PayTable(limit=options.max_roles)
        self._texts = SeenTexts(limit=options.max_texts)
        self.version = 0

    def observe(self, seen: SeenPage, *, repeats: bool) -> LinkAnswers:
        """Credit the classes of the links that led to a page, file its own links, and return the answers.

        repeats  whether it nearly repeats an earlier page
        """
        page = seen.page
        if not self._is_evidence:
            self._links.update_anchors(page.links.key_array, page.links.anchor_paths)
            return LinkAnswers()
        leads_on = seen.is_new and self.leads_on(page)
        pay = self._credit_classes(page, pays=not repeats, leads_on=leads_on) if seen.is_new else None
        return LinkAnswers(self._file(seen, repeats=repeats), pay, leads_on)

    def _credit_classes(self, page: Page, *, pays: bool, leads_on: bool) -> int:
        """Credit the classes of the links that led to a page with what it pays; return that, in words.

        pays      False if the page repeats an earlier one: then it is worth nothing
        leads_on  whether it leads on; of a class that looks generated, such a page is worth nothing
        """
        runs = page.text_runs
        new_words = self._texts.add(runs.texts, runs.words)
        pay = pay_of(new_words) if pays else 0
        roles, directory = self._links.roles(page.address_key), directory_class(page.url)
        mean = self._pay.mean
        if mean and pay >= POOR_SHARE * mean:
            self._pay.count_leading(roles, directory, leads_on=leads_on)
        if leads_on and self.generated_classes(page):
            pay = 0
        self._pay.credit(roles, directory, pay)
        return pay

    def _file(self, seen: SeenPage, *, repeats: bool) -> list[int]:
        """Count a page's pagelets, file its links, and return for each how many pages its pagelet has."""
        page = seen.page
        places = link_places(page, min_links=self._options.min_pagelet_links)
        shingles, pagelets, _ = places
        if seen.is_new and not repeats:
            self._pagelets.count(shingles)
        pages_of = [*self._pagelets.template_pages(shingles), 0]  # the last is that of no pagelet
        new = self._links.insert_links(page.links.keys, page.links.anchor_paths.tolist(), places)
        if self._asked is not None:
            self._asked.links_filed(FiledPage(seen, shingles, new, self.content_pagelets))
        return list(map(pages_of.__getitem__, pagelets))

    def anchors_to(self, page: Page) -> Keys:
        """Return the tag paths of the anchors that led to a page."""
        return self._links.anchors(page.address_key)

    def pagelet_counts(self, target: int) -> tuple[int, int]:
        """Return in how many template pagelets a link target stands, and in how many others.  Cost: O(1)."""
        pagelets = self._links.pagelets(target)
        template = sum(map(bool, self._pagelets.template_pages(pagelets)))
        return template, len(pagelets) - template

    def is_known(self, url: str) -> bool:
        """Return whether a link target stands in a pagelet of the site."""
        return bool(self._links.pagelets(url_key(url)))

    def is_template(self, target: int) -> bool:
        """Return whether a link target stands in template pagelets alone."""
        template, content = self.pagelet_counts(target)
        return bool(template) and not content

    def classes(self, url: str, source: str = "") -> WaitingLink:
        """Return a link of this site with its classes, even if nothing is known of them."""
        target, directory = url_key(url), directory_class(url)
        first = next(iter(self._links.roles(target)), 0)  # alone, so that a link waits in few classes
        place = self._asked.class_of(url, directory) if self._asked is not None else directory
        return WaitingLink(url, source, host_of(url), (first * MIX + place) & MASK, target, directory)

    def pagelet_classes(self, url: str, source: str = "") -> WaitingLink:
        """Return a link with its classes; its key is that of the pagelets in which it was found."""
        link, key = self.classes(url, source), 0
        for pagelet in sorted(self._links.pagelets(link.target)):
            key = (key * MIX + pagelet) & MASK
        return link._replace(key=key)

    def value(self, link: WaitingLink) -> float:
        """Return the value of a link by what its classes have paid; 1 is the average."""
        roles = self._links.roles(link.target)
        known = self._asked.value(link, roles) if self._asked is not None else None
        return known if known is not None else self._pay.value(roles, link.directory)

    @property
    def mean_pay(self) -> float:
        """Words that a page of the site pays on average."""
        return self._pay.mean

    def leads_on(self, page: Page) -> bool:
        """Return whether a page has links to its own site, and none that an earlier page has.

        Cost: O(links until the first that an earlier page has).
        """
        keys = page.links.keys
        if any(self._links.pagelets(key) for key in keys if key != page.address_key):
            return False
        urls = dict(zip(keys, page.links.urls))
        urls.pop(page.address_key, None)
        starts = f"https://{page.host}/", f"http://{page.host}/"
        urls_of_site = (url for url in urls.values() if url.startswith(starts) or host_of(url) == page.host)
        return len(list(islice(urls_of_site, MIN_LINKS))) == MIN_LINKS

    def class_records(self, page: Page) -> list[ClassRecord]:
        """Return the records of the classes of the links to a page."""
        return self._pay.records(self._links.roles(page.address_key), directory_class(page.url))

    def generated_classes(self, page: Page) -> list[int]:
        """Return the classes of the links to a page that look generated."""
        keys = [*self._links.roles(page.address_key), directory_class(page.url)]
        return [key for key in keys if self._pay.is_generated(key)]

    def roles_to(self, page: Page) -> NumberList:
        """Return the roles of the links that led to a page."""
        return self._links.roles(page.address_key)

    def pagelets_to(self, target: int) -> NumberList:
        """Return the pagelets with a link to a target."""
        return self._links.pagelets(target)

    def content_pagelets(self, target: int) -> list[int]:
        """Return the pagelets with a link to a target that are not template."""
        pagelets = self._links.pagelets(target)
        return [key for key, pages in zip(pagelets, self._pagelets.template_pages(pagelets)) if not pages]

    def largest_roles(self, most: int) -> list[RoleRecord]:
        """Return the records of the roles of links that led to most pages."""
        return self._pay.largest(most)
