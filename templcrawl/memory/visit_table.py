"""When the pages of a site were read and had changed, and what is expected of those that were not read.

The table of :mod:`templcrawl.algorithms.crawl_order.revisits`: a record for each address that was asked for,
sums for each group, state and signal, and for the site.  An address that redirects has a record too, whose
content is where it leads, and so has one that is gone: else each crawl would take them for new.

*In this crawl* a page counts once.  What is expected of the others goes by what was known when the crawl
began, and by what it has read of their classes.  An address that its parent no longer links to, and that no
other page links to, is not expected any more.  Of one that redirects nothing is expected: it need not be read
where the page that it leads to is linked to by itself.

*A change of the template.*  A detector takes a new banner for content at first.  Where all that has changed
on a page has changed on ``_MANY`` pages of this crawl, and on ``_MANY_SHARE`` of all that were read, the page
counts as unchanged.

*Validators lie* where a page has changed and they have not: of that page, and of the site once ``_LYING``
pages were found out.

*Whole crawls.*  The crawls since one that read all that it met are counted.  Such a crawl forgets the pages
that it has not met.  If these are most of the site, it may be the site that has failed: then they are
forgotten by the next such crawl that does not meet them.

Bounded: at most ``limit`` addresses, of 39 bytes, their URL and what their servers take to tell that they are
as before.  Cost: O(altered runs) a page; O(1) a link; O(addresses) when a site is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.crawl_order.revisits import (
    EARLIER,
    HUB,
    HUB_CHANGED,
    JUST,
    NEVER,
    NO_HUB,
    NO_HUB_CHANGED,
    ONCE,
    ClassOfPages,
    History,
    Remainder,
    Sums,
)
from templcrawl.memory.change_table import CHANGED, NEW, SAME
from templcrawl.memory.key_tables import PairTable, RecordTable
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.snapshots import MOST_COUNT, Frozen, Numbers, Section, Snapshot

MAX_VALIDATORS = 200  # bytes of an ETag and a Last-Modified together
MAX_URL = 2_083  # bytes of an address that is stored

_MANY, _MANY_SHARE = 5, 0.25
_LYING = 3
_MAX_ALTERED = 20_000  # runs of a crawl
_MAX_VISITS = 2**16 - 1
_MAX_SECONDS = 2**32  # between two visits
_SITE = 0  # key of the sums of all addresses
_UNIT = 2**20  # parts of a change that are counted as expected

THERE, IS_GONE, REDIRECTS = 0, 8, 16  # what an address has brought
_IS_PARENT, _HAS_JUST_CHANGED, _LIES = 1, 2, 4

_HEAD = Struct("<QQQQHHB")
_DTYPE = np.dtype(
    [
        (name, kind)
        for name, kind in zip(
            "content key last parent visits changes flags".split(), "<u8 <u8 <u8 <u8 <u2 <u2 u1".split()
        )
    ]
)


class PageVisits(NamedTuple):
    """What is known of an address.

    content     hash of what it brought last, or key of the address that it leads to
    key         of its directory
    last        when it was read last, in milliseconds since 1970
    parent      key of the page with most links that links to it, 0 if none does
    visits      how often it was read after the first time; of these
    changes     brought another content than before
    flags       bits of the answers below, and what it has brought
    validators  its ETag and its Last-Modified, with a line feed between them
    url         its address, "" if it is too long
    """

    content: int
    key: int
    last: int
    parent: int = 0
    visits: int = 0
    changes: int = 0
    flags: int = 0
    validators: bytes = b"\n"
    url: str = ""

    def packed(self) -> bytes:
        """Return it as bytes."""
        url = self.url.encode("utf-8", "replace")
        return b"%b%b\n%b" % (_HEAD.pack(*self[:7]), self.validators, url)

    @classmethod
    def unpacked(cls, record: bytes) -> PageVisits:
        """Return what ``packed`` made; raises struct.error or ValueError for what it did not make."""
        etag, modified, url = record[_HEAD.size :].split(b"\n", 2)
        return cls._make((*_HEAD.unpack_from(record), b"%b\n%b" % (etag, modified), url.decode()))

    @property
    def is_parent(self) -> bool:
        """Whether another page was ever asked for because of it."""
        return bool(self.flags & _IS_PARENT)

    @property
    def has_just_changed(self) -> bool:
        """Whether it had changed when it was read last."""
        return bool(self.flags & _HAS_JUST_CHANGED)

    @property
    def is_there(self) -> bool:
        """Whether it is a page: it neither is gone nor leads elsewhere."""
        return not self.flags & (IS_GONE | REDIRECTS)

    @property
    def redirects(self) -> bool:
        """Whether it leads elsewhere; ``content`` is the key of the last address on the way."""
        return bool(self.flags & REDIRECTS)

    @property
    def lies(self) -> bool:
        """Whether it has changed and its validators have not."""
        return bool(self.flags & _LIES)

    @property
    def state(self) -> int:
        """Its state when a crawl begins."""
        if not self.visits:
            return ONCE
        return JUST if self.has_just_changed else EARLIER if self.changes else NEVER


class VisitRecords(RecordTable):
    """Key of an address -> its record."""

    def loaded(self, snapshot: Snapshot, count: int) -> Sequence[bytes]:
        """Return the records."""
        records = super().loaded(snapshot, count)
        for record in records:
            page = PageVisits.unpacked(record)
            if page.changes > page.visits or page.last >= MOST_COUNT or page.key & 127:
                raise ValueError("more changes than visits, a time that never comes, or no directory")
        return records


class VisitTable(Section):
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

    sections = ("_records", "_changes", "_elapsed", "_expected")

    def __init__(self, *, limit: int, began: int) -> None:
        """Start without pages.

        began  when the crawl began, in milliseconds since 1970
        """
        self._began = began
        self._records = VisitRecords(limit)
        self._changes = PairTable(limit, most=1)  # group, factor or site -> visits, changes
        self._elapsed = PairTable(limit, most=_MAX_SECONDS)  # group or site -> visits, seconds before them
        self._expected = PairTable(limit, most=_UNIT)  # factor -> visits, changes that all else expected
        self.crawls = self.since = self.version = self.found = self.knew = 0
        self._last_began = self._shortest = self._lying = self.vanished = 0
        self.was_read = self.has_gap = self._passes_by = False
        self._altered: LruDict[int, int] = LruDict(_MAX_ALTERED)  # run -> pages of this crawl
        self._met: LruDict[int, tuple[int, int]] = LruDict(limit)  # -> links of its parent, the parent
        self._signals: dict[int, int] = {}
        self._unlinked: set[int] = set()
        self._readings = self._changed = self._uncounted = 0  # of this crawl; since the version changed
        self._begin(*self._heads())

    def __len__(self) -> int:
        return len(self._records)

    def get(self, address: int) -> PageVisits | None:
        """Return what is known of an address, by its key."""
        record = self._records.get(address)
        return PageVisits.unpacked(record) if record else None

    def pages(self) -> Iterator[tuple[int, PageVisits]]:
        """Yield all that is known, by address."""
        return ((address, PageVisits.unpacked(record)) for address, record in self._records.items())

    # what is expected

    def _heads(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.void]]:
        records = self._records.values()
        heads = np.frombuffer(b"".join(record[: _HEAD.size] for record in records), _DTYPE)
        return np.fromiter(self._records, dtype=np.uint64, count=len(heads)), heads

    def _begin(self, addresses: npt.NDArray[np.uint64], heads: npt.NDArray[np.void]) -> None:
        """Expect changes of all pages that were not read."""
        groups = {
            key: Sums(*pair, self._elapsed.get(key)[1]) for key, pair in self._changes.items() if key > 127
        }
        site = Sums(*self._changes.get(_SITE), self._elapsed.get(_SITE)[1])
        factors = {key: self._factor(key) for key in range(1, 128)}
        self.remainder = Remainder(History(site, groups, factors.__getitem__, self._shortest))
        by_parent = np.argsort(heads["parent"], kind="stable")
        self._parents, self._children = heads["parent"][by_parent], addresses[by_parent]
        self._hubs = {*np.unique(self._parents[self._parents > 0]).tolist()}

        self._has_lost_links = bool((heads["last"] >= self._began).any())  # what this crawl met until now
        unread = (heads["last"] < self._began) & (heads["flags"] & REDIRECTS == 0)
        addresses, heads = addresses[unread], heads[unread]
        self.knew = len(heads)
        is_hub = np.isin(addresses, self._parents).astype(np.uint64) * np.uint64(HUB)
        later = np.where(heads["changes"] > 0, EARLIER, NEVER)
        later = np.where(heads["flags"] & _HAS_JUST_CHANGED, JUST, later)
        states = np.where(heads["visits"] == 0, ONCE, later).astype(np.uint64)
        of_state = np.array([ClassOfPages(0, state).key for state in range(4)], dtype=np.uint64)
        keys = heads["key"] | is_hub | of_state[states]
        since = (self._began - heads["last"]) / 1_000
        order = np.argsort(keys, kind="stable")
        distinct, starts = np.unique(keys[order], return_index=True)
        for key, times in zip(distinct.tolist(), np.split(since[order], starts[1:])):
            self.remainder.add(key, times)

    def _factor(self, key: int) -> tuple[float, float]:
        return self._changes.get(key)[1], self._expected.get(key)[1] / _UNIT

    def class_of(self, address: int, page: PageVisits) -> int:
        """Return the key of the class of a page that was not read."""
        group = page.key | (HUB if address in self._hubs else 0)
        return ClassOfPages(group, page.state, self._signals.get(address, NO_HUB)).key

    def is_unread(self, page: PageVisits) -> bool:
        """Return whether an address was not read in this crawl."""
        return page.last < self._began

    def _is_expected(self, page: PageVisits) -> bool:
        return page.last < self._began and not page.redirects

    def is_way_around(self, page: PageVisits) -> bool:
        """Return whether an address has redirected to a page that this crawl has come to by itself."""
        return page.redirects and self.is_unread(page) and page.content in self._met

    def _expect(self, address: int, page: PageVisits) -> None:
        self.remainder.add(self.class_of(address, page), (self._began - page.last) / 1_000)

    def note_asked(self, key: int) -> None:
        """Note that a page of a class is asked for."""
        of = self.remainder[key]
        of.asked += 1
        self.version += of.has_sample()

    # pages and links

    def meet(self, address: int, parent: int = 0, links: int = 0, *, claim: int = NO_HUB) -> None:
        """Note that a page of the site that was read in this crawl links to an address.

        parent  address of that page, 0 if it is of another site
        links   how many it has
        claim   signal of a sitemap
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
        signal = max(claim, self._signal_of(parent))
        if signal > self._signals.get(address, NO_HUB):
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
            if page is None or address in self._met or address in self._unlinked:
                continue
            if not self._is_expected(page):
                continue
            self.remainder.remove(self.class_of(address, page))
            self._unlinked.add(address)

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
        altered     hashes of the runs of text that were altered, if they are known
        validators  its ETag and its Last-Modified
        brought     ``THERE``, ``IS_GONE`` or ``REDIRECTS``
        """
        page = self.get(address)
        if page is not None and page.last >= self._began:  # it was counted
            return SAME
        self.was_read = True
        self._readings += 1
        url = url if len(url) <= MAX_URL and "\n" not in url else ""
        _, parent = self._met.get(address) or (0, page.parent if page is not None else 0)
        if page is None:
            self.found += brought == THERE
            record = PageVisits(content, key, at, parent, flags=brought, validators=validators, url=url)
            self._records[address] = record.packed()
            return NEW
        is_other = page.content != content if changed is None else changed
        is_other |= (page.flags ^ brought) & (IS_GONE | REDIRECTS) != 0
        changed = is_other and not self._is_of_template(altered)
        lies = changed and len(validators) > 1 and validators == page.validators
        self._lying += lies and not page.lies
        self.found += changed
        self._changed += changed
        if not page.redirects:
            self._learn(address, page, at, changed=changed)
        kept = page.flags & (_IS_PARENT | _LIES)
        self._records[address] = page._replace(
            content=content,
            last=max(at, page.last),
            parent=parent,
            visits=min(page.visits + 1, _MAX_VISITS),
            changes=min(page.changes + changed, _MAX_VISITS),
            flags=kept | changed * _HAS_JUST_CHANGED | lies * _LIES | brought,
            validators=validators,
            url=url or page.url,
        ).packed()
        return CHANGED if changed else SAME

    def _learn(self, address: int, page: PageVisits, at: int, *, changed: bool) -> None:
        if address in self._unlinked:
            self._unlinked.discard(address)
            self._expect(address, page)
        key = self.class_of(address, page)
        of, elapsed = ClassOfPages.of(key), max(0, at - page.last) // 1_000
        self._changes.credit([_SITE, of.group], changed)
        self._elapsed.credit([_SITE, of.group], min(elapsed, _MAX_SECONDS))
        history = self.remainder.history
        for factor, share in history.expected_by_factors(of) if history.site.visits else ():
            self._changes.credit([factor], changed)
            self._expected.credit([factor], int(share * _UNIT))
        self.remainder.note_read(key, changed=changed)
        self._signals.pop(address, None)
        self._uncounted += 1
        if 4 * self._uncounted >= len(self.remainder.classes):
            self._uncounted = 0
            self.version += 1

    def _is_of_template(self, altered: Collection[int]) -> bool:
        """Count what was altered on a page; return whether all of it was altered on many before."""
        counts = [self._altered.get(run) or 0 for run in altered]
        for run, pages in zip(altered, counts):
            self._altered[run] = pages + 1
        return bool(counts) and min(counts) >= max(_MANY, _MANY_SHARE * self._readings)

    def note_led(self, address: int) -> None:
        """Note that a page was asked for because of another one."""
        page = self.get(address)
        if page is not None and not page.is_parent:
            self._records[address] = page._replace(flags=page.flags | _IS_PARENT).packed()

    def may_ask(self, address: int, page: PageVisits) -> bool:
        """Return whether it is enough to ask whether a page was modified: it leads on to no other."""
        is_known = len(page.validators) > 1 and page.is_there and self.is_unread(page)
        return is_known and not (page.is_parent or page.lies or self.lies or address in self._hubs)

    @property
    def lies(self) -> bool:
        """Whether the validators of the site lie."""
        return self._lying >= _LYING

    # the end

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
        """End a crawl; one that has read all that it met forgets what it has not met, and returns that."""
        for address, (_, parent) in self._met.items():
            page = self.get(address)
            if page is not None and page.parent != parent:
                self._records[address] = page._replace(parent=parent).packed()
        forgotten = self._end_whole() if is_whole else []
        self.crawls += 1
        self._last_began = self._began
        return forgotten

    def _end_whole(self) -> list[tuple[int, PageVisits]]:
        gap = (self._began - self._last_began) // 1_000
        if self._last_began and self._changed and gap > 0:
            self._shortest = min(self._shortest or gap, gap)
        self.since = self.since + 1 if self._passes_by else 0
        if self._has_lost_links or len(self._met) >= self._met.limit:
            return []
        unmet = [
            (address, page)
            for address, page in self.pages()
            if self.is_unread(page) and address not in self._met
        ]
        if 2 * len(unmet) > len(self) and not self.vanished:
            self.vanished = len(unmet)
            return []
        self.vanished = 0
        for address, _ in unmet:
            self._records.pop(address)
        return unmet

    def columns(self) -> Frozen:
        """Return the sums of the site."""
        return {
            "site": Numbers(
                [
                    *(self.crawls, self.since, self._last_began, self._shortest),
                    *(self._lying, self.vanished),
                ]
            ),
        }

    def load(self, snapshot: Snapshot) -> None:
        """Take these sums, and expect changes by them."""
        numbers = snapshot.numbers("site", count=6, below=MOST_COUNT).tolist()
        self.crawls, self.since, self._last_began, self._shortest, self._lying, self.vanished = numbers
        self._begin(*self._heads())
