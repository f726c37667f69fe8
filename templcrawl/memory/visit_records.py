"""One record for each known address of a site: the times of its visits and changes, its validators.

A record is packed: 39 bytes, its validators and its URL.  Cost: O(1) a record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.crawl_order.revisits import EARLIER, HUB, JUST, NEVER, ONCE, ClassOfPages
from templcrawl.memory.key_tables import RecordTable
from templcrawl.memory.snapshots import MAX_COUNT, Snapshot

MAX_VALIDATORS = 200  # bytes of an ETag and a Last-Modified together
MAX_URL = 2_083  # bytes of an address that is stored


THERE, IS_GONE, REDIRECTS, UNMODIFIED = 0, 8, 16, 32  # what an address has brought; the last: status 304
ABSENT = IS_GONE | REDIRECTS
IS_PARENT, HAS_JUST_CHANGED, LIES = 1, 2, 4

_MAX_VISITS = 2**16 - 1
_AUDITED = 8  # a smaller one finds lies sooner, and costs bytes
_HEAD = Struct("<QQQQHHB")
_DTYPE = np.dtype(
    [
        (name, kind)
        for name, kind in zip(
            "content key last parent visits changes flags".split(), "<u8 <u8 <u8 <u8 <u2 <u2 u1".split()
        )
    ]
)


Heads = npt.NDArray[np.void]


def lines_told(validators: bytes, url: str) -> bytes:
    """Return the stored forms of validators, a line each, and of an address."""
    return b"%b\n%b" % (validators, url.encode("utf-8", "replace"))


class PageVisits(NamedTuple):
    """The record of an address.

    content     hash of what it brought last, or key of the address that it leads to
    key         of its directory
    last        when it was read last, in milliseconds since 1970
    parent      key of the page with most links that links to it, 0 if none does
    visits      how often it was read after the first time; of these
    changes     brought another content than before
    flags       bits of the answers below, and what it has brought
    told        its ETag, its Last-Modified and its address, with line feeds between them
    """

    content: int
    key: int
    last: int
    parent: int = 0
    visits: int = 0
    changes: int = 0
    flags: int = 0
    told: bytes = b"\n\n"

    def packed(self) -> bytes:
        """Return the record as bytes."""
        return _HEAD.pack(*self[:7]) + self.told

    @classmethod
    def unpacked(cls, record: bytes) -> PageVisits:
        """Return the record of packed bytes; raises struct.error for too few bytes."""
        return cls._make((*_HEAD.unpack_from(record), record[_HEAD.size :]))

    @property
    def validators(self) -> bytes:
        """Its ETag and its Last-Modified, with a line feed between them."""
        return self.told.rpartition(b"\n")[0]

    @property
    def url(self) -> str:
        """Its address, "" if it is too long."""
        return self.told.rpartition(b"\n")[2].decode()

    @property
    def is_parent(self) -> bool:
        """True if another page was ever asked for because of this one."""
        return bool(self.flags & IS_PARENT)

    @property
    def has_just_changed(self) -> bool:
        """True if the page had changed when it was read last."""
        return bool(self.flags & HAS_JUST_CHANGED)

    @property
    def is_there(self) -> bool:
        """True if the address is a page: it neither is gone nor leads elsewhere."""
        return not self.flags & ABSENT

    @property
    def redirects(self) -> bool:
        """True if the address redirects; ``content`` is the key of the last address on the way."""
        return bool(self.flags & REDIRECTS)

    @property
    def is_alias(self) -> bool:
        """True if the address redirects as before: what was a page may be one again."""
        return self.redirects and not self.has_just_changed

    @property
    def is_dead(self) -> bool:
        """Whether it was gone the last two times that it was asked for."""
        return bool(self.flags & IS_GONE) and self.visits > 0 and not self.has_just_changed

    @property
    def is_unexpected(self) -> bool:
        """Whether nothing is expected of it: it leads elsewhere, or is dead."""
        return self.redirects or self.is_dead

    @property
    def is_unmodified(self) -> bool:
        """True if the last answer of its server was only that it was not modified."""
        return bool(self.flags & UNMODIFIED)

    @property
    def lies(self) -> bool:
        """True if the page has changed and its validators have not."""
        return bool(self.flags & LIES)

    def read_again(self, content: int, at: int, *, changed: bool, lies: bool, brought: int) -> PageVisits:
        """Return the record after another visit."""
        kept = self.flags & (IS_PARENT | LIES)
        return self._replace(
            content=content,
            last=max(at, self.last),
            visits=min(self.visits + 1, _MAX_VISITS),
            changes=min(self.changes + changed, _MAX_VISITS),
            flags=kept | changed * HAS_JUST_CHANGED | lies * LIES | brought,
        )

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
            if page.changes > page.visits or page.last >= MAX_COUNT or page.key & 127:
                raise ValueError("more changes than visits, a time out of range, or no directory")
            if page.told.count(b"\n") != 2 or len(page.url) > MAX_URL:
                raise ValueError("not two validators and an address")
        return records

    def pages(self) -> Iterator[tuple[int, PageVisits]]:
        """Yield all records, by address."""
        return ((address, PageVisits.unpacked(record)) for address, record in self.items())

    def heads(self) -> tuple[npt.NDArray[np.uint64], Heads]:
        """Return the fixed-size part of each record, by address."""
        heads = np.frombuffer(b"".join(record[: _HEAD.size] for record in self.values()), _DTYPE)
        return np.fromiter(self, dtype=np.uint64, count=len(heads)), heads


def are_unexpected(heads: Heads) -> npt.NDArray[np.bool_]:
    """Return page -> whether nothing is expected of it, as ``PageVisits`` says it."""
    flags = heads["flags"]
    is_dead = (flags & IS_GONE > 0) & (flags & HAS_JUST_CHANGED == 0) & (heads["visits"] > 0)
    result: npt.NDArray[np.bool_] = is_dead | (flags & REDIRECTS > 0)
    return result


def first_classes(heads: Heads, is_hub: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint64]:
    """Return the keys of the classes of pages when a crawl begins.

    is_hub  page -> whether it is a hub
    """
    later = np.where(heads["changes"] > 0, EARLIER, NEVER)
    later = np.where(heads["flags"] & HAS_JUST_CHANGED, JUST, later)
    states = np.where(heads["visits"] == 0, ONCE, later)
    key_of = np.array([ClassOfPages(0, state).key for state in range(4)], dtype=np.uint64)
    keys: npt.NDArray[np.uint64] = heads["key"] | key_of[states] | is_hub.astype(np.uint64) * np.uint64(HUB)
    return keys


def is_audited(address: int, crawl: int, pages: int) -> bool:
    """Return whether a crawl reads a page whole, whatever its validators say: one in ``_AUDITED`` does.

    pages  of the site: of one with fewer than two for each such crawl, none is
    """
    return pages >= 2 * _AUDITED and (address >> 16) % _AUDITED == crawl % _AUDITED
