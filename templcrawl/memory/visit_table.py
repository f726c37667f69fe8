"""When the pages of a site were read, how often they had changed, and which of them led on.

The table of :mod:`templcrawl.algorithms.crawl_order.revisits`: a record for each address that was asked for,
sums for each class, and for the site.  An address that redirects has a record too, and so has one that is
gone: else each crawl would take it for new.

*In this crawl* a page counts once.  The changes that are still expected are summed up again each time that a
sixteenth of the pages was read: what comes to be known of a class concerns all of its pages.

*A change of the template.*  A detector takes a new banner for content at first.  Where all that has changed
on a page has changed on ``_MANY`` pages of this crawl, and on ``_MANY_SHARE`` of all that were read, the page
counts as unchanged.

*Whole crawls.*  The crawls since one that read all that it met are counted.  Such a crawl forgets the pages
that it has not met.

Bounded: at most ``limit`` addresses, of 39 bytes and what their servers take to tell that they are as before.
Cost: O(altered runs) a page; O(1) a link.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.crawl_order.revisits import (
    ASSUMED_OF_CLAIM,
    LAST_PAGES,
    chance,
    chance_by_now,
    class_rate,
    left_over,
)
from templcrawl.memory.change_table import CHANGED, NEW, SAME
from templcrawl.memory.key_tables import PairTable, RecordTable, sum_of_pairs
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.snapshots import MOST_COUNT, Frozen, Numbers, Section, Snapshot

MOST_BYTES = 200  # of an ETag and a Last-Modified together

_MANY, _MANY_SHARE = 5, 0.25
_MOST_ALTERED = 20_000  # runs of a crawl
_PARTS = 16
_SITE = 0  # the class of all addresses of the site
_MOST_VISITS = 2**16 - 1

_HEAD = Struct("<QQQQHHHB")
_DTYPE = np.dtype(
    [
        (name, kind)
        for name, kind in zip(
            "content key first last visits changes leads is_parent".split(),
            "<u8 <u8 <u8 <u8 <u2 <u2 <u2 u1".split(),
        )
    ]
)


class PageVisits(NamedTuple):
    """What is known of an address.

    content    hash of what it brought last
    key        of its class
    first      when it was read first, in milliseconds since 1970
    last       when it was read last
    visits     how often since it was read first; of these
    changes    brought another content than before
    leads      led on
    is_parent  whether another page was ever asked for because of it
    validators  its ETag and its Last-Modified, with a line feed between them
    """

    content: int
    key: int
    first: int
    last: int
    visits: int = 0
    changes: int = 0
    leads: int = 0
    is_parent: bool = False
    validators: bytes = b""

    def packed(self) -> bytes:
        """Return it as bytes."""
        return _HEAD.pack(*self[:-1]) + self.validators

    @classmethod
    def unpacked(cls, record: bytes) -> PageVisits:
        """Return what ``packed`` made; raises struct.error for what it did not make."""
        return cls._make((*_HEAD.unpack_from(record), record[_HEAD.size :]))


class VisitRecords(RecordTable):
    """Key of an address -> its record; of two that one which was read last."""

    def loaded(self, snapshot: Snapshot, count: int) -> Sequence[bytes]:
        """Return the records."""
        records = super().loaded(snapshot, count)
        for record in records:
            page = PageVisits.unpacked(record)
            if not page.first <= page.last or max(page.changes, page.leads) > page.visits:
                raise ValueError("more changes than visits, or a visit before the first")
        return records


class VisitTable(Section):
    """The visits to the addresses of a site.

    crawls   crawls that have not read all of the site since one that did
    has_gap  whether this is one of them
    version  changes whenever the value of any page may have changed
    found    new and changed pages of this crawl
    knew     addresses that were known, and not read in this crawl, when it was loaded
    was_read  whether this crawl has read any
    """

    sections = ("_records", "_changes", "_leads")

    def __init__(self, *, limit: int, began: int) -> None:
        """Start without pages.

        began  when the crawl began, in milliseconds since 1970
        """
        self._began = began
        self._records = VisitRecords(limit)
        self._changes = PairTable(limit, most=1)
        self._leads = PairTable(limit, most=1)
        self._intervals = (0, 0)  # visits, and the milliseconds before them
        self.crawls = self.version = self.found = self.knew = 0
        self.was_read = self.has_gap = False
        self._altered: LruDict[int, int] = LruDict(_MOST_ALTERED)  # run -> pages of this crawl
        self._led: LruDict[int, bool] = LruDict(limit)  # pages of this crawl that have led on
        self._readings = self._uncounted = 0  # of this crawl; those since what is expected was summed up
        self._expected: float | None = None  # the sum of the chances of the pages that were not read
        self._recent: deque[tuple[float, bool]] = deque(maxlen=LAST_PAGES)

    def __len__(self) -> int:
        return len(self._records)

    def get(self, address: int) -> PageVisits | None:
        """Return what is known of an address, by its key."""
        record = self._records.get(address)
        return PageVisits.unpacked(record) if record else None

    def count(
        self,
        address: int,
        key: int,
        content: int,
        at: int,
        *,
        changed: bool | None = None,
        altered: Collection[int] = (),
        claim: int = 0,
        validators: bytes = b"",
        is_found: bool = True,
    ) -> str:
        """Count a reading of an address; return whether it is NEW, CHANGED or SAME.

        key         of the class of the address
        content     hash of what it has brought
        at          when, in milliseconds since 1970
        changed     whether its content has changed; None: its hash decides
        altered     hashes of the runs of text that were altered, if they are known
        claim       class of what a sitemap says of it, 0 if none does
        validators  its ETag and its Last-Modified
        is_found    whether there is something, or was
        """
        page = self.get(address)
        if page is not None and page.last >= self._began:  # it was counted
            return SAME
        self._note_reading()
        if page is None:
            self.found += is_found
            self._records[address] = PageVisits(content, key, at, at, validators=validators).packed()
            return NEW
        is_other = page.content != content if changed is None else changed
        changed = is_other and not self._is_of_template(altered)
        self._recent.append((self.chance_of_change(page, at, claim), changed))
        if self._expected is not None:
            self._expected -= self._recent[-1][0]
        self.found += changed
        self._changes.credit([_SITE, key, *([claim] if claim else [])], changed)
        self._leads.credit([_SITE, key], 0)
        self._intervals = sum_of_pairs(self._intervals, (1, max(0, at - page.last)))
        self._records[address] = page._replace(
            content=content,
            last=max(at, page.last),
            visits=min(page.visits + 1, _MOST_VISITS),
            changes=min(page.changes + changed, _MOST_VISITS),
            validators=validators,
        ).packed()
        return CHANGED if changed else SAME

    def _note_reading(self) -> None:
        self.was_read = True
        self._readings += 1
        self._uncounted += 1
        if _PARTS * self._uncounted > len(self):
            self._expected = None
            self.version += 1

    def _is_of_template(self, altered: Collection[int]) -> bool:
        """Count what was altered on a page; return whether all of it was altered on many before."""
        counts = [self._altered.get(run) or 0 for run in altered]
        for run, pages in zip(altered, counts):
            self._altered[run] = pages + 1
        return bool(counts) and min(counts) >= max(_MANY, _MANY_SHARE * self._readings)

    def count_lead(self, address: int, *, found: bool) -> None:
        """Count that a page was asked for because of another one that was read in this crawl.

        address  of that other one
        found    whether the page was new or has changed
        """
        page = self.get(address)
        if page is None or page.last < self._began:
            return
        if found and page.visits and address not in self._led:
            self._led[address] = True
            page = page._replace(leads=min(page.leads + 1, page.visits))
            for key in (_SITE, page.key):
                visits, leads = self._leads.get(key)
                self._leads[key] = max(visits, 1), min(leads + 1, max(visits, 1))
        elif page.is_parent:
            return
        self._records[address] = page._replace(is_parent=True).packed()

    def chance_of_change(self, page: PageVisits, at: float, claim: int = 0) -> float:
        """Return the chance that a page has changed since it was read.

        at     now, in milliseconds since 1970
        claim  as for :meth:`count`
        """
        if claim:
            return class_rate(*self._changes.get(claim), ASSUMED_OF_CLAIM[claim])
        rate = _rate(self._changes, page.key)
        return float(chance_by_now(chance(page.visits, page.changes, rate), self.since(page, at)))

    def value(self, page: PageVisits, at: float, claim: int = 0) -> float:
        """Return what a page is worth another visit, likewise: from 0 to ``MOST_VALUE``."""
        leads = chance(page.visits, page.leads, _rate(self._leads, page.key))
        return self.chance_of_change(page, at, claim) + float(chance_by_now(leads, self.since(page, at)))

    def since(self, page: PageVisits, at: float) -> float:
        """Return the time since a page was read, in intervals between two visits."""
        interval = (page.last - page.first) / page.visits if page.visits else self._interval
        return max(0.0, at - page.last) / interval if interval else 1.0

    @property
    def _interval(self) -> float:
        """Milliseconds between two visits to a page of the site on average; 0 before there were any."""
        visits, elapsed = self._intervals
        return elapsed / visits if visits else 0.0

    def expected(self, at: float) -> float:
        """Return how many changes are left among the pages that this crawl has not read."""
        if self._expected is None:
            self._expected, self._uncounted = self._sum_up(at), 0
        chances, changes = map(sum, zip(*self._recent)) if self._recent else (0.0, 0)
        return left_over(max(0.0, self._expected), chances, changes)

    def unread(self) -> int:
        """Return how many addresses this crawl has not read.  Cost: O(addresses)."""
        return int((self._heads()["last"] < self._began).sum())

    def _heads(self) -> npt.NDArray[np.void]:
        records = self._records.values()
        return np.frombuffer(b"".join(record[: _HEAD.size] for record in records), _DTYPE)

    def _sum_up(self, at: float) -> float:
        heads = self._heads()
        heads = heads[heads["last"] < self._began]
        keys, of_key = np.unique(heads["key"], return_inverse=True)
        rates = np.array([_rate(self._changes, key) for key in keys.tolist()])[of_key]
        visits = heads["visits"].astype(float)
        own = (heads["last"] - heads["first"].astype(float)) / np.maximum(visits, 1)
        interval = np.where(visits > 0, own, self._interval)
        since = np.maximum(0.0, at - heads["last"])
        intervals = np.where(interval > 0, since / np.maximum(interval, 1e-9), 1.0)
        return float(np.sum(chance_by_now(chance(visits, heads["changes"], rates), intervals)))

    def note_gap(self) -> None:
        """Note that this crawl does not read all of the site."""
        self.crawls += not self.has_gap
        self.has_gap = True

    def end_whole(self) -> None:
        """End a crawl that has read all that it met: it forgets what it has not met."""
        self.crawls = 0
        for address, record in [*self._records.items()]:
            if PageVisits.unpacked(record).last < self._began:
                self._records.pop(address)

    def columns(self) -> Frozen:
        """Return the sums of the site."""
        return {"site": Numbers([self.crawls, *self._intervals])}

    def load(self, snapshot: Snapshot) -> None:
        """Take these sums."""
        self.crawls, *intervals = snapshot.numbers("site", count=3, below=MOST_COUNT).tolist()
        self._intervals = intervals[0], intervals[1]
        self.knew = self.unread()


def _rate(table: PairTable, key: int) -> float:
    """Return the share of visits to a class that count in a table."""
    return class_rate(*table.get(key), class_rate(*table.get(_SITE)))
