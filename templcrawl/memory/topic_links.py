"""The state of a focused crawl for a site: the relevance of the pages around its links.

With the order ``focus`` a site has :class:`TopicLinks`, with ``distiller`` :class:`HubLinks`.  A page credits
its pagelets, its directory, and the pagelets that led to it with how relevant it is.

Sources: :mod:`templcrawl.algorithms.crawl_order.focus`, :mod:`templcrawl.algorithms.crawl_order.distiller`.
Cost: O(links) a page, O(1) a link.  Memory: bounded by ``max_pagelets`` and ``max_links``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord, TopicRecord, link_score
from templcrawl.memory.hub_table import HubTable
from templcrawl.memory.key_tables import KeySet, NumberList, PairTable
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.sections import FiledPage, LinkSection, WaitingLink
from templcrawl.memory.site_links import SiteLinks
from templcrawl.page.addresses import Link, directory_of
from templcrawl.page.arrays import MASK, MIX
from templcrawl.page.page import Page
from templcrawl.page.text import text_key

RELEVANCE = "relevance"  # attribute of a page: how relevant it is, from 0 to 1
_UNIT = 1_000  # of relevance


class RelevanceTable(PairTable):
    """Pagelet or directory -> the pages around it, and how relevant these were.

    Relevance is stored in thousandths, so that sums are the same in every order and after every restart.

    >>> table = RelevanceTable(10)
    >>> table.judge([7, 8], 1.0)
    >>> table.judge([7], 0.25)
    >>> table.record(7), table.record(9)
    (RelevanceRecord(pages=2, relevance=1.25), RelevanceRecord(pages=0, relevance=0.0))
    """

    def __init__(self, limit: int) -> None:
        super().__init__(limit, most=_UNIT)

    def judge(self, keys: Iterable[int], relevance: float) -> None:
        """Credit keys, each once, with a page; 0 stands for no pagelet."""
        self.credit(filter(None, keys), round(relevance * _UNIT))

    def record(self, key: int) -> RelevanceRecord:
        """Return the record of a key."""
        pages, thousandths = self.get(key)
        return RelevanceRecord(pages, thousandths / _UNIT)


class TopicLinks(LinkSection):
    """The relevance around the links of a site."""

    sections: ClassVar[Sequence[str]] = ("_pagelets", "_directories", "_named")

    def __init__(self, options: MemoryOptions, *, names: Callable[[str], bool] | None = None) -> None:
        """Start without pages; ``names`` says whether the text of a link names the topic."""
        self._pagelets = RelevanceTable(options.max_pagelets)
        self._directories = RelevanceTable(options.max_pagelets)
        self._named, self._names = KeySet(options.max_links), names

    def links_filed(self, filed: FiledPage) -> None:
        """Learn how relevant a page is, and which of its links name the topic."""
        page, relevance = filed.seen.page, filed.seen.said.get(RELEVANCE)
        if relevance is None:
            return
        if filed.seen.is_new:
            self._pagelets.judge(filed.shingles, relevance)
            self._directories.judge([text_key(page.directory)], relevance)
        if self._names is not None:
            targets = page.links.keys
            for number in filed.new:
                if self._names(_words(page.links[number])):
                    self._named.add(targets[number])

    def page_elsewhere(self, page: Page, pagelets: NumberList, said: Mapping[str, float]) -> bool:
        """Credit the pagelets whose links lead to a page of any site; return whether there are any."""
        if RELEVANCE in said:
            self._pagelets.judge(pagelets, said[RELEVANCE])
        return bool(pagelets) and RELEVANCE in said

    def classes(self, links: SiteLinks, url: str, source: str = "") -> WaitingLink:
        """Return the classes of a link.

        Its key is that of the pagelet in which it was found first, of its directory, and of whether it names
        the topic: links of one key are about as promising, whatever comes to be known.
        """
        link = links.classes(url, source)
        first = next(iter(links.pagelets_to(link.target)), 0)
        is_named = self._named.get(link.target)
        return link._replace(key=(first * MIX + link.directory + is_named) & MASK)

    def promise(self, links: SiteLinks, target: int, topic: TopicRecord) -> float:
        """Return how promising a link is that was found on this site.

        topic  record of the topic outside this site
        """
        return link_score(
            topic.mean,
            map(self._pagelets.record, links.pagelets_to(target)),
            topic.directory,
            is_named=self._named.get(target),
        )

    def directory(self, url: str) -> RelevanceRecord:
        """Return the record of the directory of a page of this site."""
        return self._directories.record(text_key(directory_of(url)))


class HubLinks(TopicLinks):
    """The links of a site for the order ``distiller``: the hubs of the site say how promising they are."""

    sections: ClassVar[Sequence[str]] = (*TopicLinks.sections, "_hubs")

    def __init__(self, options: MemoryOptions, *, names: Callable[[str], bool] | None = None) -> None:
        """Start without pages."""
        super().__init__(options, names=names)
        self._hubs = HubTable(limit=options.max_links)

    def links_filed(self, filed: FiledPage) -> None:
        """Learn from a page."""
        super().links_filed(filed)
        seen = filed.seen
        if seen.is_new and RELEVANCE in seen.said:
            self._hubs.note_links(seen.page.links.keys, seen.said[RELEVANCE])
            if self._hubs.is_due:
                self._hubs.distill(filed.content_pagelets)

    def page_elsewhere(self, page: Page, pagelets: NumberList, said: Mapping[str, float]) -> bool:
        """Note a page of another site that links of the site led to."""
        if pagelets and RELEVANCE in said:
            self._hubs.reach(page.address_key, said[RELEVANCE])
        return super().page_elsewhere(page, pagelets, said)

    def promise(self, links: SiteLinks, target: int, topic: TopicRecord) -> float:
        """Return how promising a link is by hubs."""
        return self._hubs.promise(target, links.pagelets_to(target), is_template=links.is_template(target))


def _words(link: Link) -> str:
    return f"{link.text}\n{link.url}"
