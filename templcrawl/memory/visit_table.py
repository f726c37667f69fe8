"""The visits to a site: when each page was read and had changed, and how many changes are expected.

The table of :mod:`templcrawl.algorithms.crawl_order.revisits`: a record for each address that was requested,
also if it redirects or is gone, since each crawl would take it for new; and the sums of their visits.  What
is expected of unread pages follows from what was known at the start of a crawl, and from what it has read of
their classes.  Nothing is expected of an address to which no page links any more, nor of one that redirects
to a page that has links of its own.

Bounded: ``limit`` addresses, each of 39 bytes, its URL and its validators.  Cost: O(altered runs) a page;
O(1) a link; O(addresses) when a site is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar

import numpy as np

from templcrawl.algorithms.crawl_order.revisits import (
    CRAWLS,
    HUB,
    HUB_CHANGED,
    NO_HUB,
    NO_HUB_CHANGED,
    ClassOfPages,
    Remainder,
    joint_signal,
)
from templcrawl.memory.altered_runs import AlteredRuns
from templcrawl.memory.change_kinds import CHANGED, NEW, SAME
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.key_tables import LruDict
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.sections import SiteSection, UnreadPage
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, Numbers, Snapshot
from templcrawl.memory.visit_records import (
    ABSENT,
    IS_PARENT,
    MAX_URL,
    THERE,
    PageVisits,
    VisitRecords,
    are_unexpected,
    first_classes,
    is_audited,
    lines_told,
)
from templcrawl.memory.visit_sums import VisitSums

NAMED = 1  # as a parent: no page links to the address
_LYING = 3  # pages that had changed though their validators had not: from then on those of the site lie


def visits_of(memory: CrawlMemory, host: str) -> VisitTable | None:
    """Return the visits to the pages of a site; None if it is not in memory."""
    site = memory.peek(host)
    return site.get(VisitTable) if site is not None else None


class VisitTable(SiteSection):
    """The visits to the addresses of a site.

    crawls     earlier crawls of the site
    since      crawls that have not read all of the site since one that did
    has_gap    whether this is one of them
    version    changes whenever the value of any page may have changed
    found      new and changed pages of this crawl
    knew       addresses that were known, and not read in this crawl, when it was loaded
    was_read   whether this crawl has read any
    vanished   pages that a whole crawl has not met, and has not forgotten
    remainder  what is expected of the known pages that were not read
    """

    sections = ("_records", "_sums")

    is_of_spider: ClassVar[bool] = True

    def __init__(self, options: MemoryOptions, *, began: int) -> None:
        """Start without pages; the crawl began then, in milliseconds since 1970."""
        self._began, limit = began, options.max_pages
        self._records = VisitRecords(limit)
        self._sums = VisitSums(limit)
        self.crawls = self.since = self.version = self.found = self.knew = 0
        self._last_began = self._shortest = self._lying = self.vanished = 0
        self.was_read = self.has_gap = self._passes_by = False
        self._altered = AlteredRuns()
        self._met: LruDict[int, tuple[int, int]] = LruDict(limit)  # -> links of its parent, the parent
        self._signals: dict[int, int] = {}
        self._unlinked: set[int] = set()
        self._readings = self._changed = self._uncounted = 0  # of this crawl; since the version changed
        self._begin()

    def __len__(self) -> int:
        return len(self._records)

    def get(self, address: int) -> PageVisits | None:
        """Return the record of an address, by its key."""
        record = self._records.get(address)
        return PageVisits.unpacked(record) if record else None

    def pages(self) -> Iterator[tuple[int, PageVisits]]:
        """Yield all records, by address."""
        return self._records.pages()

    # what is expected

    def _begin(self) -> None:
        """Expect changes of all pages that were not read."""
        self.remainder = Remainder(self._sums.history(self._shortest))
        addresses, heads = self._records.heads()
        by_parent = np.argsort(heads["parent"], kind="stable")
        self._parents, self._children = heads["parent"][by_parent], addresses[by_parent]
        self._hubs = {*np.unique(self._parents[self._parents > 0]).tolist()}
        self._has_lost_links = bool((heads["last"] >= self._began).any())  # what this crawl met until now
        unread = (heads["last"] < self._began) & ~are_unexpected(heads)
        heads = heads[unread]
        self.knew = len(heads)
        keys = first_classes(heads, np.isin(addresses[unread], self._parents))
        since = (self._began - heads["last"]) / 1_000
        order = np.argsort(keys, kind="stable")
        distinct, starts = np.unique(keys[order], return_index=True)
        for key, times in zip(distinct.tolist(), np.split(since[order], starts[1:])):
            self.remainder.add(key, times)

    def class_of(self, address: int, page: PageVisits) -> int:
        """Return the key of the class of a page that was not read."""
        group = page.key | (HUB if address in self._hubs else 0)
        return ClassOfPages(group, page.state, self._signals.get(address, NO_HUB)).key

    def unread_pages(self) -> Iterator[UnreadPage]:
        """Yield the known pages that this crawl has not read, if it has read any page of the site."""
        for _, page in self.pages() if self.was_read else ():
            if page.is_there and page.url and (self.is_unread(page) or page.is_unmodified):
                yield UnreadPage(page.url, not self.is_unread(page), page.last // 1_000)

    def is_unread(self, page: PageVisits) -> bool:
        """Return whether an address was not read in this crawl."""
        return page.last < self._began

    def _is_expected(self, page: PageVisits) -> bool:
        return page.last < self._began and not page.is_unexpected

    def is_way_around(self, page: PageVisits) -> bool:
        """Return whether an address redirects to a page that this crawl has met, or is gone, as before."""
        return self.is_unread(page) and (page.is_dead or (page.is_alias and page.content in self._met))

    def _expect(self, address: int, page: PageVisits) -> None:
        self.remainder.add(self.class_of(address, page), (self._began - page.last) / 1_000)

    def note_asked(self, key: int) -> None:
        """Note that a page of a class is asked for."""
        self.remainder[key].asked += 1
        self.version += self.remainder.has_sample(key)

    # pages and links

    def meet(self, address: int, parent: int = 0, links: int = 0, *, claim: int = NO_HUB) -> None:
        """Note that a page of the site that was read in this crawl links to an address.

        parent  address of that page, 0 if it is of another site; ``NAMED`` by a sitemap or a feed
        links   how many it has
        claim   signal of a sitemap or a feed
        """
        met, page = self._met.get(address), self.get(address)
        if met is None or (links > met[0] and parent != address):
            self._met[address] = links, parent
            if page is not None and page.parent != parent and not self.is_unread(page):
                self._records[address] = page._replace(parent=parent).packed()
        if page is None or not self._is_expected(page):
            return
        if address in self._unlinked:
            self._unlinked.discard(address)
            self._expect(address, page)
        before = self._signals.get(address, NO_HUB)
        signal = joint_signal(before, joint_signal(claim, self._signal_of(parent)))
        if signal != before:
            self.remainder.remove(self.class_of(address, page))
            self._signals[address] = signal
            self._expect(address, page)

    def _signal_of(self, hub: int) -> int:
        page = self.get(hub) if hub in self._hubs else None
        if page is None or page.last < self._began:
            return NO_HUB
        return HUB_CHANGED if page.has_just_changed else NO_HUB_CHANGED

    def end_links(self, parent: int) -> None:
        """Note that all links of a page have been met: those that it had before and has not are gone."""
        if len(self._met) >= self._met.limit:
            return
        key = np.uint64(parent)
        start, stop = (int(np.searchsorted(self._parents, key, side)) for side in ("left", "right"))
        for address in self._children[start:stop].tolist() if parent else ():
            page = self.get(address)
            is_met = page is None or address in self._met or address in self._unlinked
            if page is not None and not is_met and self._is_expected(page):
                self.remainder.remove(self.class_of(address, page))
                self._unlinked.add(address)

    def is_met(self, address: int) -> bool:
        """Return whether this crawl has met an address."""
        return address in self._met

    def note_lost_links(self) -> None:
        """Note that this crawl cannot meet all links of the site, so that unmet pages are not forgotten."""
        self._has_lost_links = True

    def count(
        self,
        address: int,
        key: int,
        content: int,
        at: int,
        *,
        url: str = "",
        changed: bool | None = None,
        altered: Collection[int] = (),
        validators: bytes = b"\n",
        brought: int = THERE,
    ) -> str:
        """Count a reading of an address; return whether it is NEW, CHANGED or SAME.

        key         of the directory of the address
        content     hash of what it has brought, or key of the address that it leads to
        at          when, in milliseconds since 1970
        changed     whether its content has changed; None: its hash decides
        altered     hashes of the altered runs, if they are known: what was on many pages makes none expected
        validators  its ETag and its Last-Modified
        brought     ``THERE``, ``IS_GONE``, ``REDIRECTS`` or ``UNMODIFIED``
        """
        page = self.get(address)
        if page is not None and page.last >= self._began:  # it was counted
            return SAME
        self.was_read = True
        self._readings += 1
        url = url if len(url) <= MAX_URL else ""
        _, parent = self._met.get(address) or (0, page.parent if page is not None else 0)
        if page is None:
            self.found += brought == THERE
            record = PageVisits(content, key, at, parent, flags=brought, told=lines_told(validators, url))
            self._records[address] = record.packed()
            return NEW
        is_other = page.content != content if changed is None else changed
        is_other |= (page.flags ^ brought) & ABSENT != 0
        changed = is_other and not self._altered.are_of_many(altered, self._readings)
        lies = changed and len(validators) > 1 and validators == page.validators
        self._lying += lies and not page.lies
        self.found += changed
        self._changed += changed
        if not page.is_unexpected:
            self._learn(address, page, at, changed=changed)
        read = page.read_again(content, at, changed=changed, lies=lies, brought=brought)
        read = read._replace(parent=parent, told=lines_told(validators, url or page.url))
        self._records[address] = read.packed()
        return CHANGED if is_other else SAME

    def _learn(self, address: int, page: PageVisits, at: int, *, changed: bool) -> None:
        if address in self._unlinked:
            self._unlinked.discard(address)
            self._expect(address, page)
        key = self.class_of(address, page)
        pages, elapsed = ClassOfPages.from_key(key), max(0, at - page.last) // 1_000
        self._sums.add_visit(pages, elapsed, self.remainder.history, changed=changed)
        self.remainder.note_read(key, changed=changed)
        self._signals.pop(address, None)
        self._uncounted += 1
        if 4 * self._uncounted >= len(self.remainder.classes):
            self._uncounted = 0
            self.version += 1

    def note_led(self, address: int) -> None:
        """Note that a page was asked for because of another one."""
        page = self.get(address)
        if page is not None and not page.is_parent:
            self._records[address] = page._replace(flags=page.flags | IS_PARENT).packed()

    def may_ask(self, address: int, page: PageVisits) -> bool:
        """Return whether it is enough to ask whether a page was modified: it leads on to no other."""
        is_known = len(page.validators) > 1 and page.is_there and self.is_unread(page)
        is_read = page.is_parent or page.lies or self.lies or address in self._hubs
        return is_known and not (is_read or is_audited(address, self.crawls, len(self)))

    @property
    def lies(self) -> bool:
        """True if the validators of the site are not reliable."""
        return self._lying >= _LYING

    # the end

    @property
    def may_end(self) -> bool:
        """True if the site is known well enough for a crawl to end before it has read all."""
        return self.knew > 0 and self.crawls >= CRAWLS

    def is_over(self, limit: float) -> bool:
        """Return whether the changes that are left are too few to go on; ``limit`` as in ``Remainder``."""
        return self.remainder.is_over(self.found, limit, known=self.knew, crawls=self.crawls)

    def note_gap(self) -> None:
        """Note that this crawl does not read all of the site."""
        self.since += not self.has_gap
        self.has_gap = True

    def pass_by(self) -> None:
        """Note that this crawl does not read an address that redirects, though it has met it."""
        self._passes_by = True

    def end(self, *, is_whole: bool) -> list[tuple[int, PageVisits]]:
        """End a crawl; return the addresses that a whole crawl has not met, which are forgotten."""
        for address, (_, parent) in self._met.items():
            page = self.get(address)
            if page is not None and page.parent != parent:
                self._records[address] = page._replace(parent=parent).packed()
        forgotten = self._end_whole() if is_whole else []
        self.crawls += 1
        self._last_began = self._began
        return forgotten

    def _end_whole(self) -> list[tuple[int, PageVisits]]:
        """End a crawl that read all that it met; return the pages that it has not met, and forgets.

        If these are most of the site, it may be the site that has failed: then they are forgotten by the next
        such crawl that does not meet them.
        """
        gap = (self._began - self._last_began) // 1_000
        if self._last_began and self._changed and gap > 0:
            self._shortest = min(self._shortest or gap, gap)
        self.since = self.since + 1 if self._passes_by else 0
        if self._has_lost_links or len(self._met) >= self._met.limit:
            return []
        unmet = [(key, page) for key, page in self.pages() if self.is_unread(page) and key not in self._met]
        if 2 * len(unmet) > len(self) and not self.vanished:
            self.vanished = len(unmet)
            return []
        self.vanished = 0
        for address, _ in unmet:
            self._records.pop(address)
        return unmet

    def columns(self) -> Frozen:
        """Return the sums of the site."""
        crawls = self.crawls, self.since, self._last_began, self._shortest
        return {"site": Numbers([*crawls, self._lying, self.vanished])}

    def load(self, snapshot: Snapshot) -> None:
        """Restore the sums, and expect changes by them."""
        numbers = snapshot.numbers("site", count=6, below=MAX_COUNT).tolist()
        self.crawls, self.since, self._last_began, self._shortest, self._lying, self.vanished = numbers
        self._begin()
