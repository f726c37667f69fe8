"""The evidence of a site's pages about its links: pagelets, roles, and in a focused crawl relevance.

A page's pagelets are counted, and its links are filed under the pagelets and the roles that they sit in.  A
page that is reached credits the classes of the links that led to it with what it pays, the words on it that
are new to the site; in a focused crawl its pagelets, its directory, and the pagelets that led to it are
credited with how relevant it is.  The evidence, value and score of a queued link come from what similar links
have led to so far.  Where pages of some types are wanted, the value of a link is that of a regression, whose
target is whether pages are of these types.

The pagelets of a page that nearly repeats an earlier one do not count: repetition of a whole page is no
evidence of templates.

Sources: Bar-Yossef & Rajagopalan (WWW 2002) for pagelets; :mod:`templcrawl.algorithms.crawl_order` for the
rest.
Cost: O(length of the page) for a page, O(1) for a link.  Memory: bounded by the ``max_*`` options.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

from templcrawl.algorithms.crawl_order.focus import Judgement, RelevanceRecord, TopicRecord, link_score
from templcrawl.algorithms.crawl_order.link_regression import address_shape
from templcrawl.algorithms.crawl_order.link_value import LinkEvidence, directory_class, pay_of
from templcrawl.algorithms.crawl_order.traps import LEAST_LINKS, POOR_SHARE, ClassRecord
from templcrawl.algorithms.pagelets.partition import LinkPlaces, link_places
from templcrawl.memory.hub_table import HubTable
from templcrawl.memory.key_tables import KeySet
from templcrawl.memory.link_tables import LinkTable, PageletTable, PayTable, RelevanceTable, RoleRecord
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.regression_table import RegressionTable
from templcrawl.memory.seen_texts import SeenTexts
from templcrawl.memory.snapshots import Section
from templcrawl.page.addresses import Link, directory_of, host_of, url_key
from templcrawl.page.arrays import MASK, MIX, Keys
from templcrawl.page.page import Page
from templcrawl.page.text import text_key

MOST_REACHED = 8_192  # targets of which the anchors are kept where nothing else of links is


class LinkClasses(NamedTuple):
    """The classes that give a link its value, together with the roles in which it was found.

    key        of the role in which it was found first and of the directory, 64 bits
    target     key of its address
    directory  key of the directory into which it leads
    url        its address
    is_known   whether its page was read in an earlier crawl: links of its class leave in any order
    """

    key: int
    target: int
    directory: int
    url: str = ""
    is_known: bool = False


class SiteLinks(Section):
    """The links of one site.

    regression  what values links where pages of some types are wanted
    version     changes whenever values of links may have changed
    """

    sections = (
        *("_pagelets", "_links", "_named", "_pay", "_texts"),
        *("_pagelet_relevance", "_directory_relevance", "_hubs", "regression"),
    )

    def __init__(self, options: MemoryOptions) -> None:
        self._options = options
        self._pagelets = PageletTable(template_pages=options.template_pages, limit=options.max_pagelets)
        most = options.max_links if options.link_evidence else min(options.max_links, MOST_REACHED)
        self._links = LinkTable(limit=most)
        self._named = KeySet(options.max_links)
        self._pay = PayTable(limit=options.max_roles)
        self._texts = SeenTexts(limit=options.max_texts)
        self._pagelet_relevance = RelevanceTable(options.max_pagelets)
        self._directory_relevance = RelevanceTable(options.max_pagelets)
        self._hubs = HubTable(limit=options.max_links)
        self.regression = RegressionTable(limit=options.max_links)
        self.version = 0

    @property
    def has_regression(self) -> bool:
        """Whether the regression values links: it has learned a page."""
        return self.regression.is_ready

    def credit_classes(self, page: Page, *, pays: bool, leads_on: bool) -> int:
        """Credit the classes of the links that led to a page with what it pays; return that, in words.

        pays      False if the page repeats an earlier one: then it is worth nothing
        leads_on  whether it leads on; of a class that looks generated, such a page is worth nothing
        """
        runs = page.text_runs
        new_words = self._texts.add(runs.texts, runs.words)
        pay = pay_of(new_words) if pays else 0
        roles, directory = self._links.roles(page.address_key), directory_class(page.url)
        if self.mean_pay and pay >= POOR_SHARE * self.mean_pay:
            self._pay.count_leading(roles, directory, leads_on=leads_on)
        if leads_on and self.generated_classes(page):
            pay = 0
        self._pay.credit(roles, directory, pay)
        return pay

    def learn_target(self, page: Page, leaf: int, *, is_target: bool) -> None:
        """Learn whether a page is of a wanted type."""
        roles = self._links.roles(page.address_key)
        self.regression.update(page.url, roles, page.address_key, leaf=leaf, is_target=is_target)

    def update(self, page: Page, judgement: Judgement | None, *, is_new: bool, repeats: bool) -> list[int]:
        """Count a page's pagelets, file its links, and return for each how many pages its pagelet has.

        judgement  that of the topic of a focused crawl
        is_new     whether it is seen for the first time, and counts
        repeats    whether it nearly repeats an earlier page
        """
        places = link_places(page, min_links=self._options.min_pagelet_links)
        shingles, pagelets, _ = places
        if is_new and not repeats:
            self._pagelets.count(shingles)
        pages_of = self._pagelets.template_pages(shingles)
        if self._options.link_evidence:
            if is_new and judgement is not None:
                self._pagelet_relevance.judge(shingles, judgement.relevance)
                self._directory_relevance.judge([text_key(page.directory)], judgement.relevance)
            self._file(page, places, judgement.names if judgement is not None else None)
            if self._options.distiller and is_new and judgement is not None:
                self._hubs.learn(page.links.keys, judgement.relevance)
                if self._hubs.is_due:
                    self._hubs.distill(self._content_pagelets)
        else:
            self._links.update(page.links.keys, page.anchor_paths.tolist())
        return [pages_of[pagelet] if pagelet >= 0 else 0 for pagelet in pagelets]

    def _file(self, page: Page, places: LinkPlaces, names: Callable[[str], bool] | None) -> None:
        """File each link under its pagelet and its role.

        names  whether a text names the topic of a focused crawl
        """
        targets = page.links.keys
        new = self._links.update(targets, page.anchor_paths.tolist(), places)
        if names is not None:
            for number in new:
                if names(_words(page.links[number])):
                    self._named.add(targets[number])
        if self.has_regression:
            for target, link in zip(targets, page.links):
                self.regression.insert_text(target, link.text)

    def anchors_to(self, page: Page) -> Keys:
        """Return the tag paths of the anchors that led to a page."""
        return self._links.anchors(page.address_key)

    def evidence(self, url: str, topic: TopicRecord | None = None) -> LinkEvidence:
        """Return the evidence of this site's pages about a link target so far.  Cost: O(1).

        topic  record of the topic of a focused crawl outside this site; None without a topic
        """
        link = self.classes(url)
        target = link.target
        pagelets = self._links.pagelets(target)
        template = sum(map(bool, self._pagelets.template_pages(pagelets)))
        content = len(pagelets) - template
        return LinkEvidence(
            template,
            content,
            self.value(link),
            self.promise(target, topic) if topic is not None else None,
        )

    def classes(self, url: str) -> LinkClasses:
        """Return the classes of a link of this site, whatever such links have led to."""
        target, directory = url_key(url), directory_class(url)
        first = next(iter(self._links.roles(target)), 0)
        place = text_key(address_shape(url)) ^ directory if self.has_regression else directory
        return LinkClasses((first * MIX + place) & MASK, target, directory, url)

    def topic_classes(self, url: str) -> LinkClasses:
        """Return the classes of a link for a focused crawl.

        Its key is that of the pagelet in which it was found first, of its directory, and of whether it names
        the topic: links of one key are about as promising, whatever comes to be known.
        """
        link = self.classes(url)
        first = next(iter(self._links.pagelets(link.target)), 0)
        is_named = self._named.get(link.target)
        return link._replace(key=(first * MIX + link.directory + is_named) & MASK)

    def value(self, link: LinkClasses) -> float:
        """Return the value of a link by what its classes have paid; 1 is the average."""
        roles = self._links.roles(link.target)
        if self.has_regression:
            return self.regression.value(link.url, roles, link.target)
        return self._pay.value(roles, link.directory)

    @property
    def mean_pay(self) -> float:
        """Words that a page of the site pays on average."""
        return self._pay.mean

    def leads_on(self, page: Page) -> bool:
        """Return whether a page has links to its own site, and none that an earlier page has.

        False where links are not filed.  Cost: O(links until the first that an earlier page has).
        """
        if not self._options.link_evidence:
            return False
        keys = page.links.keys
        if any(self._links.pagelets(key) for key in keys if key != page.address_key):
            return False
        urls = dict(zip(keys, page.links.urls))
        urls.pop(page.address_key, None)
        starts = f"https://{page.host}/", f"http://{page.host}/"
        of_site = (url for url in urls.values() if url.startswith(starts) or host_of(url) == page.host)
        return len(list(islice(of_site, LEAST_LINKS))) == LEAST_LINKS

    def class_records(self, page: Page) -> list[ClassRecord]:
        """Return what the classes of the links to a page have led to."""
        return self._pay.records(self._links.roles(page.address_key), directory_class(page.url))

    def generated_classes(self, page: Page) -> list[int]:
        """Return the classes of the links to a page that look generated."""
        keys = [*self._links.roles(page.address_key), directory_class(page.url)]
        return [key for key in keys if self._pay.is_generated(key)]

    def promise(self, target: int, topic: TopicRecord) -> float:
        """Return how promising a link is that was found on this site; ``topic`` as for ``evidence``."""
        pagelets = self._links.pagelets(target)
        if self._options.distiller:
            is_template = bool(pagelets) and not self._content_pagelets(target)
            return self._hubs.promise(target, pagelets, is_template=is_template)
        return link_score(
            topic.mean,
            map(self._pagelet_relevance.record, pagelets),
            topic.directory,
            is_named=self._named.get(target),
        )

    def _content_pagelets(self, target: int) -> list[int]:
        """Return the pagelets with a link to a target that are no template."""
        pagelets = self._links.pagelets(target)
        return [key for key, pages in zip(pagelets, self._pagelets.template_pages(pagelets)) if not pages]

    def credit_relevance(self, page: Page, relevance: float) -> bool:
        """Credit the pagelets whose links lead to a page, of whatever site; return whether there are any."""
        pagelets = self._links.pagelets(page.address_key)
        self._pagelet_relevance.judge(pagelets, relevance)
        if self._options.distiller and pagelets:
            self._hubs.reach(page.address_key, relevance)
        return bool(pagelets)

    def directory_relevance(self, url: str) -> RelevanceRecord:
        """Return the record of the directory of a page of this site."""
        return self._directory_relevance.record(text_key(directory_of(url)))

    def largest_roles(self, most: int) -> list[RoleRecord]:
        """Return the records of the roles of links that led to most pages."""
        return self._pay.largest(most)


def _words(link: Link) -> str:
    return f"{link.text}\n{link.url}"
